"""The copy equals the state of the API server after its history expires, or a watch breaks."""

import asyncio
import json
from functools import partial
from typing import Any

import pytest

from api_double import Refusal, refusals
from api_double.waiting import until
from elasticquota_kube.client import paths
from reflected import Scene


@pytest.mark.parametrize("in_stream", [True, False], ids=["in the stream", "as a response"])
async def test_expired_history_leads_to_a_new_reading_that_drops_what_vanished(
    scene: Scene, in_stream: bool
) -> None:
    await scene.synced()
    scene.double.faults.gone_in_stream = in_stream
    await scene.double.refuse()
    scene.remove("a")
    scene.put("c", 3)
    scene.double.expire_history()
    await scene.double.accept()
    await scene.shows(b=2, c=3)
    await scene.watching()
    assert scene.copy.deleted == ["a"]
    assert "Expired" in scene.restarts
    assert scene.readings == 2
    assert scene.copy.readings == 2


@pytest.mark.parametrize("in_stream", [True, False], ids=["in the stream", "as a response"])
async def test_a_06_history_that_expires_twenty_times_is_read_again_each_time_without_a_leak(
    scene: Scene, in_stream: bool
) -> None:
    for number in range(20):
        scene.put(f"other-{number}", number)
    await scene.synced()
    scene.double.faults.gone_in_stream = in_stream
    for turn in range(20):
        await scene.double.refuse()
        scene.remove("a" if turn == 0 else f"turn-{turn - 1}")
        scene.put(f"turn-{turn}", 7)
        scene.double.expire_history()
        await scene.double.accept()
        await until(partial(scene.copy.sizes.get, f"turn-{turn}"), within=2)
        await scene.watching()
    assert set(scene.copy.sizes) == {"b", "turn-19", *(f"other-{number}" for number in range(20))}
    assert scene.copy.readings == 21
    assert len(scene.reflector._known) == len(scene.copy.sizes)
    assert scene.reflector._seen is None


async def test_history_that_expires_while_pages_are_read_starts_the_reading_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elasticquota_kube.client.api.PAGE_SIZE", 1)
    scene.double.faults.watch_list = False
    read = scene.api.pages_of

    async def pages(*args: Any, **options: Any) -> Any:
        async for page in read(*args, **options):
            yield page
            if scene.readings < 3:  # the refused WatchList is the first
                scene.remove("a")
                scene.double.expire_history()

    monkeypatch.setattr(scene.api, "pages_of", pages)
    await scene.synced()
    assert scene.copy.sizes == {"b": 2}
    assert scene.copy.deleted == ["a"]
    assert scene.copy.readings == 1


async def test_failures_in_a_row_are_counted_and_forgotten_after_success(scene: Scene) -> None:
    await scene.double.refuse()
    scene.follow()
    await until(lambda: len(scene.pauses) >= 3)
    await scene.double.accept()
    await until(scene.reflector.synced.is_set)
    await scene.watching()
    assert scene.pauses == list(range(1, len(scene.pauses) + 1))
    before = len(scene.pauses)
    await scene.double.refuse()
    await until(lambda: len(scene.pauses) > before)
    assert scene.pauses[before] == 1


async def test_a_silent_watch_is_closed_and_everything_is_read_again(
    scene: Scene,
) -> None:
    await scene.synced(quiet=0.1)
    scene.double.faults.talking.clear()
    scene.remove("a")
    await until(lambda: scene.restarts)
    scene.double.faults.talking.set()
    await scene.shows(b=2)
    assert scene.restarts[0] == "Timeout"
    assert scene.readings == 2


async def test_a_watch_of_a_hanging_api_server_is_closed(scene: Scene) -> None:
    scene.double.faults.flowing.clear()
    scene.follow(quiet=0.05)
    await until(lambda: scene.restarts)
    scene.double.faults.flowing.set()
    await scene.shows(a=1, b=2)


@pytest.mark.parametrize(
    "answer",
    [refusals.throttled(1), Refusal(500, "InternalError", "etcd"), Refusal(403, "Forbidden", "no")],
    ids=lambda refusal: refusal.reason,
)
async def test_a_refused_watch_is_retried_from_its_last_version(
    scene: Scene, answer: Refusal
) -> None:
    await scene.synced()
    scene.double.faults.answer(answer, times=3, path="/api/v1/pods")
    scene.double.close_watches()
    scene.remove("a")
    await scene.shows(b=2)
    assert scene.pauses[:3] == [1, 2, 3] or scene.pauses[:4] == [1, 2, 3, 4]
    assert scene.readings == 1


async def test_a_watch_that_ends_at_once_is_retried_with_pauses(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.synced()
    monkeypatch.setattr(
        "elasticquota_kube.informer.reflector.random.randint", lambda _least, _most: 0
    )
    scene.double.close_watches()
    await until(lambda: len(scene.pauses) >= 3)
    assert scene.pauses[:3] == [1, 2, 3]


async def test_an_error_inside_the_stream_ends_the_watch_and_keeps_its_version(
    scene: Scene,
) -> None:
    await scene.synced()
    status = Refusal(500, "InternalError", "etcd is away").status
    scene.double.say(paths.PODS, json.dumps({"type": "ERROR", "object": status}).encode())
    await until(lambda: scene.restarts)
    scene.put("c", 3)
    await scene.shows(a=1, b=2, c=3)
    assert scene.restarts == ["InternalError"]
    assert scene.readings == 1


async def test_after_a_storm_of_faults_the_copy_equals_the_server(scene: Scene) -> None:
    await scene.synced()
    for number in range(20):
        scene.put(f"pod-{number}", number)
        scene.remove(f"pod-{number // 2}") if number % 2 else None
        match number % 5:
            case 0:
                scene.double.expire_history()
                scene.double.close_watches()
            case 1:
                scene.double.faults.tear_next_line = True
            case 2:
                await scene.double.refuse()
                await scene.double.accept()
            case 3:
                scene.double.faults.answer(refusals.throttled(1), path="pods")
            case _:
                scene.double.close_watches()
        await asyncio.sleep(0)
    wanted = {
        pod["metadata"]["name"]: pod["spec"]["size"] for pod in scene.double.objects(paths.PODS)
    }
    await until(lambda: scene.copy.sizes == wanted)
