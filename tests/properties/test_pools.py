"""Laws of pools: a pod is counted in exactly one, and no bound of a pool is exceeded.

Also: what was counted in the order of events equals what a new ledger counts; no pod waits while a
pool that may take it has room; a min of the whole is met in whichever pools; and without pools all
is decided as in one pool.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import law_breaks
import law_content
import levels
import pool_histories
from elasticquota import names, pool_keys
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.pods import pool_assignment
from elasticquota.ledger.pods.pool_assignment import Flexible, PoolAssignment
from elasticquota.model import pools as pools_model
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.workload import Counted
from elasticquota.scheduling.admission import pool_nodes
from ledger_snapshots import POLICY, decisions, picture
from pool_worlds import GPU, MODEL, POOLS, PoolWorld
from replay import Event, Replay


ONE_POOL = Pools((Pool("any"),))


def pools_of(request: Mapping[str, int]) -> set[str]:
    return {found.pool for key in request if (found := pool_keys.split(key))}


def each_is_counted_once(ledger: Ledger) -> None:
    cluster = ledger.update(POLICY.accounting)
    pools = cluster.pools.get(pool_histories.TREE)
    if pools is None:  # then keys that a user made up are those of any other resource
        return
    for key, stored in {**ledger.pods, **ledger.jobs}.items():
        counted = cluster.index.counted(key)
        if counted is None:
            continue
        found = pools_of(counted.request)
        assert len(found) <= 1
        assert found <= set(pools.names)
        for name, amount in counted.request.items():
            plain = pool_keys.resource(name)
            if plain != name and isinstance(stored, Pod):
                assert amount == stored.request[plain]


@law_content.about(pools=1 / 2, evictions=1 / 10)
@given(pool_histories.pool_histories())
def test_after_every_moment_the_ledger_equals_a_new_one(history: list[list[Event]]) -> None:
    replay = Replay()
    for moment in history:
        for event in moment:
            replay.tell(event)
        rebuilt = replay.rebuilt()
        assert picture(replay.live) == picture(rebuilt)
        assert decisions(replay.live, replay.now, replay.cache) == decisions(rebuilt, replay.now)


@law_content.about(pools=1 / 3)
@given(pool_histories.pool_histories())
def test_every_pod_and_job_is_counted_in_at_most_one_pool(history: list[list[Event]]) -> None:
    replay = Replay()
    for moment in history:
        for event in moment:
            replay.tell(event)
        each_is_counted_once(replay.live)


class Week:
    """Random work of two teams on two kinds of GPU."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.world = PoolWorld(a100=dice.randint(0, 4), t4=dice.randint(0, 4))
        self.now = 0
        for team in ("team-a", "team-b"):
            most = {pool: dice.randint(0, 4) for pool in POOLS.names}
            least = {
                pool: dice.randint(0, n) if dice.random() < 0.5 else 0 for pool, n in most.items()
            }
            self.world.gpu_quota(team, least, most)
        if dice.random() < 0.7:  # team-b borrows first
            self.world.gpu_pods("team-b", 8)
            self.world.settle()

    def step(self) -> None:
        dice, world = self.dice, self.world
        for _ in range(dice.randint(0, 3)):
            kind = dice.choice(("", "", "a100", "t4"))
            team = dice.choice(("team-a", "team-b"))
            world.gpu_pods(team, 1, kind=kind, preemptible=dice.random() < 0.8)
        if dice.random() < 0.5 and world.ledger.pods:
            world.ledger.delete_pod(dice.choice(sorted(world.ledger.pods)))
        asking = {team: world.requested(team).keys() for team in ("team-a", "team-b")}
        for eviction in world.cycle(self.now).evictions:
            # Where a quota waits for its min, others leave, and nowhere else.
            assert not eviction.owner or pools_of(eviction.request) <= asking[eviction.owner]
        self.now += dice.choice((1, 1_000, 20_000))

    def bounds_hold(self) -> None:
        cluster = self.world.ledger.update(POLICY.accounting)
        for name, quota in cluster.forest.quotas.items():
            for key, most in quota.max.items():
                if pool_keys.is_reserved(key):
                    assert cluster.account(name).admitted.get(key, 0) <= most, (name, key)

    def released_pods_are_where_they_are_counted(self) -> None:
        cluster = self.world.ledger.update(POLICY.accounting)
        for pod in self.world.ledger.pods.values():
            counted = cluster.index.counted(pod.key)
            if pod.node_name and counted is not None:
                labels = self.world.ledger.nodes[pod.node_name].labels
                assert pools_of(counted.request) == {labels[MODEL]}

    def room(self, pod: Pod) -> set[str]:
        """The pools that have a free GPU for the pod, below every max of its quota."""
        ledger, free = self.world.ledger, set[str]()
        most = next(q.max for q in ledger.quotas.values() if q.name == pod.quota_label)
        for node in ledger.nodes.values():
            pool = node.labels[MODEL]
            there = sum(p.request[GPU] for p in ledger.pods.values() if p.node_name == node.name)
            held = self.world.admitted(pod.quota_label, pool)
            key = pool_keys.key(pool, GPU)
            allowed = not pod.constraints.obstacle(node) and held < most[key]
            if allowed and there + pod.request[GPU] <= node.allocatable[GPU]:
                free.add(pool)
        return free


