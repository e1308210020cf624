"""Ungating sends the pod to the nodes of its tree, by the selector at that moment."""

import time
from typing import Any

import pytest

from api_double import refusals
from elasticquota import names
from elasticquota.model.decision import Release
from elasticquota.model.key import Key
from elasticquota.model.selector import EVERYTHING, Requirement, Selector
from elasticquota_kube.client import paths
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.writers import ungate
from writer_fixture import Scene


KEY = Key("team", "a")
POOL = Selector((Requirement("pool", "In", ("gpu",)),))
IN_POOL = {"key": "pool", "operator": "In", "values": ["gpu"]}
IN_ZONE = {"key": "zone", "operator": "In", "values": ["east"]}


def required(*expressions: dict[str, Any]) -> dict[str, Any]:
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": list(expressions)}]
            }
        }
    }


async def open_gate(scene: Scene, uid: str, nodes: Selector = POOL) -> None:
    release = Release(KEY, uid, "team-a", 0, "admitted", nodes)
    await ungate.open_gate(scene.api, release, scene.ledger.pods[KEY])


def spec(scene: Scene) -> dict[str, Any]:
    found: dict[str, Any] = scene.double.object(paths.PODS, "team", "a")["spec"]
    return found


PREFERRED = {
    "preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "preference": {"matchExpressions": [IN_ZONE]}}
    ]
}
OF_POOL = {"pool": "gpu"}

AFFINITIES: dict[str, tuple[dict[str, Any], dict[str, Any] | None, tuple[int, int]]] = {
    "none": ({}, required(IN_POOL), (0, 1)),
    "preferences, which the cache does not store": (
        {"affinity": {"nodeAffinity": PREFERRED}},
        {"nodeAffinity": PREFERRED | required(IN_POOL)["nodeAffinity"]},
        (1, 2),
    ),
    "for other nodes": ({"affinity": required(IN_ZONE)}, required(IN_ZONE, IN_POOL), (1, 1)),
    "for the nodes of its tree": ({"affinity": required(IN_POOL)}, required(IN_POOL), (0, 1)),
    "a selector of these nodes": ({"nodeSelector": OF_POOL}, None, (0, 1)),
    "a selector of these nodes, and an affinity": (
        {"nodeSelector": OF_POOL, "affinity": required(IN_ZONE)},
        required(IN_ZONE),
        (0, 1),
    ),
    "a selector of other nodes": ({"nodeSelector": {"zone": "east"}}, required(IN_POOL), (0, 1)),
}
"""What a pod chooses itself, its affinity after the ungating, and how many reads and patches."""


@pytest.mark.parametrize(("chosen", "expected", "calls"), AFFINITIES.values(), ids=AFFINITIES)
async def test_a_pod_gets_what_it_lacks_of_the_nodes_of_its_tree_with_its_ungating(
    scene: Scene, chosen: dict[str, Any], expected: dict[str, Any] | None, calls: tuple[int, int]
) -> None:
    await open_gate(scene, scene.pod("a", **chosen))
    assert spec(scene).get("affinity") == expected
    assert spec(scene)["schedulingGates"] == []
    labels = scene.double.object(paths.PODS, "team", "a")["metadata"]["labels"]
    assert labels.keys() == {names.QUOTA_NAME, names.ADMITTED_AT}
    assert (scene.double.count("GET", "/pods/a"), scene.double.count("PATCH")) == calls


@pytest.mark.parametrize("label", ["team-a", ""], ids=["at once", "after a look"])
@pytest.mark.parametrize("nodes", [EVERYTHING, POOL], ids=["of all nodes", "of some nodes"])
async def test_ungating_is_one_patch_that_writes_its_time_on_the_pod_and_keeps_its_labels(
    scene: Scene, label: str, nodes: Selector
) -> None:
    """A pod without labels is read again: of another the patch would add one to a missing map."""
    await open_gate(scene, scene.pod("a", label=label, containers=asks("1")), nodes)
    labels = scene.double.object(paths.PODS, "team", "a")["metadata"]["labels"]
    assert labels.keys() == {names.ADMITTED_AT, *([names.QUOTA_NAME] if label else [])}
    assert 0 <= time.time() - int(labels[names.ADMITTED_AT]) < 60
    assert spec(scene)["schedulingGates"] == []
    assert spec(scene).get("affinity") == (required(IN_POOL) if nodes is POOL else None)
    reads = 0 if label else 1
    assert (scene.double.count("GET", "/pods/a"), scene.double.count("PATCH")) == (reads, 1)


