"""What of a pod manifest is read beside its size (``test_pod_size``)."""

from typing import Any

import msgspec
import pytest

from elasticquota import names, resources
from elasticquota.model.group import Group
from elasticquota.model.pod import Pod
from elasticquota.wire.kubernetes import pods


def read(metadata: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> Pod:
    manifest = {"metadata": metadata or {}, "spec": spec or {}}
    return pods.read(msgspec.convert(manifest, pods.PodManifest))


@pytest.mark.parametrize(
    ("grace", "gone_after"),
    [
        ({"deletionGracePeriodSeconds": 30}, 150_000),
        ({"deletionGracePeriodSeconds": 0}, 120_000),
        ({"deletionGracePeriodSeconds": None}, 120_000),
        ({}, 120_000),
    ],
)
def test_a_pod_is_gone_after_its_deletion_timestamp_and_the_grace(
    grace: dict[str, Any], gone_after: int
) -> None:
    assert read({"deletionTimestamp": "1970-01-01T00:02:00Z", **grace}).gone_after == gone_after
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
            ({"labels": {names.POD_GROUP: "g", names.POD_GROUP_SIZE: text}}, Group("g", 0))
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
    ("place", "key", "text", "wanted"),
    [
        ("labels", names.PREEMPTIBLE, "maybe", "true or false"),
        ("labels", names.PREEMPTIBLE, "False", "true or false"),
        ("annotations", names.ALL_OR_NOTHING, "yes", "true or false"),
        ("annotations", names.EVICT_LAST, "yes", "true or false"),
        ("annotations", names.POD_GROUP_SIZE, "100000", "1 to 99999"),
        ("labels", names.POD_GROUP_SIZE, "many", "1 to 99999"),
    ],
)
def test_a_mark_that_says_nothing_is_a_doubt_about_the_pod(
    place: str, key: str, text: str, wanted: str
) -> None:
    pod = read({place: {key: text}})
    assert pod.warnings == (f"{key} must be {wanted}, got '{text}'",)
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


RELEASED, SOON = ({"labels": {names.ADMITTED_AT: text}} for text in ("90", "soon"))
TWO = "1970-01-01T00:02:00Z"
GATED = {"schedulingGates": [{"name": names.GATE}]}


@pytest.mark.parametrize(
    ("metadata", "refused", "spec", "since"),
    [
        pytest.param(RELEASED, None, {}, 90_000, id="its release"),
        pytest.param(RELEASED, TWO, {}, 90_000, id="its release, not the refusal after it"),
        pytest.param({}, TWO, {}, 120_000, id="never held, refused by the scheduler"),
        pytest.param(SOON, TWO, {}, 120_000, id="a release that is no time"),
        pytest.param({}, None, {}, None, id="never held nor refused"),
        pytest.param(RELEASED, None, {"nodeName": "n"}, None, id="has a node"),
        pytest.param(RELEASED, None, GATED, None, id="has our gate"),
    ],
)
def test_a_pod_without_node_is_unplaced_since(
    metadata: dict[str, Any], refused: str | None, spec: dict[str, Any], since: int | None
) -> None:
    assert unplaced(metadata, refused, **spec) == since


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
    ("policy", "may_preempt"),
    [({}, True), (None, True), ("PreemptLowerPriority", True), ("Never", False)],
)
def test_a_pod_may_preempt_unless_its_policy_is_never(policy: Any, may_preempt: bool) -> None:
    spec = {} if policy == {} else {"preemptionPolicy": policy}
    assert read(spec=spec).may_preempt is may_preempt
