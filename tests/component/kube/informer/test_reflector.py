"""The copy equals the API server's state, whatever happens to the watch."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, MutableMapping, Sequence
from functools import partial
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from api_double import ApiDouble, Refusal, refusals
from api_double.waiting import until
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, read_page
from elasticquota_kube.client.credentials import Credentials
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import watch_lines
from elasticquota_kube.informer.reflector import Key, Reflector


class Meta(msgspec.Struct, rename="camel"):
    name: str
    namespace: str
    uid: str
    resource_version: str
    labels: dict[str, str] | None = None


class Spec(msgspec.Struct):
    size: int


class Pod(msgspec.Struct):
    metadata: Meta
    spec: Spec


class Copy:
    """A sink that keeps sizes by name, and records its calls."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self.uids: dict[str, str] = {}
        self.deleted: list[str] = []
        self.readings = 0
        self.upserts = 0

    def upsert(self, pod: Pod) -> None:
        self.upserts += 1
        self.sizes[pod.metadata.name] = pod.spec.size
        self.uids[pod.metadata.name] = pod.metadata.uid

    def delete(self, key: Key) -> None:
        self.deleted.append(key.name)
        if self.uids.get(key.name) == key.uid:
            del self.sizes[key.name], self.uids[key.name]

    def synced(self) -> None:
        self.readings += 1


class Scene:
    """A double with pods a and b, and a reflector that retries without waiting."""

    def __init__(
        self, double: ApiDouble, api: Api, logs: Sequence[MutableMapping[str, Any]]
    ) -> None:
        self.double = double
        self.copy = Copy()
        self._logs = logs
        self.restarts: list[str] = []
        self.pauses: list[int] = []
        self.reflector: Reflector[Pod]
        self.api = api
        self._running: list[asyncio.Task[None]] = []
        self.put("a", 1)
        self.put("b", 2)

    def follow(self, **options: Any) -> None:
        def wait(failures: int) -> float:
            self.pauses.append(failures)
            return 0.01

        self.reflector = Reflector(
            self.api,
            paths.PODS,
            Pod,
            self.copy,
            wait=wait,
            on_restart=lambda _resource, why: self.restarts.append(why),
            **options,
        )
        self._running.append(asyncio.create_task(self.reflector.run()))

    async def synced(self, **options: Any) -> None:
        self.follow(**options)
        async with asyncio.timeout(5):
            await self.reflector.synced.wait()
        await self.watching()

    async def stop(self) -> None:
        for task in self._running:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def put(self, name: str, size: object, **labels: str) -> None:
        meta = {"namespace": "team", "name": name, "labels": labels}
        self.double.put(paths.PODS, {"metadata": meta, "spec": {"size": size}})

    def remove(self, name: str) -> None:
        self.double.remove(paths.PODS, "team", name)

    async def shows(self, **sizes: int) -> None:
        await until(lambda: self.copy.sizes == sizes)

    async def watching(self) -> None:
        await until(lambda: self.double.watches(paths.PODS) == 1)

    @property
    def poisoned(self) -> list[str]:
        """The objects that were reported, because they cannot be decoded."""
        found = [entry for entry in self._logs if entry["event"] == "undecodable object"]
        assert all((entry["kind"], bool(entry["why"])) == ("pods", True) for entry in found)
        return [entry["object"] for entry in found]

    @property
    def readings(self) -> int:
        """How often everything was read, in either way."""
        asked = [call for call in self.double.calls if call.path == "/api/v1/pods"]
        streamed = sum("sendInitialEvents" in call.query for call in asked)
        paged = sum("watch" not in call.query and "continue" not in call.query for call in asked)
        return streamed + paged


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with ApiDouble() as double, Api(Credentials(double.url)) as api:
        with capture_logs() as logs:
            scene = Scene(double, api, logs)
            yield scene
            await scene.stop()


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


async def test_a_torn_line_loses_nothing(scene: Scene) -> None:
    await scene.synced()
    scene.double.faults.tear_next_line = True
    scene.put("c", 3)
    await scene.shows(a=1, b=2, c=3)
    assert scene.poisoned == []
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


async def test_the_time_of_the_last_sign_of_life_is_reported(scene: Scene) -> None:
    now = [100.0]
    await scene.synced(clock=lambda: now[0])
    now[0] = 160.0
    scene.double.bookmark()
    await until(lambda: scene.reflector.last_heard == 160.0)


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
