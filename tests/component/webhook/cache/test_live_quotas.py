"""No quota is refused because this replica's cache is behind."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from api_double import ApiDouble, refusals
from api_double.waiting import until
from elasticquota import names
from elasticquota_kube.client import paths
from elasticquota_webhooks.cache import assume_cache
from webhook_fixture import Document, WebhookReplica, parent, pod, profile, quota


@asynccontextmanager
async def following(webhook: WebhookReplica) -> AsyncIterator[None]:
    """Run the replica's watches."""
    followers = (webhook.follower, webhook.profiles_follower)
    tasks = [asyncio.create_task(each.run()) for each in followers]
    for each in followers:
        await each.synced.wait()
    webhook.fill()
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@asynccontextmanager
async def lagging(webhook: WebhookReplica, double: ApiDouble) -> AsyncIterator[None]:
    """Changes made in here are seen only after all quotas are read."""
    double.faults.talking.clear()
    yield
    await until(lambda: readings(double))
    double.faults.talking.set()


def readings(double: ApiDouble) -> int:
    return double.count("GET", "/elasticquotas")


async def test_a_child_finds_the_parent_that_another_replica_permitted(
    webhook: WebhookReplica,
) -> None:
    async with following(webhook):
        async with lagging(webhook, webhook.double):
            webhook.double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
            answer = asyncio.create_task(webhook.validate(quota("a", {"cpu": 8}, parent="dept")))
        assert (await answer)["allowed"]
        assert "there is no quota" not in str((await answer).get("warnings"))


async def test_a_child_is_marked_below_the_parent_that_another_replica_permitted(
    webhook: WebhookReplica,
) -> None:
    """Else it is refused, as it would not count below the parent, whose list leaves it out."""
    dept = parent("dept", {"cpu": 8})
    dept["spec"]["access"] = {"children": []}
    async with following(webhook):
        async with lagging(webhook, webhook.double):
            webhook.double.put(paths.QUOTAS, dept)
            child = quota("a", {"cpu": 8}, parent="dept", namespace="other")
            answer = asyncio.create_task(webhook.mutate("/mutate/elasticquota", child))
        made, _ = await answer
        assert made["metadata"]["annotations"] == {names.PLACED_BELOW: "dept"}
        assert (await webhook.validate(made))["allowed"]


async def test_a_quota_finds_the_profile_that_names_its_parent(webhook: WebhookReplica) -> None:
    async with following(webhook):
        async with lagging(webhook, webhook.double):
            webhook.double.put(paths.PROFILES, profile("pool", "pool-root"))
            answer = asyncio.create_task(
                webhook.validate(quota("a", {"cpu": 8}, parent="pool-root"))
            )
        assert (await answer)["allowed"]


async def test_a_parent_may_be_deleted_after_its_child_through_another_replica(
    webhook: WebhookReplica,
) -> None:
    dept = webhook.double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
    webhook.double.put(paths.QUOTAS, quota("a", {"cpu": 8}, parent="dept"))
    async with following(webhook):
        async with lagging(webhook, webhook.double):
            webhook.double.remove(paths.QUOTAS, "teams", "a")
            answer = asyncio.create_task(webhook.validate(None, dept))
        assert (await answer)["allowed"]


async def test_a_min_moves_from_one_sibling_to_the_other_in_one_apply(
    webhook: WebhookReplica,
) -> None:
    webhook.double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
    webhook.double.put(paths.QUOTAS, quota("a", {"cpu": 6}, parent="dept"))
    b = webhook.double.put(paths.QUOTAS, quota("b", {"cpu": 2}, parent="dept"))
    async with following(webhook):
        async with lagging(webhook, webhook.double):
            webhook.double.edit(
                paths.QUOTAS, "teams", "a", lambda a: a["spec"].update(min={"cpu": 2})
            )
            answer = asyncio.create_task(webhook.validate(b | {"spec": _promise(6)}, b))
        assert (await answer)["allowed"]


async def test_a_permitted_quota_that_was_refused_later_blocks_its_siblings_for_two_seconds(
    webhook: WebhookReplica,
) -> None:
    webhook.double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
    async with following(webhook):
        assert (await webhook.validate(quota("a", {"cpu": 8}, parent="dept")))["allowed"]
        other = quota("b", {"cpu": 8}, parent="dept")
        assert not (await webhook.validate(other))["allowed"], "the first may be on its way"
        webhook.now += assume_cache.DOUBTED_AFTER
        assert (await webhook.validate(other))["allowed"]


