"""No quota is refused for what this replica has not heard of yet."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from api_double import ApiDouble, refusals
from api_double.waiting import until
from elasticquota_kube.client import paths
from elasticquota_webhooks.cache import assume_cache, live_quotas
from webhook_fixture import Document, Door, parent, pod, quota


@asynccontextmanager
async def following(door: Door) -> AsyncIterator[None]:
    """The replica's watch runs."""
    task = asyncio.create_task(door.follower.run())
    await door.follower.synced.wait()
    door.fill()
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def lagging(door: Door, double: ApiDouble) -> AsyncIterator[None]:
    """What is changed in here is heard of only once somebody reads all quotas."""
    double.faults.talking.clear()
    yield
    await until(lambda: readings(double))
    double.faults.talking.set()


def readings(double: ApiDouble) -> int:
    return double.count("GET", "/elasticquotas")


async def test_a_child_finds_the_parent_that_another_replica_let_pass(
    door: Door, double: ApiDouble
) -> None:
    async with following(door):
        async with lagging(door, double):
            double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
            answer = asyncio.create_task(door.validate(quota("a", {"cpu": 8}, parent="dept")))
        assert (await answer)["allowed"]


async def test_a_parent_may_go_after_its_child_went_through_another_replica(
    door: Door, double: ApiDouble
) -> None:
    dept = double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
    double.put(paths.QUOTAS, quota("a", {"cpu": 8}, parent="dept"))
    async with following(door):
        async with lagging(door, double):
            double.remove(paths.QUOTAS, "teams", "a")
            answer = asyncio.create_task(door.validate(None, dept))
        assert (await answer)["allowed"]


async def test_a_min_moves_from_one_sibling_to_the_other_in_one_apply(
    door: Door, double: ApiDouble
) -> None:
    double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
    double.put(paths.QUOTAS, quota("a", {"cpu": 6}, parent="dept"))
    b = double.put(paths.QUOTAS, quota("b", {"cpu": 2}, parent="dept"))
    async with following(door):
        async with lagging(door, double):
            double.edit(paths.QUOTAS, "teams", "a", lambda a: a["spec"].update(min={"cpu": 2}))
            answer = asyncio.create_task(door.validate(b | {"spec": _promise(6)}, b))
        assert (await answer)["allowed"]


async def test_a_quota_that_somebody_else_refused_blocks_its_siblings_for_two_seconds(
    door: Door, double: ApiDouble
) -> None:
    double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
    async with following(door):
        assert (await door.validate(quota("a", {"cpu": 8}, parent="dept")))["allowed"]
        other = quota("b", {"cpu": 8}, parent="dept")
        assert not (await door.validate(other))["allowed"], "the first may be on its way"
        door.now += assume_cache.DOUBTED_AFTER
        assert (await door.validate(other))["allowed"]


async def test_without_an_answer_of_the_api_server_it_blocks_them_for_ten(
    door: Door, double: ApiDouble
) -> None:
    double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
    async with following(door):
        assert (await door.validate(quota("a", {"cpu": 8}, parent="dept")))["allowed"]
        other = quota("b", {"cpu": 8}, parent="dept")
        refused = refusals.Refusal(503, "ServiceUnavailable", "no")
        double.faults.answer(refused, times=99, method="GET", path="/apis")
        door.now += assume_cache.DOUBTED_AFTER
        assert not (await door.validate(other))["allowed"]
        door.now += assume_cache.FORGOTTEN_AFTER - assume_cache.DOUBTED_AFTER
        assert (await door.validate(other))["allowed"]


def _promise(cpu: int) -> Document:
    return {"min": {"cpu": cpu}, "max": {"cpu": "1000"}}


async def test_what_is_wrong_all_the_same_is_refused(door: Door, double: ApiDouble) -> None:
    double.put(paths.QUOTAS, quota("a"))
    async with following(door):
        assert "there is no quota 'dept'" in await door.refusal(quota("b", parent="dept"))
    assert readings(double) == 1


async def test_an_object_that_nobody_can_decode_is_not_waited_for(
    door: Door, double: ApiDouble
) -> None:
    double.put(paths.QUOTAS, quota("broken") | {"spec": "none"})
    async with following(door):
        assert "there is no quota 'dept'" in await door.refusal(quota("b", parent="dept"))


async def test_without_the_api_server_the_answer_goes_by_what_is_known(
    door: Door, double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_quotas, "SECONDS", 0.2)
    async with following(door):
        double.faults.answer(refusals.throttled(60), times=9, path="/elasticquotas")
        assert "there is no quota 'dept'" in await door.refusal(quota("b", parent="dept"))


async def test_a_watch_that_says_nothing_does_not_hold_the_answer_up(
    door: Door, double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_quotas, "SECONDS", 0.2)
    async with following(door):
        double.faults.talking.clear()
        double.put(paths.QUOTAS, parent("dept"))
        assert "there is no quota 'dept'" in await door.refusal(quota("b", parent="dept"))
        double.faults.talking.set()


async def test_many_refusals_at_once_share_their_readings(door: Door, double: ApiDouble) -> None:
    async with following(door):
        asked = [door.refusal(quota(f"q{number}", parent="dept")) for number in range(40)]
        await asyncio.gather(*asked)
    assert 1 <= readings(double) <= 10


async def test_the_pods_of_a_removal_are_read_once(door: Door, double: ApiDouble) -> None:
    a = double.put(paths.QUOTAS, quota("a"))
    double.put(paths.PODS, pod("a"))
    async with following(door):
        assert "live pods" in await door.refusal(None, a)
    assert (double.count("GET", "/pods"), readings(double)) == (1, 1)


async def test_whose_pods_cannot_be_read_is_answered_at_once(door: Door, double: ApiDouble) -> None:
    a = double.put(paths.QUOTAS, quota("a"))
    async with following(door):
        double.faults.answer(refusals.throttled(60), times=9, path="/pods")
        assert "cannot be read" in await door.refusal(None, a)
    assert readings(double) == 0
