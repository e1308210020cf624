"""A min returns as fast where the pods that borrow it are small, many and slow to end.

Small pods have 1 cpu here and the nodes as many cpus as small pods, which is 100m on a tenth.
"""

from collections import Counter

import pytest

from elasticquota import names
from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World


SECOND = 1_000
POLICY = Policy(brake_percent=30)
"""As the chart sets it."""
GRACE = POLICY.grace // SECOND


class Run:
    """A world in time: evicted pods end after ``ending`` seconds, and released pods start."""

    def __init__(self, world: World, ending: int) -> None:
        self.world = world
        self._ending = ending * SECOND
        self._free = Counter[str]()
        self._ends: dict[int, list[Pod]] = {}

    def seconds_until_it_runs(self, quota: str) -> int:
        """Seconds until each pod of the quota has a node.

        A cycle runs when one is due, and after the end or the start of pods.
        """
        now = 0
        while any(self._waits(pod) for pod in self._pods_of(quota)):
            self._end(now)
            self.world.ledger.set_time(now)
            decisions = self.world.decide(now, POLICY)
            self._evict(decisions, now)
            self._start(decisions)
            due = {*self._ends} if decisions.wake_at is None else {*self._ends, decisions.wake_at}
            now = now + 1 if decisions.releases else min(due)
        return now // SECOND

    def _pods_of(self, quota: str) -> list[Pod]:
        return [pod for pod in self.world.ledger.pods.values() if pod.quota_label == quota]

    def _waits(self, pod: Pod) -> bool:
        return not pod.node_name

    def _evict(self, decisions: Decisions, now: int) -> None:
        ends = now + self._ending
        for eviction in decisions.evictions:
            pod = self.world.ledger.pods[eviction.pod]
            pod = replace(pod, deleting=True, ends_at=ends, gone_after=ends + self._ending)
            self.world.ledger.upsert_pod(pod)
            self._ends.setdefault(ends, []).append(pod)

    def _end(self, now: int) -> None:
        for pod in self._ends.pop(now, ()):
            self.world.ledger.delete_pod(pod.key)
            self._free[pod.node_name] += pod.request["cpu"]

    def _start(self, decisions: Decisions) -> None:
        self.world.open_gates(decisions)
        for pod in [*self.world.ledger.pods.values()]:
            if self._waits(pod) and names.GATE not in pod.gates:
                asked = pod.request["cpu"]
                node = next(name for name, free in self._free.items() if free >= asked)
                self._free[node] -= asked
                started = replace(pod, node_name=node, started=self.world.time())
                self.world.ledger.upsert_pod(started)


def borrowed(nodes: int, each: int) -> World:
    """Small pods hold all that owner is guaranteed."""
    world = World(nodes=nodes, cpu=each)
    world.quota("owner", min=nodes * each)
    world.quota("small")
    for number in range(nodes):
        world.pods("small", each, node=f"node-{number}")
    return world


@pytest.mark.parametrize("size", [1, 10])
def test_150_small_pods_with_20_s_to_end_return_a_min_within_40_s(size: int) -> None:
    world = borrowed(nodes=3, each=50)
    world.pods("owner", 120 // size, cpu=size, waiting=True)
    assert Run(world, ending=20).seconds_until_it_runs("owner") <= 40


def test_2500_small_pods_on_50_nodes_return_a_min_in_a_minute_beside_both_graces() -> None:
    world = borrowed(nodes=50, each=50)
    world.pods("owner", 50, cpu=50, waiting=True)
    ending = 120
    assert Run(world, ending).seconds_until_it_runs("owner") <= GRACE + ending + 60
