"""Workers process the newest item per key, a few at once, and retry until it succeeds."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

import virtual_time
from elasticquota.model.key import Key
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.workqueue import breakers, workers
from elasticquota_operator.workqueue.workers import ItemRefused, Workers


class Worker:
    """Takes a second for each item and records when it was done."""

    def __init__(self, failures: int = 0) -> None:
        self.done: list[tuple[float, str]] = []
        self.at_once = 0
        self.most_at_once = 0
        self._failures = failures
        self._began = virtual_time.now()

    async def do(self, item: str) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(1)
        self.at_once -= 1
        self.done.append((virtual_time.now() - self._began, item))
        if self._failures:
            self._failures -= 1
            raise ApiError(503, "ServiceUnavailable", "later")


class Running(Workers[Any, str]):
    """Workers that run until the scene ends."""

    def __init__(self, do: Callable[[str], Coroutine[Any, Any, None]], **options: Any) -> None:
        super().__init__("test", do, **options)
        self.running = asyncio.create_task(self.run())


@virtual_time.scene
async def test_an_item_that_is_replaced_before_its_turn_is_never_processed() -> None:
    worker = Worker()
    work = Running(worker.do)
    for item in ("first", "second"):
        work.put("a", item)
    await asyncio.sleep(0.5)
    work.put("a", "third")
    work.put("a", "fourth")
    await asyncio.sleep(10)
    assert worker.done == [(1.0, "second"), (2.0, "fourth")]


@virtual_time.scene
async def test_two_attempts_for_a_key_are_an_interval_apart() -> None:
    worker = Worker()
    work = Running(worker.do, interval=5)
    for item in ("at once", "later"):
        work.put("a", item)
        await asyncio.sleep(0.1)
    await asyncio.sleep(20)
    assert worker.done == [(1.0, "at once"), (7.0, "later")]


@virtual_time.scene
async def test_with_many_keys_each_is_processed_less_often() -> None:
    async def scene(others: int) -> float:
        worker = Worker()
        work = Running(worker.do, at_once=2, interval=4)
        for number in range(1 + others):
            work.put(number, str(number))
        await asyncio.sleep(0.5)
        work.put(0, "again")
        await asyncio.sleep(100)
        return next(when for when, item in worker.done if item == "again")

    assert await scene(others=1) == pytest.approx(1 + 4 + 1)
    assert await scene(others=5) == pytest.approx(1 + 4 * 3 + 1)
    assert await scene(others=99) == pytest.approx(51)


@virtual_time.scene
async def test_a_queue_that_yields_processes_items_one_by_one_with_pauses() -> None:
    first, second = Worker(), Worker()
    deeds = Running(first.do, at_once=2)
    reports = Running(second.do, at_once=2, yields=lambda: deeds.is_backlogged)
    for number in range(6):
        deeds.put(number, "deed")
    for number in range(4):
        reports.put(number, "report")
    await asyncio.sleep(10)
    assert [when for when, _ in first.done] == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]
    pause = workers.PAUSE
    expected = [1.0, 2.0 + pause, 3.0 + pause, 3.0 + pause]
    assert [when for when, _ in second.done] == pytest.approx(expected)
    assert not deeds.is_backlogged


@virtual_time.scene
async def test_the_pause_of_a_queue_that_yields_may_depend_on_what_it_yields_to() -> None:
    worker, pauses = Worker(), iter([3.0, 5.0, 0.0])
    reports = Running(worker.do, at_once=2, yields=lambda: True, pause=lambda: next(pauses))
    for number in range(3):
        reports.put(number, "report")
    await asyncio.sleep(20)
    assert [when for when, _ in worker.done] == pytest.approx([1.0, 5.0, 11.0])


@virtual_time.scene
async def test_no_queue_yields_to_a_queue_without_ready_items() -> None:
    first, second = Worker(failures=99), Worker()
    deeds = Running(first.do, at_once=2, wait=lambda _: 60.0, relation=lambda *_: "team")
    reports = Running(second.do, at_once=2, yields=lambda: deeds.is_backlogged)
    for number in range(6):
        deeds.put(number, "deed")
        reports.put(number, "report")
    await asyncio.sleep(0.5)
    assert second.at_once == 1
    await asyncio.sleep(2)
    assert len(first.done) == second.most_at_once == 2


@virtual_time.scene
async def test_a_waiting_item_is_processed_before_items_that_are_added_repeatedly() -> None:
    worker = Worker()
    work = Running(worker.do, at_once=1)
    for _ in range(4):
        work.replace({"a": "a", "b": "b", "c": "c"})
        await asyncio.sleep(1.01)
    assert [item for _, item in worker.done[:3]] == ["a", "b", "c"]


@virtual_time.scene
async def test_the_number_of_items_in_progress_is_limited() -> None:
    worker = Worker()
    work = Running(worker.do, at_once=3)
    for number in range(9):
        work.put(number, str(number))
    await asyncio.sleep(3.5)
    assert worker.most_at_once == 3
    assert len(worker.done) == 9


@virtual_time.scene
async def test_a_failed_item_is_retried_with_back_off_until_it_succeeds() -> None:
    worker = Worker(failures=2)
    work = Running(worker.do, wait=lambda failures: 10.0 * failures)
    work.put("a", "x")
    await asyncio.sleep(100)
    assert worker.done == [(1.0, "x"), (12.0, "x"), (33.0, "x")]


@virtual_time.scene
async def test_the_failure_of_an_older_item_does_not_undo_a_newer_one() -> None:
    worker = Worker(failures=1)
    work = Running(worker.do, wait=lambda _: 1.0)
    work.put("a", "old")
    await asyncio.sleep(0.5)
    work.put("a", "new")
    await asyncio.sleep(10)
    assert [item for _, item in worker.done] == ["old", "new"]


@virtual_time.scene
async def test_a_withdrawn_item_is_forgotten() -> None:
    worker = Worker()
    work = Running(worker.do, at_once=1)
    work.replace({"a": "a", "b": "b", "c": "c"})
    await asyncio.sleep(0.5)
    work.replace({"c": "c"})
    assert "a" in work, "it is in hand"
    await asyncio.sleep(10)
    assert [item for _, item in worker.done] == ["a", "c"]
    assert "c" not in work


@virtual_time.scene
async def test_an_exception_for_one_item_does_not_stop_the_others() -> None:
    done: list[str] = []

    async def do(item: str) -> None:
        if item == "odd":
            raise ZeroDivisionError
        done.append(item)

    work = Running(do, at_once=1)
    work.replace({"a": "odd", "b": "fine"})
    await asyncio.sleep(1)
    assert done == ["fine"]


@pytest.mark.parametrize("teams", [1, 3, 20, 100])
@virtual_time.scene
async def test_during_an_outage_one_item_is_tried_until_the_first_success(teams: int) -> None:
    tried: list[tuple[float, str]] = []
    began = virtual_time.now()
    away = True

    async def do(item: str) -> None:
        tried.append((virtual_time.now() - began, item))
        if away:
            raise ApiError(429, "TooManyRequests", "later")

    work = Running(do, at_once=4, wait=lambda _failures: 1000)
    for number in range(100):
        work.put(Key(f"team-{number % teams}", str(number)), f"item-{number}")
    await asyncio.sleep(60)
    alone = min(teams, breakers.UNRELATED - 1)  # that many are tried each on its own
    assert len(tried) <= 4 * alone + teams + alone * 60 / breakers.LONGEST_CLOSED
    away = False
    tried.clear()
    await asyncio.sleep(breakers.LONGEST_CLOSED + 1)
    assert {item for _, item in tried} == {f"item-{number}" for number in range(100)}


@virtual_time.scene
async def test_an_item_that_cannot_be_processed_delays_no_other() -> None:
    done: list[str] = []

    async def do(item: str) -> None:
        if item == "bad":
            raise ApiError(500, "InternalError", "only for this one")
        done.append(item)

    work = Running(do, at_once=4, wait=lambda _failures: 5)
    work.put("bad", "bad")
    await asyncio.sleep(60)
    work.put("good", "good")
    await asyncio.sleep(breakers.LONGEST_CLOSED)
    assert done == ["good"]


@virtual_time.scene
async def test_a_refused_item_is_dropped_and_its_key_is_ready_after_the_back_off() -> None:
    began, ready = virtual_time.now(), list[tuple[float, str]]()
    tried: list[tuple[float, str]] = []

    async def do(item: str) -> None:
        tried.append((virtual_time.now() - began, item))
        if item != "fine":
            raise ItemRefused("not like this", quota="team")

    work = Running(
        do,
        wait=lambda failures: 10.0 * failures,
        on_ready=lambda key: ready.append((virtual_time.now() - began, key)),
    )
    work.put("a", "first")
    await asyncio.sleep(5)
    assert work.is_refused("a")
    assert not work.is_busy
    await asyncio.sleep(6)
    assert (ready, work.is_refused("a")) == ([(10.0, "a")], False)
    work.put("a", "second")
    await asyncio.sleep(1)
    work.put("a", "fine")
    await asyncio.sleep(100)
    assert tried == [(0.0, "first"), (11.0, "second"), (31.0, "fine")]


@virtual_time.scene
async def test_a_refused_key_that_is_forgotten_is_tried_at_once() -> None:
    ready: list[str] = []
    refuses = True

    async def do(_item: str) -> None:
        if refuses:
            raise ItemRefused("not now", wait=lambda _: 50.0)

    work = Running(do, on_ready=ready.append)
    work.put("a", "first")
    await asyncio.sleep(1)
    work.forget("a")
    assert not work.is_refused("a")
    refuses = False
    work.put("a", "second")
    await asyncio.sleep(1)
    assert "a" not in work
    await asyncio.sleep(60)
    assert ready == []


TOO_LARGE = ApiError(500, "", "etcdserver: request is too large")
DENIED = ApiError(503, "", 'admission webhook "other.example" denied the request: later')
UNKNOWN = ApiError(500, "InternalError", "of these objects only")


@pytest.mark.parametrize("error", [TOO_LARGE, DENIED, UNKNOWN], ids=str)
@pytest.mark.parametrize("bad", [24, 240])
@pytest.mark.parametrize("namespaces", [1, 3])
@virtual_time.scene
async def test_objects_that_fail_hold_up_no_object_of_another_namespace(
    error: ApiError, bad: int, namespaces: int
) -> None:
    done: list[float] = []

    async def do(item: str) -> None:
        await asyncio.sleep(0.02)
        if item == "bad":
            raise error
        done.append(virtual_time.now())

    work = Running(do, at_once=16)
    for number in range(bad):
        work.put(Key(f"mallory-{number % namespaces}", str(number)), "bad")
    for number in range(20):
        await asyncio.sleep(3)
        assert not work.is_backlogged
        put = virtual_time.now()
        work.put(Key("team", str(number)), "good")
        await asyncio.sleep(1)
        assert done
        assert done.pop() - put < 0.5


@virtual_time.scene
async def test_an_answer_about_one_object_says_that_the_server_serves() -> None:
    tried: list[str] = []

    async def do(item: str) -> None:
        tried.append(item)
        raise TOO_LARGE

    work = Running(do, at_once=4, wait=lambda _failures: 1000)
    for number in range(100):
        work.put(Key("team", str(number)), str(number))
    await asyncio.sleep(1)
    assert len(tried) == 100


@pytest.mark.parametrize("refuses", [False, True], ids=["fails", "is refused"])
@virtual_time.scene
async def test_an_object_too_large_for_the_store_is_tried_a_handful_of_times(refuses: bool) -> None:
    async def scene(error: ApiError, minutes: int) -> int:
        tries = 0

        async def do(_item: str) -> None:
            nonlocal tries
            tries += 1
            if refuses:
                raise ItemRefused(str(error)) from error
            raise error

        work: Running = Running(do, on_ready=lambda key: work.put(key, "again"))
        work.put(Key("team", "large"), "first")
        await asyncio.sleep(60 * minutes)
        return tries

    assert 1 <= await scene(TOO_LARGE, minutes=1) <= 2
    assert 3 <= await scene(TOO_LARGE, minutes=10) <= 5
    assert await scene(DENIED, minutes=10) > 20
