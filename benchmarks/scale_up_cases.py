"""A scale-up of 500 nodes in half a minute, as an autoscaler adds them: decisions and writes.

Once in process, in the cluster of thirty pools, with the time of each decision; and once on the
real API server, where the controller's own histogram and the audit log are read. The pods were
admitted before, because the tree is elastic, and have waited for the nodes.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks import busy_cluster_cases, cluster_fixtures, measure, product
from benchmarks.busy_cluster import SPACE, Estate
from benchmarks.controller_process import LEADS, ControllerProcess
from benchmarks.manifests import Document
from benchmarks.measure import Times
from benchmarks.pool_lists import PooledCluster
from benchmarks.table import Row, Target
from elasticquota import names, resources
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.structs import replace
from elasticquota_kube.client import paths
from elasticquota_operator import gc_tuning


COMING: Final = 500
"""Nodes."""

SECONDS: Final = 30
BOUND: Final = 250
"""Milliseconds of a decision."""

_EACH: Final = 4
"""Pods of one cpu for a new node of the real cluster."""

_POOL: Final = {"pool": "grown"}
_STEP: Final = 0.1
"""Seconds between two decisions of the controller when events keep coming."""


@dataclass(frozen=True, slots=True)
class GrowingCluster(PooledCluster):
    """The cluster of thirty pools with an elastic profile."""

    def profile(self) -> Document:
        """The profile of all nodes, which may become a tenth more than there are numbers."""
        there = resources.add(*(self.offered(number) for number in range(self.nodes)))
        most = {key: amount * 11 // 10 for key, amount in there.items()}
        document = PooledCluster.profile(self)
        capacity = {"mode": "Elastic", "max": resources.text(most)}
        document["spec"]["capacity"] = capacity
        return document


def in_process() -> Iterator[Row]:
    """The last 500 of 10,000 nodes come, and each takes pods that were admitted before."""
    cluster = GrowingCluster()
    title = f"{COMING} of {cluster.nodes:,} nodes come, {cluster.pods:,} pods"
    measure.say(title)
    gc_tuning.rest()  # as the controller does
    ledger, cache = Ledger(), CycleCache()
    for plural, page in cluster.pages():
        product.take_page(ledger, plural, page)
    last = [ledger.nodes[name] for name in sorted(ledger.nodes)[-COMING:]]
    for node in last:
        ledger.delete_node(node.name)
    _admit_all(ledger, cache)
    gc_tuning.settle()
    waiting = [key for key, pod in ledger.pods.items() if not pod.node_name and not pod.gated]
    times: list[float] = []
    steps = round(SECONDS / _STEP)
    for step in range(steps):
        for node in last[step * COMING // steps : (step + 1) * COMING // steps]:
            ledger.upsert_node(node)
            for key in [waiting.pop() for _ in range(min(_EACH, len(waiting)))]:
                pod = ledger.pods[key]
                ledger.upsert_pod(replace(pod, node_name=node.name, unplaced_since=None))
        began = time.perf_counter()
        found = product.decision(ledger, cache)
        times.append(time.perf_counter() - began)
        if found.evictions:
            raise measure.WrongAnswerError(
                f"{len(found.evictions)} pods are evicted in the scale-up"
            )
    taken = Times(tuple(times))
    note = f"median {1e3 * taken.median:.0f}, p99 {1e3 * taken.p99:.0f} of {steps} decisions"
    yield Row(f"{title}: longest decision", 1e3 * max(times), "ms", Target(BOUND), note=note)


def _admit_all(ledger: Ledger, cache: CycleCache) -> None:
    """Ungate what is released until all that is left waits."""
    while releases := product.decision(ledger, cache).releases:
        for release in releases:
            ledger.upsert_pod(replace(ledger.pods[release.pod], gates=(), unplaced_since=0))


async def on_a_cluster(estate: Estate) -> AsyncIterator[Row]:
    """An empty elastic pool in a busy cluster: its pods wait, then the nodes come."""
    pods = COMING * _EACH
    title = f"{COMING} nodes come in {SECONDS} s, {pods:,} pods wait for them"
    measure.say(title)
    with estate.controller("growing") as controller:
        await asyncio.to_thread(controller.await_event, LEADS)
        await _furnish(estate)
        await cluster_fixtures.many(
            estate.api.create(paths.PODS, SPACE, _pod(number)) for number in range(pods)
        )
        await estate.sights.until(lambda: len(estate.sights.released) >= pods)
        await asyncio.to_thread(controller.rested_cpu_seconds)
        before = busy_cluster_cases.writes(estate, controller)
        decided = _decisions(controller)
        began = time.perf_counter()
        for number in range(COMING):
            await estate.api.create(paths.NODES, None, _node(number))
            left = began + (number + 1) * SECONDS / COMING - time.perf_counter()
            await asyncio.sleep(max(0.0, left))
        came = time.perf_counter() - began
        running = len(estate.sights.running)
        await estate.sights.until(lambda: len(estate.sights.running) >= pods)
        ended = time.perf_counter() - began
        await asyncio.to_thread(controller.rested_cpu_seconds)
        after = busy_cluster_cases.writes(estate, controller)
        longest, count = _longest(decided, _decisions(controller))
    made = {kind: n - before.get(kind, 0) for kind, n in after.items() if n > before.get(kind, 0)}
    yield Row(
        f"{title}: longest decision", 1e3 * longest, "ms", Target(BOUND),
        note=f"upper edge of its bucket; {count} decisions",
    )  # fmt: skip
    yield Row(
        f"{title}: API writes for one pod", sum(made.values()) / pods, "", Target(1),
        note=", ".join(f"{kind} {count}" for kind, count in sorted(made.items())),
    )  # fmt: skip
    yield Row(
        f"{title}: until all run", ended, "s",
        note=f"nodes created in {came:.1f}, {running:,} ran by then",
    )  # fmt: skip


async def _furnish(estate: Estate) -> None:
    most = {"cpu": str(COMING * _EACH), "memory": "10Ti", names.PODS: str(10 * COMING)}
    profile = cluster_fixtures.profile("grown", "grown", _POOL)
    profile["spec"]["capacity"] = {"mode": "Elastic", "max": most}
    await estate.api.create(paths.PROFILES, SPACE, profile)
    async with asyncio.timeout(SECONDS):
        while not await _has_quota(estate, "grown"):  # noqa: ASYNC110 - asked a few times
            await asyncio.sleep(0.1)
    quota = cluster_fixtures.quota("growing", "grown", 0, COMING * _EACH)
    await estate.api.create(paths.QUOTAS, SPACE, quota)


async def _has_quota(estate: Estate, name: str) -> bool:
    quotas = await estate.api.list(paths.QUOTAS, SPACE)
    return any(quota["metadata"]["name"] == name for quota in quotas)


def _node(number: int) -> Document:
    offers = {"cpu": str(_EACH), "memory": "16Gi", "pods": "10"}
    return cluster_fixtures.node(f"grown-{number:03}", _POOL, offers)


def _pod(number: int) -> Document:
    labels = {names.QUOTA_NAME: "growing"}
    return cluster_fixtures.pod(f"growing-{number}", SPACE, labels, _POOL, milli=1000)


def _decisions(controller: ControllerProcess) -> dict[float, float]:
    """How many decisions took at most so many seconds."""
    return {
        float(labels["le"]): value
        for labels, value in controller.samples("elasticquota_decide_seconds_bucket")
    }


def _longest(before: dict[float, float], after: dict[float, float]) -> tuple[float, int]:
    """The upper edge of the last bucket with a new decision, and how many there are."""
    made = {edge: count - before.get(edge, 0) for edge, count in sorted(after.items())}
    total = max(made.values())
    return next(edge for edge, count in made.items() if count == total), int(total)
