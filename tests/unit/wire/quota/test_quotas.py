"""Reading an ElasticQuota: what is understood, and the sentence for what is not."""

from typing import Any

import pytest

from elasticquota import names
from elasticquota.model.quota import NOT_EVER, Quota
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.quota import quotas


PREEMPTION = ("Default", "Fence", "Disabled")


def read(
    spec: dict[str, Any] | None = None,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
) -> Quota:
    meta = ObjectMeta("team-a", "teams", labels=labels, annotations=annotations)
    return quotas.read(quotas.QuotaManifest(meta, spec))


def test_an_empty_quota_has_no_guarantee_no_limit_and_lends() -> None:
    quota = read()
    assert (quota.min, quota.max, quota.shared_weight) == ({}, {}, None)
    assert quota.parent == names.ROOT_QUOTA
    assert quota.allow_lent
    assert quota.faults == ()


def setting(path: str, written: object, attribute: str) -> tuple[object, tuple[str, ...]]:
    """What a field of the spec with this value means, and the warnings about it."""
    spec: Any = written
    for name in reversed(path.split(".")):
        spec = {name: spec}
    quota = read(spec)
    assert quota.faults == ()
    return getattr(quota, attribute), tuple(map(str, quota.warnings))


@pytest.mark.parametrize(
    ("path", "attribute", "usual", "means", "wrong"),
    [
        ("queue.policy", "strict_queue", False, {"BestEffort": False, "Strict": True}, "strict"),
        ("queue.order", "orders_by_priority", True, {"Priority": True, "Age": False}, "age"),
        ("queue.applications", "application_order", "", {"Fifo": "Fifo", "Fair": "Fair"}, 5),
        ("reclaim.preemption", "preemption", "", {p: p for p in PREEMPTION}, "fence"),
    ],
)
def test_an_unknown_word_counts_as_missing_and_is_reported(
    path: str, attribute: str, usual: object, means: dict[str, object], wrong: object
) -> None:
    for written, meant in ((None, usual), *means.items()):
        assert setting(path, written, attribute) == (meant, ())
    fault = f"spec.{path}: must be one of {', '.join(means)}, got {fields.shown(wrong)}"
    assert setting(path, wrong, attribute) == (usual, (f"{fault}, which counts as missing",))


@pytest.mark.parametrize(
    ("path", "attribute", "means", "example"),
    [
        ("reclaim.grace", "reclaim_grace", {"1m": 60_000, "0s": 0}, "30s"),
        ("reclaim.overMaxDelay", "over_max_delay", {"Never": NOT_EVER, "5m": 300_000}, "15m"),
    ],
)
def test_a_time_that_cannot_be_read_counts_as_that_of_all_and_is_reported(
    path: str, attribute: str, means: dict[str, int], example: str
) -> None:
    for written, meant in ((None, None), ("0s", 0), *means.items()):
        assert setting(path, written, attribute) == (meant, ())
    for wrong in ("soon", "30", "-1", "never", "2d"):
        fault = f"spec.{path}: must be a duration like '{example}', from 0s to 24h, got '{wrong}'"
        assert setting(path, wrong, attribute) == (None, (fault,))


def test_a_quota_is_paused_by_true_alone() -> None:
    for written, paused in ((None, False), (True, True), (False, False)):
        assert setting("paused", written, "paused") == (paused, ())
    warned = "spec.paused: must be true or false, got 'true', which counts as false"
    assert setting("paused", "true", "paused") == (False, (warned,))


@pytest.mark.parametrize(
    ("spec", "annotations", "fault"),
    [
        pytest.param(
            {"min": {"cpu": "3"}, "max": {"cpu": "2"}},
            {},
            "spec.min.cpu: 3 must be less than or equal to 2, the max of the same resource. Lower "
            "min, or raise max",
            id="min above max",
        ),
        pytest.param(
            {"min": {"memory": "1Gi"}, "max": {"cpu": "2"}},
            {},
            "spec.min.memory: must also be named in spec.max. Add it there, or leave max out for "
            "no limit",
            id="min without max",
        ),
        pytest.param(
            {},
            {names.ADMISSION: '{"cpu": "-1"}'},
            f"metadata.annotations[{names.ADMISSION}].cpu: must not be negative, got -1",
            id="an admission below zero",
        ),
    ],
)
def test_what_is_not_understood_is_said(
    spec: dict[str, Any], annotations: dict[str, str], fault: str
) -> None:
    assert tuple(map(str, read(spec, annotations=annotations).faults)) == (fault,)


def test_a_root_may_leave_its_total_to_the_default_tree_too() -> None:
    for written, meant in (("true", True), ("false", False), ("yes", False)):
        assert read(labels={names.IGNORE_DEFAULT_TREE: written}).shares_default_tree is meant


@pytest.mark.parametrize(
    ("written", "listed", "fault"),
    [
        (None, None, ""),
        (["x", "*"], ("x", "*"), ""),
        ([], (), ""),
        ("x", (), "spec.access.pods: must be a list, got 'x'"),
        (
            ["x", "X Y"],
            ("x",),
            "spec.access.pods[1]: must be the name of a namespace, or '*' for all, got 'X Y'",
        ),
    ],
)
def test_what_is_unreadable_in_a_list_of_namespaces_allows_none(
    written: object, listed: tuple[str, ...] | None, fault: str
) -> None:
    quota = read({"access": {"pods": written, "children": written}})
    assert (quota.allowed_namespaces, quota.child_namespaces) == (listed, listed)
    assert tuple(map(str, quota.faults)) == (
        (fault, fault.replace("pods", "children")) if fault else ()
    )


def test_each_label_of_its_nodes_names_values() -> None:
    odds: tuple[object, ...] = ("gpu", [], 5)
    for odd in odds:
        (fault,) = map(str, read({"nodeSelector": odd}).faults)
        assert fault == f"spec.nodeSelector: must be a map, got {fields.shown(odd)}"
    written = {"gpu": [], "model": "a100", "zone": ["a b"], "a b": ["c"]}
    assert tuple(map(str, read({"nodeSelector": written}).faults)) == (
        "spec.nodeSelector.gpu: In on gpu must name values",
        "spec.nodeSelector.model: must be a list, got 'a100'",
        "spec.nodeSelector.model: In on model must name values",
        "spec.nodeSelector.zone[0]: must be a text of at most 63 letters, digits, '-', '_' and "
        "'.', got 'a b'",
        "spec.nodeSelector: 'a b' is not the name of a label",
    )


def test_a_misspelled_setting_is_reported() -> None:
    written = {"queue": {"polciy": "Strict"}, "reclaim": {"Grace": "1s"}, "tree": {"mode": "x"}}
    assert tuple(map(str, read(written).warnings)) == (
        "spec.queue.polciy: is no field of queue; did you mean policy?",
        "spec.reclaim.Grace: is no field of reclaim; did you mean grace?",
        "spec.tree.mode: is no field of tree; it takes enforcement, guaranteeUsage, capacity, "
        "pools, poolResources",
    )


def test_only_a_root_quota_states_pools_and_garbage_on_it_states_none() -> None:
    """A tenant who writes the field of a quota of its own changes nothing."""
    said = {"tree": {"pools": [{"name": "a100", "nodeLabels": {"gpu": "a100"}}]}}
    root = {names.IS_ROOT: "true"}
    assert read(said).pools is None
    found = read(said, labels=root).pools
    assert found is not None
    assert found.names == ("a100",)
    garbled = read({"tree": {"pools": [{}]}}, labels=root)
    assert (garbled.pools, garbled.faults) == (None, ())
