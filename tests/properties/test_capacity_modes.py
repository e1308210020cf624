"""Laws of trees that grow (issue 21): bounded by max, monotone in it, and fair when no node comes.

``admitted`` is counted without the pods that no node took in time: they hold no room of others, and
what is present may be used beside them.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import law_breaks
import law_content
from departments import POLICY, worlds
from elasticquota.ledger.nodes import tree_nodes
from elasticquota.ledger.pods.pod_times import PodTimes
from elasticquota.model.capacity_mode import NODES, CapacityMode
from elasticquota.model.clocks import Clocks
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.node import Taint
from elasticquota.model.profile import Profile, Ratio
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.sharing import node_sums
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota.sharing.node_sums import NodeSums
from elasticquota.structs import replace
from worlds import TREE, World


TIMEOUT = 60_000
CAPACITY = NodeSums.capacity
PROFILE = Key("system", "pool")


@dataclass
class Growing:
    """A world whose tree may grow, and its clock."""

    world: World
    most: int
    """Whole cpus."""
    now: int = 0

    def decide(self) -> Decisions:
        self.world.ledger.set_time(self.now)
        return self.world.decide(self.now, POLICY)

    def release(self, decisions: Decisions) -> None:
        """As the ungater and the scheduler: what fits on no node is refused."""
        for each in decisions.releases:
            pod = self.world.ledger.pods[each.pod]
            self.world.ledger.upsert_pod(replace(pod, gates=(), unplaced_since=self.now))
        self.place()

    def place(self) -> None:
        self.world.place_unbound()
        for pod in [*self.world.ledger.pods.values()]:
            if pod.gates:
                continue
            if pod.node_name:
                fresh = replace(pod, unplaced_since=None, refused=False)
            else:
                since = self.now if pod.unplaced_since is None else pod.unplaced_since
                fresh = replace(pod, unplaced_since=since, refused=True)
            if fresh != pod:
                self.world.ledger.upsert_pod(fresh)

    def admitted(self) -> int:
        """Millicores that admitted pods hold now, without those that no node took in time."""
        self.world.ledger.set_time(self.now)
        books = self.world.ledger.update(POLICY.accounting).trees[TREE]
        root = books.tree.root
        return books.counted(root, books.admitted[root]).get("cpu", 0)

    def cpus_of_nodes(self) -> int:
        return sum(node.allocatable["cpu"] for node in self.world.ledger.nodes.values())


@st.composite
def growing(draw: st.DrawFn) -> Growing:
    """Departments on up to four nodes of a tree that may become 0 to 48 cpu.

    Their pods wait; where the tree may become larger than it is, some run, too.
    """
    world = draw(worlds())
    ledger = world.ledger
    offered = sum(node.allocatable["cpu"] for node in ledger.nodes.values())
    running = sum(pod.request["cpu"] for pod in ledger.pods.values() if pod.node_name)
    least = max(1, offered // 1000)
    most = draw(st.integers(1, 48) | st.just(least) | st.integers(least, 48))
    for pod in [*ledger.pods.values()]:
        if not pod.gated and not (pod.node_name and running <= offered <= most * 1000):
            ledger.delete_pod(pod.key)
    largest = draw(st.none() | st.integers(1, most))
    world.elastic(most, largest=largest, timeout=TIMEOUT)
    return Growing(world, most)


USUAL = ("cycle", "cycle", "node", "lost", "wait", "end", "more")
UNTIDY = ("flap", "join", "taint", "mark", "less", "again")
STEPS = st.lists(st.sampled_from((*USUAL, *USUAL, *UNTIDY)), min_size=1, max_size=12)


def step(found: Growing, what: str, index: int) -> None:
    world, ledger = found.world, found.world.ledger
    match what:
        case "cycle":
            decisions = found.decide()
            world.carry_out_evictions(decisions)
            found.release(decisions)
        case "node" if found.cpus_of_nodes() + 8_000 <= found.most * 1000:
            world.node(f"new-{index}", cpu=8)
            found.place()
        case "lost" if ledger.nodes:
            lose(found, min(ledger.nodes))
        case "wait":
            found.now += TIMEOUT
        case "end":
            running = [pod for pod in ledger.pods.values() if pod.node_name]
            for pod in running[:2]:
                ledger.delete_pod(pod.key)
        case "more":
            world.pods("loner", 3, cpu=2, waiting=True)
        case _ if what in UNTIDY and ledger.nodes:
            upset(found, what)


def lose(found: Growing, name: str) -> None:
    """A node is gone, with its pods."""
    ledger = found.world.ledger
    for pod in [*ledger.pods.values()]:
        if pod.node_name == name:
            ledger.delete_pod(pod.key)
    ledger.delete_node(name)


def upset(found: Growing, what: str) -> None:
    """Change a node or the profile, as in an untidy cluster; a second such step undoes it."""
    ledger = found.world.ledger
    node = ledger.nodes[max(ledger.nodes)]
    match what:
        case "flap":  # NotReady and back
            ledger.upsert_node(replace(node, ready=not node.ready))
        case "join":  # Not ready for the first time yet, as the API server taints it, and ready.
            joins = not node.joining
            taints = (Taint("node.kubernetes.io/not-ready", "", "NoSchedule"),) if joins else ()
            ledger.upsert_node(replace(node, ready=not joins, joining=joins, taints=taints))
        case "taint" | "mark":  # An administrator's, or an autoscaler's.
            key = "maintenance" if what == "taint" else "ToBeDeletedByClusterAutoscaler"
            taints = () if node.taints else (Taint(key, "", "NoSchedule"),)
            ledger.upsert_node(replace(node, taints=taints))
        case "less" | "again":  # The max, often below what the nodes offer.
            found.most = max(1, found.most // 2) if what == "less" else 2 * found.most
            found.world.elastic(found.most, timeout=TIMEOUT)


@law_content.about(elastic=1 / 2)
@given(growing(), STEPS)
def test_no_cycle_admits_beyond_max(found: Growing, steps: list[str]) -> None:
    for index, what in enumerate(steps):
        step(found, what, index)
        before = found.admitted()
        decisions = found.decide()
        ledger = found.world.ledger
        released = sum(ledger.pods[each.pod].request["cpu"] for each in decisions.releases)
        event("releases" if released else "no release")
        most = max(found.most * 1000, min(before, found.cpus_of_nodes()))
        assert not released or before + released <= most


@law_content.about(elastic=1 / 2)
@given(growing(), st.integers(1, 16))
def test_a_higher_max_lowers_no_runtime(found: Growing, by: int) -> None:
    """Without chosen limits the weight of a quota is max up to the total, which grows with it."""
    decisions = found.decide()
    before = {each.key.name: each.runtime["cpu"] for each in decisions.statuses}
    found.world.elastic(found.most + by, timeout=TIMEOUT)
    after = {each.key.name: each.runtime["cpu"] for each in found.decide().statuses}
    if not any(wait.reason in ("ExceedsMax", "NoNodeFits") for wait in decisions.waits):
        # Else pods that were too large count now.
        assert all(after[name] >= amount for name, amount in before.items())


@st.composite
def without_maxes(draw: st.DrawFn) -> Growing:
    """Two or three teams without max; their first pods are larger than any present node.

    Often these alone ask for all that the tree may become, within the min of their teams.
    """
    nodes = draw(st.integers(1, 3))
    world, large = World(nodes=nodes, cpu=8), 0
    teams = draw(st.sampled_from((("a", "b"), ("a", "b", "c"))))
    for name in teams:
        sizes = draw(st.lists(st.integers(9, 14), max_size=2))
        world.quota(name, min=draw(st.sampled_from((0, sum(sizes), sum(sizes), 16))))
        for cpu in sizes:
            world.pods(name, 1, cpu=cpu, waiting=True)
        large += sum(sizes)
    for name in teams:
        for _ in range(draw(st.integers(1, 3))):
            world.pods(name, draw(st.integers(1, 3)), cpu=draw(st.integers(1, 8)), waiting=True)
    most = max(8 * nodes, large) + draw(st.sampled_from((0, 0, 2, 8, 30)))
    world.elastic(most, timeout=TIMEOUT)
    return Growing(world, most)


def bring_to_rest(found: Growing) -> None:
    """Run cycles until nothing happens for longer than any delay of reclaim."""
    quiet = 0
    for _ in range(60):
        decisions = found.decide()
        found.world.carry_out_evictions(decisions)
        found.release(decisions)
        found.now += TIMEOUT
        quiet = 0 if decisions.releases or decisions.evictions else quiet + 1
        if quiet > POLICY.delay // TIMEOUT + 1:
            return


@law_content.about(elastic=1 / 2, waits=1 / 2)
@given(without_maxes(), st.integers(0, 2))
def test_when_no_node_comes_present_nodes_admit_what_they_would_if_no_more_were_expected(
    found: Growing, small_nodes: int
) -> None:
    """Pods that no node took in time starve no pod that could run on what is present.

    The nodes that come meanwhile are too small for them.
    """
    world, ledger = found.world, found.world.ledger
    bring_to_rest(found)
    for index in range(small_nodes):
        step(found, "node", index)
    bring_to_rest(found)
    for pod in [*ledger.pods.values()]:
        if pod.node_name:  # It ends, and the nodes are idle.
            ledger.delete_pod(pod.key)
    bring_to_rest(found)
    late = [pod for pod in ledger.pods.values() if not (pod.gates or pod.node_name)]
    event("timed out" if late else "all placed")
    event("some wait" if any(pod.gates for pod in ledger.pods.values()) else "none waits")
    assert found.decide().releases == ()
    if any(pod.gates and pod.request["cpu"] > 8_000 for pod in ledger.pods.values()):
        return  # It waits for a larger node, and claims its share until then.
    for pod in late:
        ledger.delete_pod(pod.key)
    world.capacity(NODES)
    assert world.decide(found.now, POLICY).releases == ()


@law_content.about(releases=1 / 5, evictions=1 / 3)
@given(worlds())
def test_mode_nodes_decides_as_no_mode(world: World) -> None:
    """Migration: nothing changes without the annotation, and nothing with its default."""
    moments = (0, POLICY.grace, POLICY.delay)
    before = [world.decide(now, POLICY) for now in moments]
    world.ledger.remember(Clocks())
    world.capacity(CapacityMode("Nodes"))
    profile = world.ledger.profiles[PROFILE]
    assert profile.capacity == NODES
    world.ledger.upsert_profile(replace(profile, capacity_unknown=True))
    told = {"Ready"}  # says that the annotation cannot be read
    for now, usual in zip(moments, before, strict=True):
        after = world.decide(now, POLICY)
        assert {each.type for status in after.profiles for each in status.conditions} >= told
        assert replace(after, profiles=usual.profiles) == usual


def _twice_the_max(
    self: NodeSums, ratio: Ratio, mode: CapacityMode, overlapping: AbstractSet[str] = frozenset()
) -> TreeCapacity:
    doubled = {key: 2 * most for key, most in mode.max.items()}
    return CAPACITY(self, ratio, replace(mode, max=doubled), overlapping)


def _modulo(amounts: Resources, ratio: Ratio) -> dict[str, int]:
    return {key: ratio.of(amount) % 20_000 for key, amount in amounts.items()}


def _nothing_while_unread(profile: Profile, root: Quota | None) -> Profile:
    capacity = CapacityMode("Declared") if profile.capacity_unknown else profile.capacity
    return replace(profile, capacity=capacity)


@pytest.mark.parametrize(
    ("law", "owner", "name", "wrong"),
    [
        (test_no_cycle_admits_beyond_max, NodeSums, "capacity", _twice_the_max),
        (test_a_higher_max_lowers_no_runtime, node_sums, "_cut", _modulo),
        (
            test_when_no_node_comes_present_nodes_admit_what_they_would_if_no_more_were_expected,
            PodTimes,
            "_stuck_from",
            lambda *_: None,
        ),
        (test_mode_nodes_decides_as_no_mode, tree_nodes, "_in_force", _nothing_while_unread),
    ],
)
def test_a_law_fails_without_what_it_is_about(
    law: Callable[..., None], owner: object, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, wrong)
    assert law_breaks.notices(law, monkeypatch)
