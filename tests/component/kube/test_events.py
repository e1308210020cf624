"""Events are not repeated, never block the caller, and fit the limits of the API."""

import asyncio
import re
from collections.abc import AsyncIterator

import pytest

import writer_fixture
from api_double import ApiDouble, refusals
from api_double.waiting import until
from elasticquota_kube import events
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import Credentials
from elasticquota_kube.events import QUEUE, Recorder, Regarding


POD = Regarding("v1", "Pod", "team", "a", "uid-a")


class Desk:
    """A recorder with a manual clock, and the results of its events."""

    def __init__(self, api: Api) -> None:
        self.now = 0.0
        self.crowded = False
        self.fates: list[str] = []
        self.recorder = Recorder(
            api,
            "elasticquota.dev/controller",
            "controller-0",
            clock=lambda: self.now,
            wait=writer_fixture.short_back_off,
            yields=lambda: self.crowded,
            on_fate=self.fates.append,
        )

    def say(self, note: str = "4 cpu asked, 1 left", about: Regarding = POD) -> None:
        self.recorder.record(about, "QuotaExhausted", note, action="Admit", type="Warning")

    def mention(self, note: str, about: Regarding = POD) -> None:
        self.recorder.record(about, "QuotaAdmitted", note, action="Release")


@pytest.fixture
async def double() -> AsyncIterator[ApiDouble]:
    async with ApiDouble() as server:
        server.put(paths.NAMESPACES, {"metadata": {"name": "team"}})
        yield server


@pytest.fixture
async def desk(double: ApiDouble) -> AsyncIterator[Desk]:
    async with Api(Credentials(double.url)) as api:
        desk = Desk(api)
        running = asyncio.create_task(desk.recorder.run())
        yield desk
        running.cancel()


async def test_an_event_carries_who_what_and_why(double: ApiDouble, desk: Desk) -> None:
    desk.say()
    await desk.recorder.flush()
    event = double.objects(paths.EVENTS)[0]
    assert event["metadata"]["namespace"] == "team"
    assert event["metadata"]["name"].startswith("a.")
    assert event["eventTime"].endswith("Z")
    assert {
        name: event[name]
        for name in ("reportingController", "reportingInstance", "type", "reason", "action", "note")
    } == {
        "reportingController": "elasticquota.dev/controller",
        "reportingInstance": "controller-0",
        "type": "Warning",
        "reason": "QuotaExhausted",
        "action": "Admit",
        "note": "4 cpu asked, 1 left",
    }
    assert event["regarding"] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": "team",
        "name": "a",
        "uid": "uid-a",
    }


async def test_the_same_event_is_written_once_in_ten_minutes(double: ApiDouble, desk: Desk) -> None:
    desk.say()
    desk.now = 599
    desk.say()
    desk.say("other numbers")
    await desk.recorder.flush()
    assert len(double.objects(paths.EVENTS)) == 2
    desk.now = 600
    desk.say()
    await desk.recorder.flush()
    assert len(double.objects(paths.EVENTS)) == 3
    assert desk.fates.count("repeated") == 1


async def test_an_event_about_a_node_goes_to_the_default_namespace(
    double: ApiDouble, desk: Desk
) -> None:
    desk.say(about=Regarding("v1", "Node", "", "n-1", "uid-n"))
    await desk.recorder.flush()
    assert double.objects(paths.EVENTS)[0]["metadata"]["namespace"] == "default"


async def test_long_notes_and_names_are_cut_to_the_limits_of_the_api(
    double: ApiDouble, desk: Desk
) -> None:
    desk.say("é" * 2000, about=Regarding("v1", "Pod", "team", "x" * 253, "uid"))
    await desk.recorder.flush()
    event = double.objects(paths.EVENTS)[0]
    assert event["note"] == "é" * 512
    assert len(event["metadata"]["name"]) == 253


@pytest.mark.parametrize("ends", ["-", ".", "-.-"])
async def test_a_cut_name_is_valid(double: ApiDouble, desk: Desk, ends: str) -> None:
    """It is cut after 236 characters, possibly behind a character that is no letter."""
    long = "x" * (236 - len(ends)) + ends + "y" * 10
    desk.say("said", about=Regarding("v1", "Pod", "team", long, "uid"))
    await desk.recorder.flush()
    name = double.objects(paths.EVENTS)[0]["metadata"]["name"]
    assert re.fullmatch(r"x+\.[0-9a-f]{16}", name)


