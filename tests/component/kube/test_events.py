"""Events are not repeated, never block the caller, and fit the limits of the API."""

import re
from collections.abc import AsyncIterator

import pytest

import recorded
from api_double import ApiDouble, refusals
from api_double.waiting import until
from elasticquota_kube import events
from elasticquota_kube.client import paths
from elasticquota_kube.events import QUEUE, Regarding
from recorded import Recording


@pytest.fixture
async def recording(double: ApiDouble) -> AsyncIterator[Recording]:
    async with recorded.process(double) as found:
        yield found


async def test_an_event_carries_who_what_and_why(double: ApiDouble, recording: Recording) -> None:
    await recording.say()
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
        "reason": "QuotaWait",
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


async def test_the_same_event_is_written_once_in_ten_minutes(
    double: ApiDouble, recording: Recording
) -> None:
    recording.warn()
    recording.now = 599
    recording.warn()
    await recording.say("other numbers")
    assert len(double.objects(paths.EVENTS)) == 2
    assert recording.fates.count("repeated") == 1
    recording.now = 600
    await recording.say()
    assert recording.fates.count("written") == 3


async def test_an_event_about_a_node_goes_to_the_default_namespace(
    double: ApiDouble, recording: Recording
) -> None:
    await recording.say(about=Regarding("v1", "Node", "", "n-1", "uid-n"))
    assert double.objects(paths.EVENTS)[0]["metadata"]["namespace"] == "default"


async def test_long_notes_and_names_are_cut_to_the_limits_of_the_api(
    double: ApiDouble, recording: Recording
) -> None:
    await recording.say("é" * 2000, about=Regarding("v1", "Pod", "team", "x" * 253, "uid"))
    event = double.objects(paths.EVENTS)[0]
    assert event["note"] == "é" * 512
    assert len(event["metadata"]["name"]) == 253


@pytest.mark.parametrize("ends", ["-", ".", "-.-"])
async def test_a_cut_name_is_valid(double: ApiDouble, recording: Recording, ends: str) -> None:
    """It is cut after 236 characters, possibly behind a character that is no letter."""
    long = "x" * (236 - len(ends)) + ends + "y" * 10
    await recording.say("said", about=Regarding("v1", "Pod", "team", long, "uid"))
    name = double.objects(paths.EVENTS)[0]["metadata"]["name"]
    assert re.fullmatch(r"x+\.[0-9a-f]{16}", name)


async def test_a_failed_write_is_counted_and_the_next_event_is_written(
    double: ApiDouble, recording: Recording
) -> None:
    double.faults.answer(refusals.invalid("no"), method="POST")
    recording.warn("first")
    await recording.say("second")
    assert recording.fates == ["failed", "written"]


@pytest.mark.parametrize(
    ("times", "fate"),
    [(events.ATTEMPTS - 1, "written"), (events.ATTEMPTS, "failed")],
    ids=["for a moment", "for long"],
)
async def test_while_the_api_server_is_away_an_event_is_tried_some_times(
    double: ApiDouble, recording: Recording, times: int, fate: str
) -> None:
    double.faults.answer(refusals.throttled(), times=times, method="POST")
    await recording.say()
    assert recording.fates == [fate]
    assert double.count("POST") == events.ATTEMPTS
    assert len(double.objects(paths.EVENTS)) == (fate == "written")


async def test_warnings_are_written_before_other_events(
    double: ApiDouble, recording: Recording
) -> None:
    double.faults.flowing.clear()
    recording.mention("taken by the writer")
    await until(lambda: double.calls)
    for note in ("first", "second"):
        recording.mention(note)
    recording.warn("a warning")
    double.faults.flowing.set()
    await recording.recorder.flush()
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
    double: ApiDouble, recording: Recording
) -> None:
    for number in range(events.BURST):
        recording.mention(f"admitted, {number}")
    await until(lambda: len(double.objects(paths.EVENTS)) >= events.BURST)
    recording.mention("one more")
    recording.mention("and one more")
    recording.warn("a warning")
    await until(lambda: len(double.objects(paths.EVENTS)) == events.BURST + 1)
    assert "a warning" in {event["note"] for event in double.objects(paths.EVENTS)}
    recording.now += 2 / events.PACE
    await until(lambda: len(double.objects(paths.EVENTS)) == events.BURST + 3)


async def test_normal_events_yield_to_writes_and_warnings_do_not(
    double: ApiDouble, recording: Recording
) -> None:
    recording.yields = True
    for number in range(3):
        recording.mention(f"admitted, {number}")
        recording.warn(f"warning {number}")
    await until(lambda: len(double.objects(paths.EVENTS)) == 4)
    assert [event["type"] for event in double.objects(paths.EVENTS)].count("Warning") == 3
    recording.now += 1 / events.LOW_PACE
    await until(lambda: len(double.objects(paths.EVENTS)) == 5)
    recording.yields = False
    await until(lambda: len(double.objects(paths.EVENTS)) == 6)


async def test_a_full_queue_drops_and_does_not_wait(
    double: ApiDouble, recording: Recording
) -> None:
    double.faults.flowing.clear()
    recording.warn("taken by the writer")
    await until(lambda: double.calls)
    for number in range(QUEUE + 3):
        recording.warn(str(number))
    assert recording.fates == ["dropped"] * 3


async def test_outdated_normal_events_are_dropped_and_warnings_are_not(
    double: ApiDouble, recording: Recording
) -> None:
    double.faults.flowing.clear()
    for number in range(events.NEWS + 3):
        recording.mention(f"admitted, {number}")
    recording.warn("a warning")
    recording.mention("of others", about=Regarding("v1", "Pod", "others", "b", "uid-b"))
    assert recording.fates == ["dropped"] * 3
    double.put(paths.NAMESPACES, {"metadata": {"name": "others"}})
    double.faults.flowing.set()
    await until(lambda: len(double.objects(paths.EVENTS)) == events.NEWS + 1)
    recording.now += 1
    await recording.recorder.flush()
    assert len(double.objects(paths.EVENTS)) == events.NEWS + 2
    recording.mention("admitted, later")
    recording.now += 1 / events.PACE
    await recording.recorder.flush()
    assert recording.fates.count("dropped") == 3
