"""The whole controller while the API server refuses many of its requests."""

import asyncio
import os
import time
from collections import Counter
from functools import partial

import pytest

from api_double import ApiDouble, refusals
from api_double.refusals import Refusal
from api_double.waiting import until
from elasticquota_kube.client import paths
from small_cluster import controller, gated, pod, pool, summary, team


SECONDS = float(os.environ.get("STORM", "3"))
"""How long each kind of refusal lasts; ``STORM=60`` is the long form."""
EVERYTHING = ("/api/v1/", "/scheduling.sigs.k8s.io/", "/quota.koordinator.sh/", "/events.k8s.io/")
"""Paths of all requests except the Lease, which API servers prefer."""
WAITING = 40

pytestmark = pytest.mark.timeout(120 + 3 * SECONDS)


def refuse(double: ApiDouble, refusal: Refusal) -> None:
    double.faults.scripted.clear()
    for path in EVERYTHING:
        double.faults.answer(refusal, times=1_000_000, path=path)


async def rate(double: ApiDouble) -> float:
    """Calls per second from now on, without the first second and without the Lease."""
    await asyncio.sleep(1)
    double.calls.clear()
    began = time.monotonic()
    await asyncio.sleep(SECONDS)
    asked = [call for call in double.calls if "/leases" not in call.path]
    return len(asked) / (time.monotonic() - began)


async def published(double: ApiDouble, runtime: int) -> None:
    status = partial(double.object, paths.QUOTAS, "team", "team")
    await until(lambda: status()["status"]["runtime"].get("cpu") == str(runtime))


async def test_a_07_a_throttling_or_failing_server_is_called_rarely_and_nothing_is_lost(
    double: ApiDouble, port: int
) -> None:
    pool(double, cpu="100")
    team(double)
    double.edit(paths.QUOTAS, "team", "team", lambda quota: quota["spec"].update(max={"cpu": "99"}))
    async with controller(double, "one", port):
        await until(lambda: summary(double, "team").get("cpu") == "0/4/4..99", within=10)
        began = time.monotonic()
        double.calls.clear()
        for number in range(WAITING):
            pod(double, f"calm-{number}", "1")
        await until(lambda: gated(double) == [], within=10)
        calm = len(double.calls) / (time.monotonic() - began)
        for refusal in (refusals.throttled(10), Refusal(500, "InternalError", "etcd is away")):
            refuse(double, refusal)
            for number in range(WAITING // 2):
                pod(double, f"{refusal.code}-{number}", "1")
            assert await rate(double) < calm / 10
            assert len(gated(double)) == WAITING // 2
            double.faults.scripted.clear()
            await until(lambda: gated(double) == [], within=15)


async def test_a_08_conflicts_at_every_second_status_write_end_in_the_right_status(
    double: ApiDouble, port: int
) -> None:
    pool(double)
    team(double)
    async with controller(double, "one", port):
        await until(lambda: summary(double, "team").get("cpu") == "0/4/4..8", within=10)
        conflict = refusals.stale(paths.QUOTAS, "team")
        double.faults.answer(conflict, times=1_000, method="PATCH", path="/status", every=2)
        double.calls.clear()
        changes = 4
        for number in range(changes):
            pod(double, f"p-{number}", "2")
            await published(double, 2 * (number + 1))
    tries = Counter(call.path for call in double.calls if call.path.endswith("/team/status"))
    assert max(tries.values()) <= 3 * changes


@pytest.mark.parametrize("fat", [24, 240])
@pytest.mark.parametrize("kind", [refusals.too_large_to_store(), refusals.denied_by_webhook(503)])
async def test_pods_whose_patches_fail_hold_up_no_pod_of_another_team(
    double: ApiDouble, port: int, fat: int, kind: Refusal
) -> None:
    pool(double, cpu="100")
    for name in ("team", "mallory"):
        team(double, name)
    double.put(paths.NAMESPACES, {"metadata": {"name": "mallory"}})
    double.faults.answer(kind, times=1_000_000, method="PATCH", path="/mallory/pods/")
    async with controller(double, "one", port):
        await until(lambda: summary(double, "team").get("cpu") == "0/4/4..8", within=10)
        for number in range(fat):
            pod(double, f"fat-{number}", "1m", "mallory")
        await until(
            lambda: sum("/mallory/pods/" in call.path for call in double.calls) >= fat, within=30
        )
        for number in range(4):
            pod(double, f"own-{number}", "1")
            # The failing pods are tried in this process too, which takes a slow machine seconds.
            await until(
                lambda: not any(name.startswith("own") for name in gated(double)), within=20
            )
        await published(double, 4)
