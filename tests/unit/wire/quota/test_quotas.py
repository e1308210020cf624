"""Reading an ElasticQuota: what is understood, and the sentence for what is not."""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.model.quota import NOT_EVER, Quota
from elasticquota.wire.quota import quotas


def read(
    spec: dict[str, Any] | None = None,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
) -> Quota:
    manifest = {
        "metadata": {
            "name": "team-a",
            "namespace": "teams",
            "labels": labels,
            "annotations": annotations,
        },
        "spec": spec,
    }
    return quotas.read(msgspec.convert(manifest, quotas.QuotaManifest))


def test_an_empty_quota_has_no_guarantee_no_limit_and_lends() -> None:
    quota = read()
    assert (quota.min, quota.max, quota.shared_weight) == ({}, {}, None)
    assert quota.parent == names.ROOT_QUOTA
    assert quota.allow_lent
    assert quota.faults == ()


@pytest.mark.parametrize(
    ("written", "strict"),
    [(None, False), ("BestEffort", False), ("Strict", True), ("strict", False), (5, False)],
)
def test_a_queue_is_best_effort_unless_it_is_strict(written: object, strict: bool) -> None:
    assert read({"queue": {"policy": written}}).strict_queue is strict


def test_an_unknown_word_counts_as_missing_and_is_reported() -> None:
    quota = read({"queue": {"policy": "strict", "order": "priority", "applications": 5}})
    assert tuple(map(str, quota.warnings)) == (
        "spec.queue.policy: must be one of BestEffort, Strict, got 'strict', which counts as "
        "missing",
        "spec.queue.applications: must be one of Fifo, Fair, got 5, which counts as missing",
        "spec.queue.order: must be one of Priority, Age, got 'priority', which counts as missing",
    )
    assert quota.faults == ()
    assert read({"queue": {"policy": "BestEffort"}}).warnings == ()


def test_amounts_are_read_in_accounting_units() -> None:
    quota = read({"min": {"cpu": "1500m", "memory": "1Gi"}, "max": {"cpu": 4, "memory": "2Gi"}})
    assert quota.min == {"cpu": 1500, "memory": 1024**3}
    assert quota.max == {"cpu": 4000, "memory": 2 * 1024**3}


FAULTS: list[tuple[str, dict[str, Any], dict[str, str], str]] = [
    (
        "a negative amount",
        {"max": {"cpu": "-1"}},
        {},
        "spec.max.cpu: must not be negative, got -1",
    ),
    (
        "min above max",
        {"min": {"cpu": "3"}, "max": {"cpu": "2"}},
        {},
        "spec.min.cpu: 3 must be less than or equal to 2, the max of the same resource. Lower min, "
        "or raise max",
    ),
    (
        "min without max",
        {"min": {"memory": "1Gi"}, "max": {"cpu": "2"}},
        {},
        "spec.min.memory: must also be named in spec.max. Add it there, or leave max out for no "
        "limit",
    ),
    (
        "a weight that is no JSON",
        {},
        {names.SHARED_WEIGHT: "{cpu"},
        (
            f"metadata.annotations[{names.SHARED_WEIGHT}]: must be a JSON map like "
            '{"cpu": "4"}, got \'{cpu\''
        ),
    ),
    (
        "an admission below zero",
        {},
        {names.ADMISSION: '{"cpu": "-1"}'},
        f"metadata.annotations[{names.ADMISSION}].cpu: must not be negative, got -1",
    ),
    (
        "bound namespaces that are no list",
        {},
        {names.NAMESPACES: '{"a": 1}'},
        (
            f"metadata.annotations[{names.NAMESPACES}]: must be a JSON list like "
            '["a", "b"], got \'{"a": 1}\''
        ),
    ),
]


