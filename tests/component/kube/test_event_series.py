"""What is reported again is one event with a series, also by the next process."""

import pytest

import recorded
from api_double import ApiDouble, refusals
from elasticquota_kube import event_series, events
from elasticquota_kube.client import paths
from elasticquota_kube.events import SILENCE, Regarding
from recorded import POD


def counts(double: ApiDouble) -> list[tuple[str, int]]:
    """Note and count of each event."""
    return [
        (event["note"], event.get("series", {}).get("count", 1))
        for event in double.objects(paths.EVENTS)
    ]


async def test_a_repeated_event_continues_its_series(double: ApiDouble) -> None:
    async with recorded.process(double) as recording:
        for _ in range(3):
            await recording.say("waits")
            recording.now += SILENCE
    assert counts(double) == [("waits", 3)]
    (event,) = double.objects(paths.EVENTS)
    assert event["series"]["lastObservedTime"] > event["eventTime"]


async def test_each_note_is_an_event_unless_only_the_latest_counts(double: ApiDouble) -> None:
    async with recorded.process(double) as recording:
        await recording.say("position 2")
        await recording.say("position 1")
        assert sorted(counts(double)) == [("position 1", 1), ("position 2", 1)]
        other = Regarding("v1", "Pod", "team", "b", "uid-b")
        await recording.say("position 2", other, latest=True)
        await recording.say("position 1", other, latest=True)
        assert counts(double)[2:] == [("position 1", 2)]


async def test_a_short_silence_repeats_it_sooner(double: ApiDouble) -> None:
    async with recorded.process(double) as recording:
        await recording.say("waits")
        await recording.say("waits")
        assert counts(double) == [("waits", 1)]
        await recording.say("waits", silence=0)
        assert counts(double) == [("waits", 2)]


async def test_the_next_process_continues_the_series(double: ApiDouble) -> None:
    for number in range(4):
        async with recorded.process(double) as recording:
            await recording.say(f"position {4 - number}", latest=True)
    ((note, count),) = counts(double)
    assert note == "position 1"
    assert count == 2  # it cannot know how often; it knows that it was more than once
    async with recorded.process(double) as recording:
        await recording.say("position 1", latest=True)
        await recording.say("position 1", latest=True, silence=0)
    assert counts(double) == [("position 1", 3)]


async def test_an_event_that_the_server_has_dropped_is_created_again(double: ApiDouble) -> None:
    async with recorded.process(double) as recording:
        await recording.say("waits")
        (event,) = double.objects(paths.EVENTS)
        double.remove(paths.EVENTS, "team", event["metadata"]["name"])
        await recording.say("waits", silence=0)
    assert counts(double) == [("waits", 1)]


async def test_a_namesake_that_was_created_later_has_an_event_of_its_own(double: ApiDouble) -> None:
    async with recorded.process(double) as recording:
        await recording.say("waits", latest=True)
        await recording.say("waits", Regarding("v1", "Pod", "team", "a", "new"), latest=True)
    assert counts(double) == [("waits", 1), ("waits", 1)]


async def test_a_patch_is_tried_again_like_a_create(double: ApiDouble) -> None:
    async with recorded.process(double) as recording:
        await recording.say("waits")
        double.faults.answer(refusals.throttled(), times=2, method="PATCH")
        await recording.say("waits", silence=0)
    assert counts(double) == [("waits", 2)]


async def test_it_knows_when_an_event_was_reported_last(double: ApiDouble) -> None:
    async with recorded.process(double) as recording:
        assert recording.recorder.said_at(POD, "QuotaWait") is None
        recording.now = 5.0
        await recording.say("waits", latest=True)
        assert recording.recorder.said_at(POD, "QuotaWait") == 5.0
        assert recording.recorder.said_at(POD, "QuotaAdmitted") is None


async def test_the_number_of_remembered_series_is_bounded(
    double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "REMEMBERED", 2)
    async with recorded.process(double) as recording:
        for name in ("a", "b", "c", "a"):
            await recording.say("waits", Regarding("v1", "Pod", "team", name, name), silence=0)
    assert counts(double) == [("waits", 2), ("waits", 1), ("waits", 1)]
    assert double.count("POST") == 4


def test_a_name_says_what_it_is_about_and_differs_by_each_part_of_its_identity() -> None:
    names = {event_series.name("a", *identity) for identity in (("x", "y"), ("xy",), ("x", "z"))}
    assert len(names) == 3
    assert all(name.startswith("a.") for name in names)
    assert event_series.name("a", "x", "y") in names
