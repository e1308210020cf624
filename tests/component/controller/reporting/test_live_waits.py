"""Events of what waits for long are written again before the API server drops them."""

import pytest

from elasticquota.model.decision import Wait
from elasticquota_kube.events import Regarding
from elasticquota_operator.reporting.live_waits import OF_JOBS, PATIENCE, LiveWaits
from owned_pods import Event, Owned, wait


REFRESH = 3000.0


def regarding(found: Wait) -> Regarding | None:
    if found.pod.name == "gone":
        return None
    return Regarding("v1", "Pod", found.pod.namespace, found.pod.name, found.uid)


class Reported:
    """The live events, at the time of ``owned``."""

    def __init__(self, owned: Owned) -> None:
        self.owned = owned
        self.waits = LiveWaits(owned.recorder, regarding, REFRESH)

    def at(self, seconds: float, *found: Wait, most: int = 100) -> float | None:
        self.owned.now = seconds
        return self.waits.report(found, (), seconds, most).next_at

    def jobs_at(self, seconds: float, *found: Wait) -> float | None:
        self.owned.now = seconds
        return self.waits.report((), found, seconds, 100).next_at


@pytest.fixture
def reported(owned: Owned) -> Reported:
    return Reported(owned)


async def test_an_event_is_written_again_when_it_is_old(owned: Owned, reported: Reported) -> None:
    owned.recorder.record(
        Regarding("v1", "Pod", "team", "a", "uid-a"),
        "QuotaWait",
        wait("a").message,
        action="Admit",
        latest=True,
    )
    assert reported.at(1, wait("a")) == PATIENCE + 1
    assert reported.at(PATIENCE + 1, wait("a")) == REFRESH
    for seconds in (PATIENCE + 2, REFRESH - 1):
        reported.at(seconds, wait("a"))
    assert await owned.events() == [Event("Pod/a", "QuotaWait", "why [QuotaExhausted]")]
    assert reported.at(REFRESH, wait("a", 3, message="why now")) == 2 * REFRESH
    assert await owned.events() == [Event("Pod/a", "QuotaWait", "why now [QuotaExhausted]", 2)]


async def test_what_another_process_wrote_is_written_once_after_a_minute(
    owned: Owned, reported: Reported
) -> None:
    assert reported.at(0, wait("a")) == PATIENCE
    reported.at(PATIENCE - 1, wait("a"))
    assert await owned.events() == []
    assert reported.at(PATIENCE, wait("a")) == PATIENCE + REFRESH
    reported.at(PATIENCE + 1, wait("a"))
    assert await owned.events() == [Event("Pod/a", "QuotaWait", "why [QuotaExhausted]")]


async def test_a_job_has_its_first_event_after_seconds(owned: Owned, reported: Reported) -> None:
    assert reported.jobs_at(0, wait("train")) == OF_JOBS
    reported.jobs_at(OF_JOBS - 1, wait("train"))
    assert await owned.events() == []
    assert reported.jobs_at(OF_JOBS, wait("train")) == OF_JOBS + REFRESH
    assert await owned.events() == [Event("Pod/train", "QuotaWait", "why [QuotaExhausted]")]


async def test_what_does_not_wait_any_more_is_left_alone(owned: Owned, reported: Reported) -> None:
    reported.at(0, wait("a"), wait("gone"))
    assert reported.at(PATIENCE, wait("gone")) is None
    assert reported.at(2 * PATIENCE) is None
    assert await owned.events() == []
    assert reported.at(3 * PATIENCE, wait("a")) == 4 * PATIENCE  # it waits for the first time again


async def test_the_first_hundred_of_a_queue_and_no_others(owned: Owned, reported: Reported) -> None:
    found = [wait(f"p-{place:03}", place) for place in range(1, 131)]
    reported.at(0, *found)
    reported.at(PATIENCE, *found, most=60)
    assert len(await owned.events()) == 60
    reported.at(PATIENCE + 10, *found, most=60)
    events = await owned.events()
    assert len(events) == 100
    assert {event.about for event in events} == {f"Pod/p-{place:03}" for place in range(1, 101)}


async def test_no_more_are_written_at_a_time_than_allowed_the_heads_of_queues_first(
    owned: Owned, reported: Reported
) -> None:
    found = [wait("b", 2), wait("c", 3), wait("a", 1)]
    reported.at(0, *found)
    assert reported.at(PATIENCE, *found, most=2) == PATIENCE
    assert [event.about for event in await owned.events()] == ["Pod/a", "Pod/b"]
