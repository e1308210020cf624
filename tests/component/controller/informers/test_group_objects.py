"""Objects that state the size of pod groups are in the ledger, from when their kind is served."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

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


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with writer_fixture.scene() as found:
        yield found


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
    known = groups(scene)
    async with writer_fixture.at_work(known):
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
    known = groups(scene)
    async with writer_fixture.at_work(known):
        await until(known.filled[0].is_set)
        assert scene.ledger.group_kinds == set()
        serve(scene)
        put(scene, 2)
        await until(lambda: scene.ledger.group_kinds == {"volcano"})
        assert scene.ledger.group_objects == {TRAIN: GroupObject(TRAIN, 2)}


async def test_objects_that_may_not_be_read_delay_nothing_and_hold_no_pod(scene: Scene) -> None:
    serve(scene)
    scene.double.faults.answer(Refusal(403, "Forbidden", "no"), times=1000, path="podgroups")
    known = groups(scene)
    async with writer_fixture.at_work(known):
        await until(known.filled[0].is_set)
        assert scene.ledger.group_kinds == set()


async def test_nothing_is_watched_for_systems_without_objects(scene: Scene) -> None:
    known = GroupObjects(scene.context(), table.chosen(["yunikorn"]))
    assert list(known.filled) == []
    await known.run()