@law_content.about(pools=1 / 2, evictions=1 / 12)
@given(levels.DICE, st.integers(1, 12))
def test_pools_never_admit_more_than_their_bound(dice: random.Random, steps: int) -> None:
    week = Week(dice)
    for _ in range(steps):
        week.step()
        week.bounds_hold()
        week.released_pods_are_where_they_are_counted()


@law_content.about(pools=1 / 2, evictions=1 / 12)
@given(levels.DICE, st.integers(1, 8))
def test_no_pod_waits_while_a_pool_has_room_for_it(dice: random.Random, steps: int) -> None:
    week = Week(dice)
    for _ in range(steps):
        week.step()
    week.world.settle(week.now + 60_000, most=60)
    waiting = [pod for pod in week.world.ledger.pods.values() if names.GATE in pod.gates]
    assert [
        (pod.key, week.room(pod)) for pod in waiting if pod.preemptible and week.room(pod)
    ] == []


def twins(dice: random.Random) -> tuple[PoolWorld, PoolWorld]:
    """Two equal worlds: one without pools, and one in which all nodes are of one pool."""
    a100, t4 = dice.randint(0, 3), dice.randint(0, 3)
    without, one = PoolWorld(a100, t4, pools=None), PoolWorld(a100, t4, pools=ONE_POOL)
    for team in ("team-a", "team-b"):
        least, most = dice.randint(0, 3), dice.randint(3, 6)
        without.gpu_quota(team, {"all": least}, {"all": most})
        one.gpu_quota(team, {"any": least}, {"any": most})
    return without, one


@law_content.about(pools=1 / 2, evictions=1 / 10)
@given(levels.DICE, st.integers(1, 8))
def test_without_pools_all_is_decided_as_in_one_pool(dice: random.Random, steps: int) -> None:
    without, one = twins(dice)
    for step in range(steps):
        for _ in range(dice.randint(0, 3)):
            kind, team = dice.choice(("", "a100", "t4")), dice.choice(("team-a", "team-b"))
            preemptible, priority = dice.random() < 0.8, dice.choice((0, 0, 9))
            for world in (without, one):
                world.gpu_pods(team, 1, kind=kind, preemptible=preemptible, priority=priority)
        if dice.random() < 0.3 and without.ledger.pods:
            gone = dice.choice(sorted(without.ledger.pods))
            without.ledger.delete_pod(gone)
            one.ledger.delete_pod(gone)
        expected, found = without.cycle(step * 7_000), one.cycle(step * 7_000)
        assert [each.pod for each in found.releases] == [each.pod for each in expected.releases]
        assert [(each.pod, each.right) for each in found.evictions] == [
            (each.pod, each.right) for each in expected.evictions
        ]


@law_content.about(pools=1 / 2, reclaims=1 / 3)
@given(levels.DICE)
def test_a_min_of_the_whole_is_met_in_whichever_pools(dice: random.Random) -> None:
    a100, t4 = dice.randint(1, 4), dice.randint(1, 4)
    world = PoolWorld(a100, t4)
    least = dice.randint(1, a100 + t4)
    others = dice.randint(0, a100 + t4 - least)
    most = {"a100": 9, "t4": 9, "all": 9}
    world.gpu_quota("owner", {"all": least}, most)
    world.gpu_quota("other", {"all": others}, most)
    for node in sorted(world.ledger.nodes):
        world.gpu_pods(dice.choice(("other", "other", "owner")), 1, on=node)
    held = world.admitted("owner", "a100") + world.admitted("owner", "t4")
    world.gpu_pods("owner", max(0, least - held))
    world.settle()
    assert world.admitted("owner", "a100") + world.admitted("owner", "t4") >= least


def _as_noted_first(self: PoolAssignment, key: Key, flexible: Flexible | None) -> None:
    if flexible is not None:
        self.flexible.opened().setdefault(key, flexible)


def _first_option(self: PoolAssignment, found: Counted) -> tuple[Counted, ...]:
    flexible = self.flexible.now.get(found.key)
    if flexible is None:
        return (found,)
    return (pool_assignment.moved(found, flexible.pools, flexible.options[0]),)


@pytest.mark.parametrize(
    ("law", "owner", "name", "wrong"),
    [
        (
            test_after_every_moment_the_ledger_equals_a_new_one,
            PoolAssignment,
            "note",
            _as_noted_first,
        ),
        (test_every_pod_and_job_is_counted_in_at_most_one_pool, pools_model, "outside", dict),
        (
            test_pools_never_admit_more_than_their_bound,
            pool_nodes,
            "narrowed",
            lambda _cluster, releases, _chosen: releases,
        ),
        (
            test_no_pod_waits_while_a_pool_has_room_for_it,
            PoolAssignment,
            "variants",
            _first_option,
        ),
    ],
)
def test_a_law_fails_without_what_it_is_about(
    law: Callable[..., None], owner: object, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, wrong)
    assert law_breaks.notices(law, monkeypatch)
