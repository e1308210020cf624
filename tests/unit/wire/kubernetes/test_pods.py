"""What of a pod manifest is read beside its size (``test_pod_size``)."""

from typing import Any

import msgspec
import pytest

from elasticquota import names, resources
from elasticquota.model import moments
from elasticquota.model.group import Group
from elasticquota.model.pod import Pod
from elasticquota.wire.kubernetes import pods


def read(metadata: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> Pod:
    manifest = {"metadata": metadata or {}, "spec": spec or {}}
    return pods.read(msgspec.convert(manifest, pods.PodManifest))


def test_a_pod_is_gone_after_its_deletion_timestamp_and_the_grace() -> None:
    deleted = {"deletionTimestamp": "1970-01-01T00:02:00Z", "deletionGracePeriodSeconds": 30}
    assert read(deleted).gone_after == 150_000


def test_a_pod_without_grace_is_gone_at_its_deletion_timestamp() -> None:
    for grace in ({}, {"deletionGracePeriodSeconds": None}, {"deletionGracePeriodSeconds": 0}):
        deleted = {"deletionTimestamp": "1970-01-01T00:02:00Z", **grace}
        assert read(deleted).gone_after == 120_000


def test_a_pod_that_is_not_deleted_is_never_gone() -> None:
    assert read().gone_after is None


def test_only_a_daemon_set_that_controls_a_pod_makes_it_a_daemon() -> None:
    for kind, controls, daemon in (
        ("DaemonSet", True, True),
        ("DaemonSet", False, False),
        ("DaemonSet", None, False),
        ("ReplicaSet", True, False),
    ):
        owner = {"kind": kind, "name": "a", "controller": controls}
        assert read({"ownerReferences": [owner]}).daemon is daemon


OWNER = {"kind": "Job", "name": "train", "controller": True}


@pytest.mark.parametrize(
    ("metadata", "group"),
    [
        ({}, None),
        # A pod group with a size, as annotation or label.
        (
            {"labels": {names.POD_GROUP: "g"}, "annotations": {names.POD_GROUP_SIZE: "5"}},
            Group("g", 5),
        ),
        ({"labels": {names.POD_GROUP: "g", names.POD_GROUP_SIZE: "5"}}, Group("g", 5)),
        # The label alone is for the coscheduling plugin.
        ({"labels": {names.POD_GROUP: "g"}}, None),
        ({"annotations": {names.POD_GROUP_SIZE: "5"}}, None),
        # Impossible sizes.
        *(
            ({"labels": {names.POD_GROUP: "g"}, "annotations": {names.POD_GROUP_SIZE: text}}, none)
            for none in (Group("g", 0),)
            for text in ("0", "-1", "1.5", "five", "100000", "1_0", "٥", " 5")
        ),
        # The pods of one Job.
        (
            {
                "annotations": {names.ALL_OR_NOTHING: "true", names.POD_GROUP_SIZE: "4"},
                "ownerReferences": [OWNER],
            },
            Group("job/train", 4),
        ),
        (
            {"labels": {names.ALL_OR_NOTHING: "true"}, "ownerReferences": [OWNER]},
            Group("job/train", 0),
        ),
        ({"annotations": {names.ALL_OR_NOTHING: "True"}, "ownerReferences": [OWNER]}, None),
        ({"annotations": {names.POD_GROUP_SIZE: "4"}, "ownerReferences": [OWNER]}, None),
        ({"annotations": {names.ALL_OR_NOTHING: "true"}}, None),
        (
            {
                "annotations": {names.ALL_OR_NOTHING: "true"},
                "ownerReferences": [{**OWNER, "controller": False}],
            },
            None,
        ),
    ],
)
def test_the_group_of_a_pod_is_what_its_metadata_say(
    metadata: dict[str, Any], group: Group | None
) -> None:
    assert read(metadata).group == group


@pytest.mark.parametrize(
    ("metadata", "doubt"),
    [
        (
            {"labels": {names.PREEMPTIBLE: "maybe"}},
            "quota.scheduling.koordinator.sh/preemptible must be true or false, got 'maybe'",
        ),
        (
            {"labels": {names.PREEMPTIBLE: "False"}},
            "quota.scheduling.koordinator.sh/preemptible must be true or false, got 'False'",
        ),
        (
            {"annotations": {names.ALL_OR_NOTHING: "yes"}},
            "elasticquota.dev/all-or-nothing must be true or false, got 'yes'",
        ),
        (
            {"annotations": {names.EVICT_LAST: "yes"}},
            "elasticquota.dev/evict-last must be true or false, got 'yes'",
        ),
        (
            {"annotations": {names.POD_GROUP_SIZE: "100000"}},
            "elasticquota.dev/pod-group-size must be 1 to 99999, got '100000'",
        ),
        (
            {"labels": {names.POD_GROUP_SIZE: "many"}},
            "elasticquota.dev/pod-group-size must be 1 to 99999, got 'many'",
        ),
    ],
)
def test_a_mark_that_says_nothing_is_a_doubt_about_the_pod(
    metadata: dict[str, Any], doubt: str
) -> None:
    pod = read(metadata)
    assert pod.warnings == (doubt,)
    assert (pod.preemptible, pod.group) == (True, None)


@pytest.mark.parametrize(
    ("annotations", "last"),
    [
        ({}, False),
        ({names.EVICT_LAST: "true"}, True),
        ({names.EVICT_LAST: "yes"}, False),
        ({names.ALLOW_PREEMPTION: "false"}, True),
        ({names.ALLOW_PREEMPTION: "true"}, False),
        ({names.ALLOW_PREEMPTION: "False"}, False),
        ({names.EVICT_LAST: "false", names.ALLOW_PREEMPTION: "false"}, False),
    ],
)
def test_a_pod_says_in_our_or_yunikorns_words_that_it_is_evicted_last(
    annotations: dict[str, str], last: bool
) -> None:
    assert read({"annotations": annotations}).evict_last is last


def test_marks_that_say_something_are_none() -> None:
    marks = {names.PREEMPTIBLE: "false", names.ALL_OR_NOTHING: "true", names.POD_GROUP_SIZE: "3"}
    assert read({"labels": marks}).warnings == ()


@pytest.mark.parametrize("spec", [{}, {"schedulerName": ""}, {"schedulerName": None}])
def test_a_pod_is_for_the_stock_scheduler_unless_it_names_another(spec: dict[str, Any]) -> None:
    assert read(spec=spec).scheduler == "default-scheduler"
    assert read(spec={"schedulerName": "other"}).scheduler == "other"


def unplaced(metadata: dict[str, Any], transition: str | None = None, **spec: Any) -> int | None:
    scheduled = {"type": "PodScheduled", "status": "False", "lastTransitionTime": transition}
    manifest = {"metadata": metadata, "spec": spec, "status": {"conditions": [scheduled]}}
    return pods.read(msgspec.convert(manifest, pods.PodManifest)).unplaced_since


RELEASED = {"labels": {names.ADMITTED_AT: "90"}}


def test_a_pod_without_node_is_unplaced_since_its_release() -> None:
    assert unplaced(RELEASED) == 90_000
    assert unplaced(RELEASED, "1970-01-01T00:02:00Z") == 90_000


def test_a_pod_that_was_never_held_is_unplaced_since_the_scheduler_found_no_node() -> None:
    assert unplaced({}, "1970-01-01T00:02:00Z") == 120_000
    assert unplaced({"labels": {names.ADMITTED_AT: "soon"}}, "1970-01-01T00:02:00Z") == 120_000
    assert unplaced({}) is None


def test_a_pod_with_a_node_or_with_our_gate_is_not_unplaced() -> None:
    assert unplaced(RELEASED, nodeName="n") is None
    assert unplaced(RELEASED, schedulingGates=[{"name": names.GATE}]) is None


def test_moments_are_exact() -> None:
    assert moments.read("2026-02-28T23:59:59Z") == 1_772_323_199_000
    assert moments.read("2026-03-01T00:00:00Z") == 1_772_323_200_000


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00"),
        *("2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "٢٠٢٦-01-01T00:00:00Z"),
    ],
)
def test_what_the_api_server_does_not_write_is_no_moment(text: str) -> None:
    assert moments.read(text) is None


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
OURS = {"name": names.GATE}