async def test_a_failed_write_is_counted_and_the_next_event_is_written(
    double: ApiDouble, desk: Desk
) -> None:
    double.faults.answer(refusals.invalid("no"), method="POST")
    desk.say("first")
    desk.say("second")
    await desk.recorder.flush()
    assert desk.fates == ["failed", "written"]


async def test_an_event_survives_an_api_server_that_is_away_for_a_moment(
    double: ApiDouble, desk: Desk
) -> None:
    double.faults.answer(refusals.throttled(), times=events.ATTEMPTS - 1, method="POST")
    desk.say()
    await desk.recorder.flush()
    assert desk.fates == ["written"]
    assert len(double.objects(paths.EVENTS)) == 1


async def test_an_event_is_dropped_after_several_failures(double: ApiDouble, desk: Desk) -> None:
    double.faults.answer(refusals.throttled(), times=events.ATTEMPTS, method="POST")
    desk.say()
    await desk.recorder.flush()
    assert desk.fates == ["failed"]
    assert double.count("POST") == events.ATTEMPTS


async def test_warnings_are_written_before_other_events(double: ApiDouble, desk: Desk) -> None:
    double.faults.flowing.clear()
    desk.mention("taken by the writer")
    await until(lambda: double.calls)
    for note in ("first", "second"):
        desk.mention(note)
    desk.say("a warning")
    double.faults.flowing.set()
    await desk.recorder.flush()
    by_time = sorted(
        double.objects(paths.EVENTS), key=lambda event: int(event["metadata"]["resourceVersion"])
    )
    assert [event["note"] for event in by_time] == [
        "taken by the writer",
        "a warning",
        "first",
        "second",
    ]


async def test_normal_events_are_rate_limited_and_warnings_do_not_wait_for_them(
    double: ApiDouble, desk: Desk
) -> None:
    for number in range(events.BURST):
        desk.mention(f"let in, {number}")
    await until(lambda: len(double.objects(paths.EVENTS)) >= events.BURST)
    desk.mention("one more")
    desk.mention("and one more")
    desk.say("a warning")
    await until(lambda: len(double.objects(paths.EVENTS)) == events.BURST + 1)
    assert "a warning" in {event["note"] for event in double.objects(paths.EVENTS)}
    desk.now += 2 / events.PACE
    await until(lambda: len(double.objects(paths.EVENTS)) == events.BURST + 3)


async def test_normal_events_yield_to_writes_and_warnings_do_not(
    double: ApiDouble, desk: Desk
) -> None:
    desk.crowded = True
    for number in range(3):
        desk.mention(f"let in, {number}")
        desk.say(f"warning {number}")
    await until(lambda: len(double.objects(paths.EVENTS)) == 4)
    assert [event["type"] for event in double.objects(paths.EVENTS)].count("Warning") == 3
    desk.now += 1 / events.LOW_PACE
    await until(lambda: len(double.objects(paths.EVENTS)) == 5)
    desk.crowded = False
    await until(lambda: len(double.objects(paths.EVENTS)) == 6)


async def test_a_full_queue_drops_and_does_not_wait(double: ApiDouble, desk: Desk) -> None:
    double.faults.flowing.clear()
    desk.say("taken by the writer")
    await until(lambda: double.calls)
    for number in range(QUEUE + 3):
        desk.say(str(number))
    assert desk.fates == ["dropped"] * 3


async def test_outdated_normal_events_are_dropped_and_warnings_are_not(
    double: ApiDouble, desk: Desk
) -> None:
    double.faults.flowing.clear()
    for number in range(events.NEWS + 3):
        desk.mention(f"let in, {number}")
    desk.say("a warning")
    desk.mention("of others", about=Regarding("v1", "Pod", "others", "b", "uid-b"))
    assert desk.fates == ["dropped"] * 3
    double.put(paths.NAMESPACES, {"metadata": {"name": "others"}})
    double.faults.flowing.set()
    await until(lambda: len(double.objects(paths.EVENTS)) == events.NEWS + 1)
    desk.now += 1
    await desk.recorder.flush()
    assert len(double.objects(paths.EVENTS)) == events.NEWS + 2
    desk.mention("let in, later")
    desk.now += 1 / events.PACE
    await desk.recorder.flush()
    assert desk.fates.count("dropped") == 3
