"""An object that cannot be decoded, or is nested deeply, spoils no other."""

import json

import pytest

from api_double.waiting import until
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import read_page
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import watch_lines
from reflected import Pod, Scene


async def test_a_torn_line_loses_nothing(scene: Scene) -> None:
    await scene.synced()
    scene.double.faults.tear_next_line = True
    scene.put("c", 3)
    await scene.shows(a=1, b=2, c=3)
    assert scene.poisoned == []
    assert scene.readings == 1


async def test_a_line_that_is_no_event_is_reported_and_leads_to_a_new_reading(scene: Scene) -> None:
    await scene.synced()
    scene.double.say(paths.PODS, b"<html>not for you</html>")
    await until(lambda: scene.copy.readings == 2)
    assert scene.poisoned == ["unknown"]
    scene.put("c", 3)
    await scene.shows(a=1, b=2, c=3)


async def test_a_damaged_object_is_reported_and_leads_to_a_new_reading(scene: Scene) -> None:
    await scene.synced()
    scene.double.say(paths.PODS, b'{"type":"ADDED","object":{"metadata":}}')
    await until(lambda: scene.copy.readings == 2)
    assert scene.poisoned == ["unknown"]


async def test_a_poisoned_object_is_reported_and_the_others_go_on(scene: Scene) -> None:
    scene.put("bad", "very large")
    await scene.synced()
    assert scene.copy.sizes == {"a": 1, "b": 2}
    assert scene.poisoned == ["team/bad"]
    scene.put("a", "no number")
    scene.put("c", 3)
    await until(lambda: "c" in scene.copy.sizes)
    assert scene.copy.sizes == {"a": 1, "b": 2, "c": 3}
    assert scene.poisoned == ["team/bad", "team/a"]
    scene.put("bad", 7)
    await scene.shows(a=1, b=2, c=3, bad=7)
    assert scene.readings == 1


async def test_a_poisoned_object_on_a_page_spoils_no_other(scene: Scene) -> None:
    scene.double.faults.watch_list = False
    scene.put("bad", "very large")
    await scene.synced()
    assert scene.copy.sizes == {"a": 1, "b": 2}
    assert scene.poisoned == ["team/bad"]
    scene.remove("bad")
    await until(lambda: scene.copy.deleted == ["bad"])


async def test_a_poisoned_object_that_vanished_is_dropped_too(scene: Scene) -> None:
    scene.put("bad", "very large")
    await scene.synced()
    scene.remove("bad")
    await until(lambda: scene.copy.deleted == ["bad"])


async def test_an_event_whose_fields_stand_in_another_order_is_understood(scene: Scene) -> None:
    await scene.synced()
    pod = scene.double.object(paths.PODS, "team", "a")
    pod["spec"]["size"] = 8
    scene.double.say(
        paths.PODS,
        json.dumps({"x": "y", "object": pod, "type": "MODIFIED"}, separators=(",", ":")).encode(),
    )
    await scene.shows(a=8, b=2)


async def test_a_large_object_arrives_whole(scene: Scene) -> None:
    await scene.synced()
    scene.put("c", 3, note="x" * 1_400_000)
    await scene.shows(a=1, b=2, c=3)


DEEP = [1_500, 9_000, 9_996, 100_000]
"""Levels of nesting; the API server stores not quite ten thousand, in any user's pod."""


def deep(name: str, levels: int, size: object = 7) -> bytes:
    nest = b'{"f:a":' * levels + b"{}" + b"}" * levels
    meta = {"namespace": "team", "name": name, "uid": name, "resourceVersion": "9", "managed": "?"}
    pod = json.dumps({"metadata": meta, "spec": {"size": size}}).encode()
    return pod.replace(b'"?"', b'[{"fieldsV1":' + nest + b"}]")


@pytest.mark.parametrize("levels", DEEP)
async def test_a_pod_that_is_nested_deeply_counts_like_any_other(scene: Scene, levels: int) -> None:
    await scene.synced()
    scene.double.say(paths.PODS, b'{"type":"ADDED","object":' + deep("c", levels) + b"}\n")
    await scene.shows(a=1, b=2, c=7)
    scene.double.say(paths.PODS, b'{"object":' + deep("d", levels) + b',"type":"ADDED"}\n')
    await scene.shows(a=1, b=2, c=7, d=7)
    scene.double.say(paths.PODS, b'{"type":"DELETED","object":' + deep("c", levels) + b"}\n")
    await scene.shows(a=1, b=2, d=7)
    assert scene.restarts == []
    assert scene.poisoned == []


async def test_a_deep_object_of_another_shape_is_poison_of_its_own_and_counted(
    scene: Scene,
) -> None:
    counted: list[Resource] = []
    await scene.synced(on_poison=counted.append)
    line = b'{"type":"ADDED","object":' + deep("bad", 100_000, size="no number") + b"}\n"
    scene.double.say(paths.PODS, line)
    await until(lambda: scene.poisoned == ["team/bad"])
    assert counted == [paths.PODS]
    assert scene.restarts == []


@pytest.mark.parametrize("levels", DEEP)
def test_a_page_with_an_object_that_is_nested_deeply_is_read(levels: int) -> None:
    page = b'{"metadata":{"continue":"next"},"items":[%b,%b]}'
    whole = read_page(page % (deep("a", levels), deep("b", 1)), Pod)
    assert [item.metadata.name for item in whole.items or () if isinstance(item, Pod)] == ["a", "b"]
    spoilt = read_page(page % (deep("a", levels), deep("b", levels, size="no number")), Pod)
    assert [watch_lines.head(item).key.name for item in spoilt.items or ()] == ["a", "b"]  # type: ignore[arg-type]
    assert spoilt.metadata.next == "next"