def bound_to(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}


def in_values(key: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


def test_overhead_is_known_apart_from_the_request_that_holds_it() -> None:
    asked = [{"resources": {"requests": {"cpu": "4", "memory": "8Gi"}}}]
    pod = read(spec={"containers": asked, "overhead": {"cpu": "1", "example.com/fan": "2"}})
    assert pod.request == {"cpu": 5000, "memory": 2**33, "example.com/fan": 2, "pods": 1}
    assert pod.overhead == {"cpu": 1000, "example.com/fan": 2}


@pytest.mark.parametrize(("asked", "added"), [("500m", "500m"), ("500m", "600m"), ("1", "1m")])
def test_without_its_overhead_a_pod_asks_for_what_it_would_have_asked_for(
    asked: str, added: str
) -> None:
    """Fractions are rounded up once, so the rounded parts need not add up to the rounded whole."""
    containers = [{"resources": {"requests": {"memory": asked}}}]
    bare, whole = (
        read(spec={"containers": containers}),
        read(spec={"containers": containers, "overhead": {"memory": added}}),
    )
    assert bare.overhead == {}
    left = resources.subtract(whole.request, whole.overhead)
    assert left == bare.request


@pytest.mark.parametrize(
    ("spec", "may_preempt"),
    [
        ({}, True),
        ({"preemptionPolicy": None}, True),
        ({"preemptionPolicy": "PreemptLowerPriority"}, True),
        ({"preemptionPolicy": "Never"}, False),
    ],
)
def test_a_pod_may_preempt_unless_its_policy_is_never(
    spec: dict[str, Any], may_preempt: bool
) -> None:
    assert read(spec=spec).may_preempt is may_preempt


def test_pods_of_one_usual_shape_share_their_request_and_huge_ones_are_not_remembered() -> None:
    def of(containers: int) -> Pod:
        container = {"name": "a", "resources": {"requests": {"cpu": "1"}}}
        return read(spec={"containers": [container] * containers})

    assert of(3).request is of(3).request
    assert of(40).request == of(40).request
    assert of(40).request is not of(40).request
