"""What waits is looked for in turns, only while something waits, and at most so much at a time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota.jobs.kinds import table
from elasticquota.model.decision import Decisions, Wait, WorkloadDecisions
from elasticquota.model.key import Key
from elasticquota_kube.client import paths
from elasticquota_kube.events import Recorder, Regarding
from elasticquota_operator.reporting import owner_waits, reporter
from elasticquota_operator.reporting.reporter import Reporter
from owned_pods import Event, Owned


JOB = Regarding("batch/v1", "Job", "team", "train", "uid-train")


@asynccontextmanager
async def reporting(owned: Owned, refresh: float = 3000.0) -> AsyncIterator[Reporter]:
    """At work on a clock that runs, with one queued job."""
    clock = asyncio.get_running_loop().time
    recorder = Recorder(owned.scene.api, "elasticquota.dev/test", "test", clock=clock)
    found = Reporter(
        owned.scene.context(recorder=recorder),
        table.table(),
        {Key("team", "train"): SimpleNamespace(regarding=JOB)},
        refresh=refresh,
        every=0.05,
        clock=clock,
    )
    owned.owners = found.owners
    async with writer_fixture.at_work(found, recorder):
        yield found


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first event of an owner comes without a pause."""
    monkeypatch.setattr(owner_waits, "PATIENCE", 0.0)


def waiting(owned: Owned, *pods: str) -> Decisions:
    return Decisions(
        waits=tuple(
            Wait(Key("team", pod), owned.scene.pod(pod), "team-a", "QuotaExhausted", "why", place)
            for place, pod in enumerate(pods, start=1)
        )
    )


@pytest.mark.usefixtures("at_once")
async def test_pods_jobs_and_owners_are_reported_again_and_again(owned: Owned) -> None:
    _, replicas = owned.deployment("web")
    decided = waiting(owned, "web-0")
    job = Wait(Key("team", "train"), "uid-of-the-queue", "team-a", "QuotaExhausted", "why", 2)
    async with reporting(owned, refresh=0.2) as found:
        owned.see(replicas, "web-0")
        found.apply(Decisions(waits=decided.waits, jobs=WorkloadDecisions(waits=(job,))))

        def times() -> dict[str, int]:
            return {
                event["regarding"]["kind"]: event.get("series", {}).get("count", 1)
                for event in owned.double.objects(paths.EVENTS)
            }

        await until(lambda: len(times()) == 3 and min(times().values()) >= 3)
    assert times().keys() == {"Deployment", "Pod", "Job"}


async def test_nothing_is_asked_or_written_while_nothing_waits(owned: Owned) -> None:
    _, replicas = owned.deployment("web")
    async with reporting(owned) as found:
        owned.see(replicas, "web-0")
        before = len(owned.double.calls)
        for _ in range(50):
            found.apply(Decisions())
            await asyncio.sleep(0)
        assert len(owned.double.calls) == before


async def test_a_pod_that_was_admitted_or_replaced_is_not_reported(owned: Owned) -> None:
    decided = waiting(owned, "admitted", "replaced", "waits")
    owned.scene.pod("admitted", gates=())
    stale = [wait for wait in decided.waits if wait.pod.name != "replaced"]
    other = Wait(Key("team", "replaced"), "older", "team-a", "QuotaExhausted", "why", 2)
    async with reporting(owned, refresh=0.1) as found:
        found.apply(Decisions(waits=(*stale, other)))
        await until(lambda: owned.double.objects(paths.EVENTS))
    assert {each.about for each in await owned.events()} == {"Pod/waits"}


@pytest.mark.usefixtures("at_once")
async def test_no_more_than_so_many_events_are_recorded_at_a_time(
    owned: Owned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporter, "MOST", 4)
    _, replicas = owned.deployment("web")
    names = [f"web-{number}" for number in range(9)]
    decided = waiting(owned, *names)
    async with reporting(owned, refresh=0.0) as found:
        owned.see(replicas, *names)
        found.apply(decided)
        await until(lambda: len(owned.double.objects(paths.EVENTS)) >= 4)
    events = await owned.events()
    assert [event for event in events if event.about == "Deployment/web"] == [
        Event(
            "Deployment/web",
            "QuotaWait",
            "9 of 9 pods wait for quota team-a; "
            "first in line is pod web-0 at position 1 [QuotaExhausted]",
        )
    ]
    assert len(events) == 4


@pytest.mark.usefixtures("at_once")
async def test_an_api_server_that_is_away_does_not_end_it(owned: Owned) -> None:
    _, replicas = owned.deployment("web")
    decided = waiting(owned, "web-0")
    away = refusals.Refusal(500, "InternalError", "etcd is away")
    owned.double.faults.answer(away, method="GET", path="replicasets")
    async with reporting(owned) as found:
        owned.see(replicas, "web-0")
        found.apply(decided)
        await until(lambda: owned.double.objects(paths.EVENTS))
    assert owned.double.count("GET", "replicasets") == 2