def asks(cpu: str) -> list[dict[str, Any]]:
    return [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]


@pytest.mark.parametrize("present", [None, {}, {"of": "a user"}])
async def test_ungating_adds_the_annotations_of_a_release_and_keeps_those_of_the_pod(
    scene: Scene, present: dict[str, str] | None
) -> None:
    uid = scene.pod("a")

    def annotate(pod: dict[str, Any]) -> None:
        if present is not None:
            pod["metadata"]["annotations"] = present

    scene.double.edit(paths.PODS, "team", "a", annotate)
    added = {"autoscaling.x-k8s.io/consume-provisioning-request": "train-1"}
    release = Release(KEY, uid, "team-a", 0, "admitted", annotations=added)
    await ungate.open_gate(scene.api, release, scene.ledger.pods[KEY])
    assert spec(scene)["schedulingGates"] == []
    found = scene.double.object(paths.PODS, "team", "a")["metadata"]["annotations"]
    assert found == {**(present or {}), **added}


async def test_a_gate_that_has_moved_is_found_again(scene: Scene) -> None:
    uid = scene.pod("a", gates=(names.GATE,))
    others = [{"name": "someone/else"}, {"name": names.GATE}]
    scene.double.edit(
        paths.PODS, "team", "a", lambda pod: pod["spec"].update(schedulingGates=others)
    )
    await open_gate(scene, uid, EVERYTHING)
    assert spec(scene)["schedulingGates"] == [{"name": "someone/else"}]


@pytest.mark.parametrize("nodes", [EVERYTHING, POOL], ids=["at once", "after a look"])
@pytest.mark.parametrize(
    ("before", "after"), [("team-a", "team-b"), ("team-a", ""), ("", "team-b")]
)
async def test_a_pod_whose_quota_changed_is_not_admitted(
    scene: Scene, before: str, after: str, nodes: Selector
) -> None:
    uid = scene.pod("a", label=before)
    scene.relabel("a", after)
    with pytest.raises(ApiError) as raised:
        await open_gate(scene, uid, nodes)
    assert raised.value.reason == ungate.CHANGED
    assert raised.value.message == (
        f"its quota label changed from '{before}' to '{after}' while it was being released, "
        "so it is judged again"
    )
    assert spec(scene)["schedulingGates"] == [{"name": names.GATE}]


def grow(pod: dict[str, Any]) -> None:
    pod["spec"]["containers"] = asks("9")


def become_firm(pod: dict[str, Any]) -> None:
    pod["metadata"].setdefault("labels", {})[names.PREEMPTIBLE] = "false"


def become_important(pod: dict[str, Any]) -> None:
    pod["spec"]["priority"] = 9


def want_other_nodes(pod: dict[str, Any]) -> None:
    pod["spec"]["nodeSelector"] = {"disk": "ssd"}


CHANGES: dict[str, tuple[Any, str]] = {
    "grown": (grow, "request"),
    "not preemptible any more": (become_firm, "preemptibility"),
    "more important": (become_important, "priority"),
    "for other nodes": (want_other_nodes, "choice of nodes"),
}


@pytest.mark.parametrize("label", ["team-a", ""], ids=["at once", "after a look"])
@pytest.mark.parametrize(("change", "what"), CHANGES.values(), ids=CHANGES)
async def test_a_pod_whose_judged_fields_change_is_not_admitted(
    scene: Scene, change: Any, what: str, label: str
) -> None:
    uid = scene.pod("a", label=label, containers=asks("1"))
    scene.double.edit(paths.PODS, "team", "a", change)
    with pytest.raises(ApiError) as raised:
        await open_gate(scene, uid, EVERYTHING)
    assert raised.value.reason == ungate.CHANGED
    assert raised.value.message == (
        f"its {what} changed while it was being released, so it is judged again"
    )
    assert spec(scene)["schedulingGates"] == [{"name": names.GATE}]


def get_a_message(pod: dict[str, Any]) -> None:
    pod["status"]["conditions"][0]["message"] = "wait"


def get_a_deadline(pod: dict[str, Any]) -> None:
    pod["spec"]["activeDeadlineSeconds"] = 60


@pytest.mark.parametrize(
    ("change", "calls"),
    [(get_a_message, (0, 1)), (get_a_deadline, (1, 2))],
    ids=["a message costs nothing", "an edit of other fields costs one read"],
)
async def test_what_it_was_not_judged_by_may_change_meanwhile(
    scene: Scene, change: Any, calls: tuple[int, int]
) -> None:
    uid = scene.pod("a", containers=asks("1"))
    scene.double.edit(paths.PODS, "team", "a", change)
    await open_gate(scene, uid, EVERYTHING)
    assert spec(scene)["schedulingGates"] == []
    assert (scene.double.count("GET", "/pods/a"), scene.double.count("PATCH")) == calls