async def test_without_an_answer_of_the_api_server_it_blocks_them_for_ten_seconds(
    webhook: WebhookReplica,
) -> None:
    webhook.double.put(paths.QUOTAS, parent("dept", {"cpu": 8}))
    async with following(webhook):
        assert (await webhook.validate(quota("a", {"cpu": 8}, parent="dept")))["allowed"]
        other = quota("b", {"cpu": 8}, parent="dept")
        refused = refusals.Refusal(503, "ServiceUnavailable", "no")
        webhook.double.faults.answer(refused, times=99, method="GET", path="/apis")
        webhook.now += assume_cache.DOUBTED_AFTER
        assert not (await webhook.validate(other))["allowed"]
        webhook.now += assume_cache.FORGOTTEN_AFTER - assume_cache.DOUBTED_AFTER
        assert (await webhook.validate(other))["allowed"]


def _promise(cpu: int) -> Document:
    return {"min": {"cpu": cpu}, "max": {"cpu": "1000"}}


async def test_a_wrong_quota_is_refused_after_catching_up(webhook: WebhookReplica) -> None:
    webhook.double.put(paths.QUOTAS, quota("a"))
    async with following(webhook):
        said = await webhook.refusal(quota("b", parent="a"))
        assert "'a' is not a parent quota" in said
    assert readings(webhook.double) == 1


async def test_a_quota_waits_for_its_parent_only_after_catching_up(webhook: WebhookReplica) -> None:
    webhook.double.put(paths.QUOTAS, quota("a"))
    async with following(webhook):
        assert await waits(webhook)
    assert readings(webhook.double) == 1


async def waits(webhook: WebhookReplica) -> bool:
    """Whether a child of dept is stored with a warning that its parent is missing."""
    answer = await webhook.validate(quota("b", parent="dept"))
    assert answer["allowed"]
    return any("there is no quota 'dept'" in each for each in answer.get("warnings", ()))


async def test_catching_up_does_not_wait_for_an_undecodable_object(webhook: WebhookReplica) -> None:
    webhook.double.put(paths.QUOTAS, quota("broken") | {"spec": "none"})
    async with following(webhook):
        assert await waits(webhook)


async def test_without_the_api_server_the_cache_decides(webhook: WebhookReplica) -> None:
    webhook.live_quotas.seconds = 0.2
    async with following(webhook):
        webhook.double.faults.answer(refusals.throttled(60), times=9, path="/elasticquotas")
        assert await waits(webhook)


async def test_a_silent_watch_does_not_delay_the_answer(webhook: WebhookReplica) -> None:
    webhook.live_quotas.seconds = 0.2
    async with following(webhook):
        webhook.double.faults.talking.clear()
        webhook.double.put(paths.QUOTAS, parent("dept"))
        assert await waits(webhook)
        webhook.double.faults.talking.set()


async def test_many_refusals_at_once_share_their_readings(webhook: WebhookReplica) -> None:
    async with following(webhook):
        asked = [
            webhook.refusal(quota(f"q{number}", parent=names.SYSTEM_QUOTA)) for number in range(40)
        ]
        await asyncio.gather(*asked)
    assert 1 <= readings(webhook.double) <= 10


async def test_the_pods_of_a_quota_to_be_deleted_are_read_once(webhook: WebhookReplica) -> None:
    a = webhook.double.put(paths.QUOTAS, quota("a"))
    webhook.double.put(paths.PODS, pod("a"))
    async with following(webhook):
        assert "live pods" in await webhook.refusal(None, a)
    assert (webhook.double.count("GET", "/pods"), readings(webhook.double)) == (1, 1)


async def test_a_quota_whose_pods_cannot_be_read_is_answered_at_once(
    webhook: WebhookReplica,
) -> None:
    a = webhook.double.put(paths.QUOTAS, quota("a"))
    async with following(webhook):
        webhook.double.faults.answer(refusals.throttled(60), times=9, path="/pods")
        assert "cannot be read" in await webhook.refusal(None, a)
    assert readings(webhook.double) == 0
