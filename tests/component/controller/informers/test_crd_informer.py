"""The first version that is served counts, also when it ends; other versions are reported."""

from functools import partial
from typing import Any

import pytest

import writer_fixture
from api_double.kinds import Kind
from api_double.waiting import until
from elasticquota.model.key import Key
from elasticquota.model.unread import Unread
from elasticquota.pod_groups import table
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.informers.group_objects import GroupObjects
from writer_fixture import Scene


DEFINITION = "podgroups.scheduling.k8s.io"
READ = ("v1", "v1beta1", "v1alpha3", "v1alpha2")


def version(name: str) -> Resource:
    return Resource("scheduling.k8s.io", name, "podgroups")


def key(name: str) -> Key:
    return Key("team", f"kubernetes/{name}")


def groups(scene: Scene, **others: Any) -> GroupObjects:
    return GroupObjects(scene.context(**others), table.chosen(["kubernetes"]), every=0.01)


def put(scene: Scene, served: str, name: str, count: int) -> None:
    spec = {"schedulingPolicy": {"gang": {"minCount": count}}}
    metadata = {"namespace": "team", "name": name}
    scene.double.put(version(served), {"metadata": metadata, "spec": spec})


def sizes(scene: Scene) -> dict[Key, int]:
    return {name: found.size for name, found in scene.ledger.group_objects.items()}


@pytest.mark.parametrize(
    ("served", "first"),
    [
        (("v1alpha2",), "v1alpha2"),
        (("v1alpha3", "v1beta1"), "v1beta1"),
        (("v1alpha3", "v1beta1", "v1"), "v1"),
    ],
)
async def test_the_most_preferred_version_that_is_served_is_read(
    scene: Scene, served: tuple[str, ...], first: str
) -> None:
    for number, each in enumerate(served):
        scene.double.serve(Kind(version(each), "PodGroup"))
        put(scene, each, each, number + 2)
    async with writer_fixture.at_work(groups(scene)):
        await until(lambda: scene.ledger.group_kinds == {"kubernetes"})
        assert sizes(scene) == {key(first): served.index(first) + 2}
        assert not scene.ledger.unread


async def test_a_kind_that_is_served_in_other_versions_only_is_reported_until_one_is_read(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.double.serve(Kind(version("v2"), "PodGroup"))
    told: list[tuple[str, bool]] = []
    monkeypatch.setattr(scene.telemetry, "definition_is", lambda *said: told.append(said))
    async with writer_fixture.at_work(groups(scene)) as known:
        await until(known.filled[0].is_set)
        unread = Unread(DEFINITION, ("v2",), READ, "kubernetes")
        assert [*scene.ledger.unread.values()] == [unread]
        assert (DEFINITION, False) in told
        scene.double.serve(Kind(version("v1beta1"), "PodGroup"))
        await until(lambda: not scene.ledger.unread)
        assert scene.ledger.group_kinds == {"kubernetes"}
        assert told[-1] == (DEFINITION, True)


async def test_when_a_version_ends_the_next_one_is_read_and_what_is_gone_is_dropped(
    scene: Scene,
) -> None:
    """As an API server does that is upgraded from 1.36 to 1.37."""
    scene.double.serve(Kind(version("v1alpha2"), "PodGroup"))
    for name in ("stays", "goes"):
        put(scene, "v1alpha2", name, 2)
    async with writer_fixture.at_work(groups(scene)):
        await until(lambda: sizes(scene) == {key("stays"): 2, key("goes"): 2})
        scene.double.serve(Kind(version("v1beta1"), "PodGroup"))
        put(scene, "v1beta1", "stays", 3)
        scene.double.end(version("v1alpha2"))
        await until(partial(_is, scene, {key("stays"): 3}))
        put(scene, "v1beta1", "comes", 4)
        await until(partial(_is, scene, {key("stays"): 3, key("comes"): 4}))
        assert scene.ledger.group_kinds == {"kubernetes"}


def _is(scene: Scene, expected: dict[Key, int]) -> bool:
    return sizes(scene) == expected
