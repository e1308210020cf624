"""The copy equals the API server's state, whatever happens to the watch."""

import json

import pytest

from api_double.waiting import until
from elasticquota_kube.client import paths
from reflected import Scene


async def test_existing_objects_are_read_and_changes_follow(scene: Scene) -> None:
    await scene.synced()
    assert scene.copy.sizes == {"a": 1, "b": 2}
    scene.put("c", 3)
    scene.put("a", 9)
    scene.remove("b")
    await scene.shows(a=9, c=3)
    assert scene.copy.readings == 1
    assert scene.readings == 1


async def test_synced_comes_after_everything_that_exists(scene: Scene) -> None:
    for number in range(300):
        scene.put(f"pod-{number}", number)
    await scene.synced()
    assert scene.copy.upserts == 302


@pytest.mark.parametrize("knob", ["refused", "ignored"])
async def test_a_server_without_watch_list_is_read_in_pages(
    scene: Scene, knob: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elasticquota_kube.client.api.PAGE_SIZE", 2)
    scene.double.faults.watch_list = knob != "refused"
    scene.double.faults.silent_watch_list = knob == "ignored"
    for number in range(5):
        scene.put(f"pod-{number}", number)
    scene.follow()
    if knob == "ignored":
        await scene.watching()
        scene.double.bookmark()  # an ordinary one, as such servers send each minute
    await until(scene.reflector.synced.is_set)
    await scene.watching()
    assert len(scene.copy.sizes) == 7
    assert sum("continue" in call.query for call in scene.double.calls) == 3
    scene.put("c", 3)
    await until(lambda: scene.copy.sizes.get("c") == 3)


async def test_an_ordinary_end_of_the_watch_costs_no_reading_and_no_pause(scene: Scene) -> None:
    await scene.synced()
    scene.put("c", 3)
    await scene.shows(a=1, b=2, c=3)
    scene.double.close_watches()
    await until(lambda: scene.restarts)
    scene.remove("a")
    await scene.shows(b=2, c=3)
    assert scene.restarts == ["closed"]
    assert scene.readings == 1
    assert scene.pauses == []


async def test_a_bookmark_moves_the_place_where_the_watch_goes_on(scene: Scene) -> None:
    await scene.synced()
    heard = scene.reflector.last_heard
    scene.double.put(paths.NODES, {"metadata": {"name": "n-1"}})  # an event of another kind
    scene.double.expire_history()
    scene.double.bookmark()
    await until(lambda: scene.reflector.last_heard > heard)
    scene.double.close_watches()
    await until(lambda: scene.restarts)
    scene.put("c", 3)
    await scene.shows(a=1, b=2, c=3)
    assert scene.readings == 1


async def test_a_restart_of_the_api_server_needs_no_new_reading(scene: Scene) -> None:
    await scene.synced()
    await scene.double.refuse()
    await until(lambda: len(scene.pauses) > 3)
    assert scene.copy.sizes == {"a": 1, "b": 2}
    scene.remove("a")
    scene.put("c", 3)
    await scene.double.accept()
    await scene.shows(b=2, c=3)
    assert scene.readings == 1


async def test_an_event_that_comes_twice_changes_nothing(scene: Scene) -> None:
    await scene.synced()
    scene.double.faults.duplicate_next_line = True
    scene.put("c", 3)
    scene.double.faults.duplicate_next_line = True
    scene.remove("a")
    await scene.shows(b=2, c=3)
    scene.put("d", 4)
    await scene.shows(b=2, c=3, d=4)
    assert scene.copy.deleted == ["a"]


async def test_an_object_recreated_in_a_gap_is_deleted_before_it_is_added(scene: Scene) -> None:
    await scene.synced()
    first = scene.copy.uids["a"]
    await scene.double.refuse()
    scene.remove("a")
    scene.put("a", 5)
    scene.double.expire_history()
    await scene.double.accept()
    await scene.shows(a=5, b=2)
    assert scene.copy.deleted == ["a"]
    assert scene.copy.uids["a"] != first


async def test_the_late_end_of_a_namesake_does_not_touch_its_successor(scene: Scene) -> None:
    await scene.synced()
    old = scene.double.object(paths.PODS, "team", "a")
    old["metadata"]["uid"] = "uid-of-the-first"
    scene.double.say(paths.PODS, json.dumps({"type": "DELETED", "object": old}).encode())
    scene.put("c", 3)
    await scene.shows(a=1, b=2, c=3)
    assert scene.copy.deleted == []


async def test_selectors_are_sent_to_the_server(scene: Scene) -> None:
    scene.put("c", 3, team="x")
    await scene.synced(label_selector="team=x", field_selector="status.phase!=Succeeded")
    assert scene.copy.sizes == {"c": 3}
    scene.double.edit(paths.PODS, "team", "c", lambda pod: pod["status"].update(phase="Succeeded"))
    await scene.shows()
    assert scene.copy.deleted == ["c"]


async def test_the_time_of_the_last_sign_of_life_is_reported(scene: Scene) -> None:
    now = [100.0]
    await scene.synced(clock=lambda: now[0])
    now[0] = 160.0
    scene.double.bookmark()
    await until(lambda: scene.reflector.last_heard == 160.0)
