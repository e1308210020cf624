"""Objects that state the size of pod groups are in the ledger, from when their kind is served."""

from typing import Any

import writer_fixture
from api_double import Refusal
from api_double.kinds import Kind
from api_double.waiting import until
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.pod_groups import table
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.informers.group_objects import GroupObjects
from writer_fixture import Scene


GROUPS = Resource("scheduling.volcano.sh", "v1beta1", "podgroups")
TRAIN = Key("team", "volcano/train")


def groups(scene: Scene) -> GroupObjects:
    return GroupObjects(scene.context(), table.chosen(["volcano", "yunikorn"]), every=0.01)


def serve(scene: Scene) -> None:
    scene.double.serve(Kind(GROUPS, "PodGroup"))


def put(scene: Scene, size: Any) -> None:
    metadata = {"namespace": "team", "name": "train"}
    scene.double.put(GROUPS, {"metadata": metadata, "spec": {"minMember": size}})


async def test_objects_come_change_and_go(scene: Scene) -> None:
    serve(scene)
    put(scene, 3)
    async with writer_fixture.at_work(groups(scene)) as known:
        await until(known.filled[0].is_set)
        assert scene.ledger.group_objects == {TRAIN: GroupObject(TRAIN, 3)}
        assert scene.ledger.group_kinds == {"volcano"}
        put(scene, "many")
        await until(lambda: scene.ledger.group_objects[TRAIN].size == 0)
        assert "spec.minMember must be 1 to 99999" in scene.ledger.group_objects[TRAIN].fault
        await scene.api.delete(GROUPS, "team", "train")
        await until(lambda: not scene.ledger.group_objects)
    assert scene.touches >= 3


async def test_a_kind_that_is_installed_later_is_followed_from_then_on(scene: Scene) -> None:
    async with writer_fixture.at_work(groups(scene)) as known:
        await until(known.filled[0].is_set)
        assert scene.ledger.group_kinds == set()
        serve(scene)
        put(scene, 2)
        await until(lambda: scene.ledger.group_kinds == {"volcano"})
        assert scene.ledger.group_objects == {TRAIN: GroupObject(TRAIN, 2)}


async def test_objects_that_may_not_be_read_delay_nothing_and_hold_no_pod(scene: Scene) -> None:
    serve(scene)
    scene.double.faults.answer(Refusal(403, "Forbidden", "no"), times=1000, path="podgroups")
    async with writer_fixture.at_work(groups(scene)) as known:
        await until(known.filled[0].is_set)
        assert scene.ledger.group_kinds == set()


async def test_nothing_is_watched_for_systems_without_objects(scene: Scene) -> None:
    known = GroupObjects(scene.context(), table.chosen(["yunikorn"]))
    assert list(known.filled) == []
    await known.run()


async def test_groups_below_a_composite_group_list_each_other(scene: Scene) -> None:
    found, above = (
        Resource("scheduling.k8s.io", version, plural)
        for version, plural in (("v1beta1", "podgroups"), ("v1alpha3", "compositepodgroups"))
    )
    scene.double.serve(Kind(found, "PodGroup"))
    scene.double.serve(Kind(above, "CompositePodGroup"))

    def put_below(name: str) -> None:
        policy = {"gang": {"minCount": 2}}
        spec = {"parentCompositePodGroupName": "train", "schedulingPolicy": policy}
        metadata = {"namespace": "team", "name": name}
        scene.double.put(found, {"metadata": metadata, "spec": spec})

    put_below("a")
    put_below("b")
    spec = {"schedulingPolicy": {"gang": {"minGroupCount": 2}}}
    metadata = {"namespace": "team", "name": "train"}
    scene.double.put(above, {"metadata": metadata, "spec": spec})
    both = (Key("team", "kubernetes/a"), Key("team", "kubernetes/b"))
    async with writer_fixture.at_work(
        GroupObjects(scene.context(), table.chosen(["kubernetes"]), every=0.01)
    ) as known:
        await until(lambda: all(each.is_set() for each in known.filled))
        assert [each.together for each in scene.ledger.group_objects.values()] == [both, both]
        await scene.api.delete(found, "team", "b")
        alone = "1 of 2 groups of CompositePodGroup team/train are there"
        await until(lambda: [*scene.ledger.group_objects] == [both[0]])
        await until(lambda: scene.ledger.group_objects[both[0]].fault == alone)
        await scene.api.delete(above, "team", "train")
        await until(lambda: "does not exist" in scene.ledger.group_objects[both[0]].fault)
