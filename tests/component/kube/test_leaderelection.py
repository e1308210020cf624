"""At most one process leads, and each relies on its own clock only."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from api_double import ApiDouble, refusals
from api_double.waiting import until
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.leaderelection import Elector


RENEW = 0.6
"""Seconds for which a renewed Lease is valid."""


class Replica:
    """An elector with a manual clock; `signs` are its callbacks."""

    def __init__(self, double: ApiDouble, identity: str, **options: Any) -> None:
        self.now = 1000.0
        self.signs: list[str] = []
        self.elector = Elector(
            Credentials(double.url),
            namespace="default",
            name="lead",
            identity=identity,
            on_started=lambda: self.signs.append("started"),
            on_lost=lambda: self.signs.append("lost"),
            **{"clock": lambda: self.now, **options},
        )


def spec(double: ApiDouble) -> dict[str, Any]:
    held: dict[str, Any] = double.object(paths.LEASES, "default", "lead")["spec"]
    return held


def edit(double: ApiDouble, part: str, **fields: Any) -> None:
    """Another client writes fields of the Lease."""
    double.edit(paths.LEASES, "default", "lead", lambda lease: lease[part].update(fields))


def quick(double: ApiDouble, identity: str) -> Replica:
    """A replica in real time that loses its Lease after 0.6 seconds without an answer."""
    return Replica(double, identity, clock=time.monotonic, duration=1, renew=RENEW, retry=0.05)


@asynccontextmanager
async def leader(double: ApiDouble) -> AsyncIterator[Replica]:
    """A quick replica that leads, and releases its Lease at the end."""
    first = quick(double, "first")
    first.elector.start()
    await until(lambda: first.elector.leading)
    yield first
    await asyncio.to_thread(first.elector.release)


# One attempt at a time, on a clock that stands still.


async def test_the_first_to_come_leads(double: ApiDouble, api: Api) -> None:
    first = Replica(double, "first")
    before = first.elector.leading
    assert await first.elector.attempt(api)
    assert (before, first.elector.leading) == (False, True)
    assert first.elector.leader == "first"
    assert spec(double)["holderIdentity"] == "first"
    assert spec(double)["leaseDurationSeconds"] == 15
    assert spec(double)["leaseTransitions"] == 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", spec(double)["renewTime"])


async def test_a_second_waits_as_long_as_the_first_renews(double: ApiDouble, api: Api) -> None:
    first, second = Replica(double, "first"), Replica(double, "second")
    for _ in range(5):
        assert await first.elector.attempt(api)
        assert not await second.elector.attempt(api)
        second.now += 14
    assert not second.elector.leading
    assert second.elector.leader == "first"


async def test_an_unchanged_lease_is_taken_over_after_its_duration(
    double: ApiDouble, api: Api
) -> None:
    first, second = Replica(double, "first"), Replica(double, "second")
    await first.elector.attempt(api)
    assert not await second.elector.attempt(api)
    second.now += 14.9
    assert not await second.elector.attempt(api)
    second.now += 0.1
    assert await second.elector.attempt(api)
    assert spec(double)["holderIdentity"] == "second"
    assert spec(double)["leaseTransitions"] == 1


async def test_the_time_written_in_a_lease_is_not_believed(double: ApiDouble, api: Api) -> None:
    first, second = Replica(double, "first"), Replica(double, "second")
    await first.elector.attempt(api)
    edit(double, "spec", renewTime="2001-01-01T00:00:00.000000Z")
    assert not await second.elector.attempt(api)


async def test_leading_ends_at_the_deadline_without_any_call(double: ApiDouble, api: Api) -> None:
    first = Replica(double, "first")
    await first.elector.attempt(api)
    first.now += 9.9
    assert first.elector.leading
    first.now += 0.1
    assert not first.elector.leading


async def test_the_deadline_counts_from_before_the_call(
    double: ApiDouble, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Replica(double, "first")
    create = api.create

    async def slow(*args: Any, **options: Any) -> Any:
        first.now += 9
        return await create(*args, **options)

    monkeypatch.setattr(api, "create", slow)
    assert await first.elector.attempt(api)
    first.now += 1
    assert not first.elector.leading


async def test_renewing_keeps_the_time_of_taking_and_what_others_wrote(
    double: ApiDouble, api: Api
) -> None:
    first = Replica(double, "first")
    await first.elector.attempt(api)
    taken = spec(double)
    await first.elector.attempt(api)
    assert spec(double)["acquireTime"] == taken["acquireTime"]
    assert spec(double)["renewTime"] > taken["renewTime"]
    assert spec(double)["leaseTransitions"] == 0
    assert double.count("GET") == 1
    edit(double, "metadata", labels={"from": "chart"})
    assert not await first.elector.attempt(api)  # another client wrote: read it again first
    assert await first.elector.attempt(api)
    assert double.object(paths.LEASES, "default", "lead")["metadata"]["labels"] == {"from": "chart"}


async def test_of_two_that_take_over_at_the_same_time_one_wins(double: ApiDouble, api: Api) -> None:
    await Replica(double, "dead").elector.attempt(api)
    rivals = [Replica(double, f"rival-{number}") for number in range(5)]
    for rival in rivals:
        await rival.elector.attempt(api)
        rival.now += 15
    won = await asyncio.gather(*(rival.elector.attempt(api) for rival in rivals))
    assert won.count(True) == 1


async def test_a_holder_that_sees_another_in_its_place_stops_at_once(
    double: ApiDouble, api: Api
) -> None:
    first = Replica(double, "first")
    await first.elector.attempt(api)
    edit(double, "spec", holderIdentity="usurper")
    await first.elector.attempt(api)
    await first.elector.attempt(api)
    assert not first.elector.leading
    assert first.elector.leader == "usurper"


async def test_an_error_does_not_end_leading_before_the_deadline(
    double: ApiDouble, api: Api
) -> None:
    first = Replica(double, "first")
    await first.elector.attempt(api)
    double.faults.answer(refusals.Refusal(500, "InternalError", "etcd"), method="PUT")
    first.now += 5
    assert not await first.elector.attempt(api)
    assert first.elector.leading
    assert await first.elector.attempt(api)
    first.now += 9
    assert first.elector.leading


# The thread, in real time.


async def test_a_replica_starts_leading_and_releases_the_lease(double: ApiDouble) -> None:
    async with leader(double) as first:
        await until(lambda: double.count("PUT") > 2)
    assert not first.elector.leading
    assert spec(double)["holderIdentity"] == ""
    assert first.signs == ["started"]
    second = quick(double, "second")
    second.elector.start()
    await until(lambda: second.elector.leading)
    assert spec(double)["leaseTransitions"] == 1
    await asyncio.to_thread(second.elector.release)


@pytest.mark.parametrize("fault", ["refuses", "hangs"])
async def test_a_leader_that_cannot_reach_the_server_loses_in_time(
    double: ApiDouble, fault: str
) -> None:
    first = quick(double, "first")
    first.elector.start()
    await until(lambda: first.elector.leading)
    if fault == "refuses":
        await double.refuse()
    else:
        double.faults.flowing.clear()
    latest = time.monotonic() + RENEW
    await until(lambda: not first.elector.leading)
    assert first.elector._leads_until <= latest, "no answer of later has moved the deadline"
    await until(lambda: first.signs == ["started", "lost"])


async def test_a_leader_that_was_suspended_past_its_lease_writes_nothing(
    double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = quick(double, "first")
    asleep: list[int] = []  # how many calls had been made when the process was stopped

    async def stopped_while_it_waits(_woken: asyncio.Event, _seconds: float) -> None:
        asleep.append(len(double.calls))

    monkeypatch.setattr("elasticquota_kube.leaderelection._pause", stopped_while_it_waits)
    first.elector._clock = lambda: time.monotonic() + (3600 if asleep else 0)
    first.elector.start()
    await until(lambda: first.signs == ["started", "lost"])
    assert asleep == [len(double.calls)]


async def test_a_candidate_can_be_stopped(double: ApiDouble) -> None:
    async with leader(double):
        second = quick(double, "second")
        second.elector.start()
        await until(lambda: second.elector.leader == "first")
        await asyncio.to_thread(second.elector.release)
        assert second.signs == []
        assert spec(double)["holderIdentity"] == "first"


async def test_a_candidate_cancels_a_hanging_call_and_retries(double: ApiDouble) -> None:
    double.faults.flowing.clear()
    first = quick(double, "first")
    first.elector.start()
    await until(lambda: double.count("GET") >= 2)
    double.faults.flowing.set()
    await until(lambda: first.elector.leading)
    await asyncio.to_thread(first.elector.release)


async def test_an_elector_that_breaks_counts_as_lost(
    double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = quick(double, "first")

    async def break_down(_api: Api) -> bool:
        raise RuntimeError("a bug")

    monkeypatch.setattr(first.elector, "attempt", break_down)
    first.elector.start()
    await until(lambda: first.signs == ["lost"])


@pytest.mark.parametrize("offset", [-3600.0, -300.0, 300.0, 3600.0], ids=lambda by: f"{by:+.0f} s")
@pytest.mark.parametrize(("first_rate", "second_rate"), [(1.0, 1.0), (1.0, 1.5), (1 / 1.5, 1.0)])
async def test_a_14_clocks_that_differ_in_time_or_by_half_in_speed_make_no_two_leaders(
    double: ApiDouble, api: Api, offset: float, first_rate: float, second_rate: float
) -> None:
    first, second = Replica(double, "first"), Replica(double, "second")
    second.now += offset
    leaders: list[list[str]] = []
    for tick in range(120):  # of half a second; the first stops answering after 10 s
        if tick % 4 == 0:
            if tick < 20:
                await first.elector.attempt(api)
            await second.elector.attempt(api)
        replicas = {"first": first, "second": second}
        leaders.append([name for name, each in replicas.items() if each.elector.leading])
        first.now += 0.5 * first_rate
        second.now += 0.5 * second_rate
    assert max(map(len, leaders)) == 1
    assert (leaders[0], leaders[-1]) == (["first"], ["second"])


@pytest.mark.parametrize("latency", [0.0, 0.12], ids=["none", "a fifth of the deadline"])
async def test_a_15_a_leader_whose_calls_take_up_to_a_fifth_of_the_deadline_keeps_the_lease(
    double: ApiDouble, latency: float
) -> None:
    """The same ratio as 2 s of the default 10 s."""
    async with leader(double) as first:
        double.faults.latency = latency
        renewals = double.count("PUT")
        await until(lambda: double.count("PUT") >= renewals + 12)
        assert first.elector.leading
        assert first.signs == ["started"]
        double.faults.latency = 0.0
