"""A thousand pods of fifty Deployments wait: what reporting writes at rest, in motion, at a start.

Pods end at a steady rate and are created again by their Deployments, so that the next in line start
and every position behind them changes.
"""

import asyncio
from collections import Counter
from typing import Final

from benchmarks import cluster_fixtures, local_fixture, measure
from benchmarks.local_fixture import Playground
from benchmarks.table import Row, Target
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Document
from elasticquota_kube.client.paths import DEPLOYMENTS
from elasticquota_kube.client.rest import errors


QUOTAS: Final = 10
OWNERS: Final = 50
WAITING: Final = 1_000
ROOM: Final = 10
"""Pods that run in each quota."""
PACE: Final = 5
"""Pods that end in a second."""
_MINUTE: Final = 60.0
_ONE: Final = 1000
_WRITES: Final = frozenset({"create", "patch", "update", "delete"})
_LIVE: Final = WAITING + OWNERS


async def all_cases(ground: Playground) -> list[Row]:
    """Wait until everything is reported, then measure a minute each."""
    await ground.controller(replicas=1)
    await _furnish(ground)
    case = f"{WAITING:,} pods of {OWNERS} owners wait"
    measure.say(f"{case}: until each has its event")
    await _reported(ground, _LIVE)
    await ground.calls()
    rest = await _minute(ground, moving=False)
    motion = await _minute(ground, moving=True)
    await ground.calls()
    await ground.controller(replicas=0)
    await ground.controller(replicas=1)
    start = await _minute(ground, moving=False)
    per_owner = motion["events on owners"] / OWNERS
    return [
        Row(f"{case}, at rest: API writes a minute", rest["writes"], "", Target(0)),
        Row(
            f"{case}, {PACE * 60:,} a minute start: events on one owner a minute",
            per_owner, "", Target(2), note=f"{motion['events on owners']} on all owners",
        ),
        Row(
            "the same: all events a minute", motion["events"], "", Target(1_500),
            note=f"{motion['writes']} API writes in all",
        ),
        Row(
            f"{case}, in the first minute of a new leader: events", start["events"], "",
            Target(600),
        ),
    ]  # fmt: skip


async def _furnish(ground: Playground) -> None:
    names = [f"waiting-{number}" for number in range(QUOTAS)]
    await ground.quotas(dict.fromkeys(names, 0))
    for name in names:
        await ground.api.patch(
            paths.QUOTAS, local_fixture.TEAMS, name, {"spec": {"max": {"cpu": str(ROOM)}}}
        )
    each = (WAITING + QUOTAS * ROOM) // OWNERS
    await cluster_fixtures.many(
        ground.api.create(
            DEPLOYMENTS,
            local_fixture.TEAMS,
            _deployment(f"owner-{number}", names[number % QUOTAS], each),
        )
        for number in range(OWNERS)
    )
    await ground.sights.until(lambda: len(ground.sights.created) == WAITING + QUOTAS * ROOM)
    await ground.sights.until(lambda: len(ground.sights.running) == QUOTAS * ROOM)


def _deployment(name: str, quota: str, replicas: int) -> Document:
    pod = local_fixture.pod(name, quota, milli=_ONE)
    labels = {**pod["metadata"]["labels"], "owner": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": local_fixture.TEAMS},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"owner": name}},
            "template": {"metadata": {"labels": labels}, "spec": pod["spec"]},
        },
    }


async def _reported(ground: Playground, count: int) -> None:
    async with asyncio.timeout(600):
        while len(await _waits(ground)) < count:  # noqa: ASYNC110 - asked a few times
            await asyncio.sleep(5)


async def _waits(ground: Playground) -> list[Document]:
    events = await ground.api.list(
        paths.EVENTS, local_fixture.TEAMS, params={"fieldSelector": "reason=QuotaWait"}
    )
    return list(events)


async def _minute(ground: Playground, *, moving: bool) -> Counter[str]:
    measure.say("a minute " + ("in motion" if moving else "at rest"))
    calls, owners = await ground.counted(), await _of_owners(ground)
    if moving:
        await _move(ground)
    else:
        await asyncio.sleep(_MINUTE)
    after = Counter(await ground.counted())
    after.subtract(calls)
    found: Counter[str] = Counter()
    for (verb, resource), count in after.items():
        if verb in _WRITES:
            found["writes"] += count
            found["events"] += count if resource == "events" else 0
    found["events on owners"] = await _of_owners(ground) - owners
    return found


async def _of_owners(ground: Playground) -> int:
    """How often events on Deployments were written."""
    events = await ground.api.list(paths.EVENTS, local_fixture.TEAMS)
    return sum(
        (event.get("series") or {}).get("count", 1)
        for event in events
        if event["regarding"]["kind"] == "Deployment" and event["reason"].startswith("Quota")
    )


async def _move(ground: Playground) -> None:
    """End so many running pods a second for a minute."""
    for _ in range(int(_MINUTE)):
        one_second = asyncio.create_task(asyncio.sleep(1.0))
        running = sorted(ground.sights.running.keys() - ground.sights.leaving.keys())
        for name in running[:PACE]:
            with errors.ignore_not_found():
                await ground.api.delete(paths.PODS, local_fixture.TEAMS, name, grace_seconds=0)
        await one_second
