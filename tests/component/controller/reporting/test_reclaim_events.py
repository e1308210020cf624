"""Evictions of one cause are one event on each quota and on each owner."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota import names
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Eviction
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.reclaim_record import Right
from elasticquota_kube.client import paths
from elasticquota_operator.reporting import reclaim_events
from elasticquota_operator.reporting.reclaim_events import ReclaimEvents
from owned_pods import Event, Owned


WINDOW = 0.05


def eviction(
    pod: str, *, quota: str = "team-b", owner: str = "team-a", right: Right = "min"
) -> Eviction:
    return Eviction(
        Key("team", pod),
        f"uid-{pod}",
        quota,
        {},
        "",
        owner,
        preemptor="pod a/x",
        right=right,
    )


@asynccontextmanager
async def reclaims(owned: Owned) -> AsyncIterator[ReclaimEvents]:
    """At work on a clock that runs, with two quotas in the ledger."""
    ledger = owned.scene.ledger
    for name in ("team-a", "team-b"):
        ledger.upsert_quota(Quota(Key("team", name), f"uid-{name}", "2026-01-01T00:00:00Z"))
    ledger.update(Accounting())
    loop = asyncio.get_running_loop()
    found = ReclaimEvents(
        owned.recorder, ledger, owned.owners, owned.reader, clock=loop.time, window=WINDOW
    )
    async with writer_fixture.at_work(found):
        yield found


async def written(owned: Owned, count: int) -> list[Event]:
    async with writer_fixture.at_work(owned.recorder):
        await until(lambda: len(owned.double.objects(paths.EVENTS)) >= count)
    return await owned.events()


async def test_all_pods_of_a_cause_are_one_event_on_both_quotas_and_on_their_owner(
    owned: Owned,
) -> None:
    _, replicas = owned.deployment("web")
    pods = [f"web-{number}" for number in range(12)]
    owned.see(replicas, *pods)
    async with reclaims(owned) as found:
        for pod in pods:
            found.add(eviction(pod))
        events = await written(owned, 3)
    why = "for pod a/x, which is within the guarantee of team-a"
    assert events == [
        Event("Deployment/web", "QuotaReclaim", f"12 pods were evicted from quota team-b {why}"),
        Event(
            f"{names.QUOTA_KIND}/team-a", "QuotaReclaim", f"12 pods of team-b were evicted {why}"
        ),
        Event(
            f"{names.QUOTA_KIND}/team-b", "QuotaReclaim", f"12 pods of team-b were evicted {why}"
        ),
    ]
    types = {
        event["regarding"]["name"]: event["type"] for event in owned.double.objects(paths.EVENTS)
    }
    assert types == {"web": "Warning", "team-a": "Normal", "team-b": "Warning"}


async def test_a_pod_that_is_gone_before_its_eviction_is_answered_counts_for_its_owner(
    owned: Owned,
) -> None:
    _, replicas = owned.deployment("web")
    owned.see(replicas, "web-0", "web-1")
    async with reclaims(owned) as found:
        found.add(eviction("web-0"))
        owned.lose("web-1")
        found.add(eviction("web-1"))
        events = await written(owned, 3)
    notes = {event.about: event.note.partition(" were ")[0] for event in events}
    assert notes["Deployment/web"] == "2 pods"


async def test_a_preemption_within_a_quota_is_one_event_on_it(owned: Owned) -> None:
    async with reclaims(owned) as found:
        found.add(eviction("a", owner="team-b", right="priority"))
        events = await written(owned, 1)
    assert [event.about for event in events] == [f"{names.QUOTA_KIND}/team-b"]


async def test_a_suspended_job_is_reported_on_the_quotas(owned: Owned) -> None:
    async with reclaims(owned) as found:
        found.add(eviction("a"), job=True)
        events = await written(owned, 2)
    assert {event.note.partition(" for ")[0] for event in events} == {
        "1 job of team-b was suspended"
    }


async def test_a_cause_is_reported_again_after_the_interval_only(
    owned: Owned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reclaim_events, "INTERVAL", 1.0)
    clock = asyncio.get_running_loop().time
    async with reclaims(owned) as found:
        found.add(eviction("a"))
        await written(owned, 2)
        reported = clock()
        found.add(eviction("b-0"))
        await until(lambda: clock() > reported + 4 * WINDOW)  # it would be reported by now
        for number in range(1, 5):
            found.add(eviction(f"b-{number}"))
        events = await written(owned, 4)
    assert sorted({event.note.partition(" of ")[0] for event in events}) == ["1 pod", "5 pods"]
    assert len(events) == 4


async def test_an_owner_that_cannot_be_read_costs_only_its_own_event(owned: Owned) -> None:
    _, replicas = owned.deployment("web")
    owned.see(replicas, "web-0")
    owned.double.faults.answer(refusals.throttled(0), times=50, method="GET")  # as often as tried
    async with reclaims(owned) as found:
        found.add(eviction("web-0"))
        events = await written(owned, 2)
    assert [event.about.partition("/")[0] for event in events] == [names.QUOTA_KIND] * 2


async def test_a_quota_that_is_gone_gets_none(owned: Owned) -> None:
    async with reclaims(owned) as found:
        found.add(eviction("a", quota="was"))
        events = await written(owned, 1)
    assert [event.about for event in events] == [f"{names.QUOTA_KIND}/team-a"]