@pytest.mark.parametrize(
    ("spec", "annotations", "fault"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_what_is_not_understood_is_said(
    spec: dict[str, Any], annotations: dict[str, str], fault: str
) -> None:
    assert tuple(map(str, read(spec, annotations=annotations).faults)) == (fault,)


def test_deeply_nested_annotation_garbage_is_a_fault_and_no_crash() -> None:
    (fault,) = map(str, read(annotations={names.NAMESPACES: "[" * 50_000}).faults)
    assert fault.endswith(f"got '{'[' * 40}...'")


def test_control_characters_never_reach_a_message() -> None:
    (fault,) = map(str, read(annotations={names.NAMESPACES: "a\nb\x1b[31m"}).faults)
    assert "\n" not in fault
    assert "\x1b" not in fault


def test_the_good_part_of_a_bad_quota_still_counts() -> None:
    quota = read({"max": {"cpu": "4", "memory": "1e99999999"}})
    assert quota.max == {"cpu": 4000}
    assert len(quota.faults) == 1


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


@pytest.mark.parametrize(
    ("written", "grace"), [(None, None), ("1m", 60_000), ("0s", 0), ("soon", None), ("30", None)]
)
def test_a_quota_may_have_its_own_grace(written: object, grace: int | None) -> None:
    assert read({"reclaim": {"grace": written}}).reclaim_grace == grace


@pytest.mark.parametrize("written", ["gpu", [], 5])
def test_nodes_that_cannot_be_read_are_a_fault(written: object) -> None:
    (fault,) = map(str, read({"nodeSelector": written}).faults)
    assert fault.startswith("spec.nodeSelector: must be a map, got ")


def test_each_label_of_its_nodes_names_values() -> None:
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


def test_a_grace_that_cannot_be_read_counts_as_that_of_all_and_is_reported() -> None:
    (doubt,) = map(str, read({"reclaim": {"grace": "-1"}}).warnings)
    assert doubt == ("spec.reclaim.grace: must be a duration like '30s', from 0s to 24h, got '-1'")


@pytest.mark.parametrize(
    ("written", "policy"),
    [
        (None, ""),
        ("Default", "Default"),
        ("Fence", "Fence"),
        ("Disabled", "Disabled"),
        ("fence", ""),
    ],
)
def test_a_quota_may_have_a_preemption_policy(written: object, policy: str) -> None:
    assert read({"reclaim": {"preemption": written}}).preemption == policy


@pytest.mark.parametrize(
    ("written", "delay"),
    [
        (None, None),
        ("Never", NOT_EVER),
        ("5m", 300_000),
        ("0s", 0),
        ("never", None),
        ("2d", None),
    ],
)
def test_a_quota_may_have_its_own_delay_for_what_exceeds_its_max(
    written: object, delay: int | None
) -> None:
    assert read({"reclaim": {"overMaxDelay": written}}).over_max_delay == delay


def test_unknown_policies_and_delays_count_as_missing_and_are_reported() -> None:
    found = read({"reclaim": {"preemption": "fence", "overMaxDelay": "2d"}}).warnings
    assert tuple(map(str, found)) == (
        "spec.reclaim.preemption: must be one of Default, Fence, Disabled, got 'fence', which "
        "counts as missing",
        "spec.reclaim.overMaxDelay: must be a duration like '15m', from 0s to 24h, got '2d'",
    )


def test_a_queue_may_be_ordered_by_applications_and_without_priority() -> None:
    for written, order in ((None, ""), ("Fifo", "Fifo"), ("Fair", "Fair"), ("fair", "")):
        assert read({"queue": {"applications": written}}).application_order == order
    for written, counts in ((None, True), ("Priority", True), ("Age", False), ("age", True)):
        assert read({"queue": {"order": written}}).orders_by_priority is counts


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


@pytest.mark.parametrize(
    ("written", "paused"), [(None, False), (True, True), (False, False), ("true", False)]
)
def test_a_quota_is_paused_by_true_alone(written: object, paused: bool) -> None:
    quota = read({"paused": written})
    assert quota.paused is paused
    warned = "spec.paused: must be true or false, got 'true', which counts as false"
    assert tuple(map(str, quota.warnings)) == ((warned,) if written == "true" else ())