async def test_a_pod_that_gets_a_label_after_it_was_read_is_not_admitted(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    uid = scene.pod("a", label="")
    patch = scene.api.patch

    async def patch_second(*place: Any, **options: Any) -> Any:
        scene.relabel("a", "team-b")
        return await patch(*place, **options)

    monkeypatch.setattr(scene.api, "patch", patch_second)
    with pytest.raises(ApiError) as raised:
        await open_gate(scene, uid, EVERYTHING)
    assert raised.value.reason == ungate.CHANGED


@pytest.mark.parametrize(
    "refusal",
    [
        refusals.invalid("the test of the patch failed"),
        refusals.Refusal(409, "Conflict", "the object has been modified"),
        refusals.Refusal(412, "PreconditionFailed", "not that one"),
    ],
    ids=["422", "409", "412"],
)
async def test_a_pod_that_changes_meanwhile_is_read_again(
    scene: Scene, refusal: refusals.Refusal
) -> None:
    uid = scene.pod("a", affinity=required(IN_ZONE))
    scene.double.faults.answer(refusal, times=2, method="PATCH")
    await open_gate(scene, uid)
    assert spec(scene)["affinity"] == required(IN_ZONE, IN_POOL)
    assert scene.double.count("GET", "/pods/a") == 3


async def test_a_patch_for_the_pod_as_read_is_not_applied_to_a_changed_pod(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user narrows the pod between our read and our write; no node was checked for that."""
    uid = scene.pod("a")
    patch, others = scene.api.patch, [required(IN_ZONE)]

    async def patch_second(*place: Any, **options: Any) -> Any:
        if others:
            found = others.pop()
            scene.double.edit(paths.PODS, "team", "a", lambda p: p["spec"].update(affinity=found))
        return await patch(*place, **options)

    monkeypatch.setattr(scene.api, "patch", patch_second)
    with pytest.raises(ApiError) as raised:
        await open_gate(scene, uid)
    assert raised.value.reason == ungate.CHANGED
    assert spec(scene)["affinity"] == required(IN_ZONE)


async def test_a_pod_that_keeps_changing_is_retried_later(scene: Scene) -> None:
    uid = scene.pod("a", affinity=required(IN_ZONE))
    scene.double.faults.answer(refusals.invalid("no"), times=9, method="PATCH")
    with pytest.raises(ApiError) as raised:
        await open_gate(scene, uid)
    assert raised.value.is_invalid
    assert scene.double.count("PATCH") == ungate.READS


async def test_a_gate_that_is_already_removed_is_no_error(scene: Scene) -> None:
    uid = scene.pod("a")
    scene.double.edit(paths.PODS, "team", "a", lambda pod: pod["spec"].pop("schedulingGates"))
    await open_gate(scene, uid)
    assert "affinity" not in spec(scene)


@pytest.mark.parametrize("nodes", [EVERYTHING, POOL], ids=["at once", "after a look"])
@pytest.mark.parametrize("label", ["team-a", ""])
async def test_a_terminating_pod_keeps_its_gate(scene: Scene, label: str, nodes: Selector) -> None:
    """Its capacity was given to other pods when it was deleted; a Job's pod stays until counted."""
    uid = scene.pod("a", label=label, affinity=required(IN_ZONE))
    tracked = {"finalizers": ["batch.kubernetes.io/job-tracking"]}
    scene.double.edit(paths.PODS, "team", "a", lambda pod: pod["metadata"].update(tracked))
    await scene.api.delete(paths.PODS, "team", "a")
    with pytest.raises(ApiError) as raised:
        await open_gate(scene, uid, nodes)
    assert raised.value.is_not_found
    assert raised.value.message == "team/a is on its way out"
    assert spec(scene)["schedulingGates"] == [{"name": names.GATE}]


async def test_the_successor_of_the_pod_is_another_pod(scene: Scene) -> None:
    uid = scene.pod("a")
    scene.double.remove(paths.PODS, "team", "a")
    scene.pod("a")
    with pytest.raises(ApiError) as raised:
        await open_gate(scene, uid)
    assert raised.value.is_not_found
    assert spec(scene)["schedulingGates"] == [{"name": names.GATE}]
