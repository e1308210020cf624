"""A queue in which no pod moved is not read again until something can have changed.

``World.decide`` compares every cycle with one without a cache; in these cycles that is hard. The
counts show that cycles do not read inadmissible queues.
"""

from collections.abc import Set as AbstractSet

import pytest

from elasticquota import names
from elasticquota.decisions import decide
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.pod import Pod
from elasticquota.scheduling import cycle
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.queue import order
from elasticquota.structs import replace
from worlds import World, amounts


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The quotas whose queues were read."""
    found: list[str] = []
    original = order.of

    def counted(books: ClusterSnapshot, name: str, terminating: AbstractSet[str]) -> order.Queue:
        found.append(name)
        return original(books, name, terminating)

    monkeypatch.setattr(order, "of", counted)
    return found


def decided(world: World, now: int = 0) -> Decisions:
    """The decisions of a cycle with the cache; they are not compared with others."""
    found = decide.decide(world.ledger, now, Policy(), world.cache)
    world.ledger.remember(found.clocks)
    return found


def full() -> World:
    """Two teams hold 4 of 8 cpu each, which is their max, and one more pod of each waits."""
    world = World(nodes=1, cpu=8)
    for team in ("team-a", "team-b"):
        world.quota(team, min=4, max=4)
        world.pods(team, 4)
        world.pods(team, waiting=True)
    return world


def asking(world: World, pod: Pod, **amounts: int) -> Pod:
    """The pod as one that asks for more."""
    found = replace(pod, request={**pod.request, **amounts})
    world.ledger.upsert_pod(found)
    return found


def reasons(decisions: Decisions, quota: str) -> list[str]:
    return [wait.message for wait in decisions.waits if wait.quota == quota]


def test_a_pod_of_one_quota_activates_no_queue_of_another(looked_at: list[str]) -> None:
    world = full()
    decided(world)
    looked_at.clear()
    world.pods("team-a", waiting=True)
    found = decided(world)
    assert looked_at == ["team-a"]
    assert len(found.waits) == 3


def test_a_pod_that_ends_admits_the_next_of_its_quota(looked_at: list[str]) -> None:
    world = full()
    running = next(pod for pod in world.ledger.pods.values() if not pod.gated)
    decided(world)
    looked_at.clear()
    world.ledger.delete_pod(running.key)
    assert len(decided(world).releases) == 1
    assert set(looked_at) == {"team-a"}


def test_idle_nodes_activate_an_inadmissible_queue() -> None:
    """team-b asks for as much as before, so no share changed when its pod ended."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b")
    world.pods("team-a", cpu=3)
    (first,) = world.pods("team-a", cpu=3, waiting=True)
    (large,) = world.pods("team-b", cpu=3)
    world.pods("team-b", cpu=2)
    world.pods("team-b", 5, waiting=True, preemptible=False)
    world.decide(0)
    world.decide(1)
    world.ledger.delete_pod(large.key)
    assert [release.uid for release in world.decide(2).releases] == [first.uid]


def test_a_min_above_that_comes_free_activates_the_queue_of_a_pod_that_waits_for_it() -> None:
    """team-b holds the min of the department with a pod that may not be evicted."""
    world = World(nodes=1, cpu=8)
    world.quota("dept", min=4, is_parent=True)
    world.quota("team-a", min=1, parent="dept")
    world.quota("team-b", min={}, parent="dept")
    (held,) = world.pods("team-b", cpu=4, preemptible=False)
    (waiting,) = world.pods("team-a", waiting=True, preemptible=False)
    assert world.decide(0).releases == ()
    assert world.decide(1).releases == ()
    world.ledger.upsert_pod(replace(held, preemptible=True))
    assert [release.uid for release in world.decide(2).releases] == [waiting.uid]


def test_a_min_above_that_others_take_is_what_such_a_pod_waits_for_then() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("dept", min=4, is_parent=True)
    world.quota("team-a", min=1, max=1, parent="dept")
    world.quota("team-b", min={}, parent="dept")
    world.pods("team-a")
    world.pods("team-a", waiting=True, preemptible=False)
    world.decide(0)
    (before,) = reasons(world.decide(1), "team-a")
    assert "its current share of 1 is in use" in before
    world.pods("team-b", cpu=4, preemptible=False)
    (now,) = reasons(world.decide(2), "team-a")
    assert "such pods may use what is guaranteed, and they use 4 of 4" in now


def test_the_min_of_another_department_activates_no_queue(looked_at: list[str]) -> None:
    world = World(nodes=1, cpu=8)
    for dept, team in (("dept-a", "team-a"), ("dept-b", "team-b")):
        world.quota(dept, min=4, max=4, is_parent=True)
        world.quota(team, min=4, max=4, parent=dept)
        world.pods(team, 4, preemptible=False)
        world.pods(team, waiting=True, preemptible=False)
    decided(world)
    looked_at.clear()
    running = next(pod for pod in world.ledger.pods.values() if not pod.gated)
    world.ledger.delete_pod(running.key)
    decided(world)
    assert set(looked_at) == {"team-a"}


def test_a_victim_beyond_the_rate_is_chosen_in_the_next_cycle() -> None:
    """Two evictions at once; the queue of the third quota did not change meanwhile."""
    world = World(nodes=1, cpu=12)
    few = Policy(evictions_per_second=1)
    for team in ("team-a", "team-b", "team-c"):
        world.quota(team, min=4, max=4)
        world.pods(team, 4)
        world.pods(team, waiting=True, priority=10)
    chosen = []
    for now in (0, 1_000):
        found = world.decide(now, few)
        chosen += [eviction.quota for eviction in found.evictions]
        world.carry_out_evictions(found)
    assert chosen == ["team-a", "team-b", "team-c"]


def over_use() -> World:
    """team-a took 4 of 8 cpu before its max was cut to 2; team-b waits beyond its own max."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=4)
    world.quota("team-b", min=4, max=4)
    world.pods("team-b", 4)
    world.pods("team-b", waiting=True)
    world.pods("team-a", 4)
    world.decide(0)
    world.quota("team-a", max=2)
    world.decide(1)
    return world


def test_a_quota_above_its_runtime_activates_no_queue(looked_at: list[str]) -> None:
    world = over_use()
    world.pods("team-a", waiting=True)
    decided(world, 2)
    looked_at.clear()
    world.pods("team-b", waiting=True)
    decided(world, 3)
    assert looked_at == ["team-b"]


def test_a_victim_activates_only_the_queue_of_its_own_quota(looked_at: list[str]) -> None:
    world = over_use()
    world.pods("team-a", waiting=True)
    decided(world, 2)
    looked_at.clear()
    found = decided(world, 1 + Policy().delay)
    assert len(found.evictions) == 2
    assert looked_at == ["team-a"]


def test_what_a_large_victim_leaves_goes_to_pods_of_its_own_quota() -> None:
    """Two owners lack one cpu each. The second gets it from the one pod of giver-b, of 4, and the
    other 3 are enough for the first as well, were there not three pods of giver-b itself.
    """
    world = World(nodes=1, cpu=12)
    for owner in ("owner-a", "owner-b"):
        world.quota(owner, min=3)
        world.pods(owner, 2)
    world.quota("giver-a")
    world.pods("giver-a", 4, priority=10)
    world.quota("giver-b")
    world.pods("giver-b", cpu=4)
    world.pods("giver-b", 3, waiting=True)
    world.decide(0)
    for owner in ("owner-a", "owner-b"):
        world.pods(owner, waiting=True)
    world.decide(1)
    found = world.decide(1 + Policy().grace)
    assert sorted(eviction.quota for eviction in found.evictions) == ["giver-a", "giver-b"]


def test_the_queue_of_a_min_that_lost_its_nodes_is_always_read(
    looked_at: list[str],
) -> None:
    """A quota above its runtime is reclaimed for it, once its own quota may use more."""
    world = World(nodes=2, cpu=4)
    world.quota("team-a", min=8, max=8)
    world.quota("team-b")
    world.pods("team-a", 4)
    world.pods("team-b", 4)
    world.ledger.delete_node("node-1")
    world.pods("team-a", waiting=True)
    world.decide(0)
    looked_at.clear()
    decided(world, 1)
    assert "team-a" in looked_at


def test_where_no_pod_waits_a_lent_min_does_not_activate_the_queue(
    looked_at: list[str],
) -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min=8)
    world.quota("team-b", min=8)
    world.pods("team-a")
    world.pods("team-b")
    decided(world)
    looked_at.clear()
    world.pods("team-a", waiting=True)
    decided(world)
    assert looked_at == ["team-a"]


def test_a_lent_min_of_what_no_waiting_pod_lacks_does_not_activate_the_queue(
    looked_at: list[str],
) -> None:
    """Its memory and pod slots are idle and lent, and its pods wait for cpu."""
    world = World(nodes=1, cpu=8)
    for team in ("team-a", "team-b"):
        least = {**amounts(cpu=4, memory=4), names.PODS: 50}
        world.quota(team, min=least, max={**least, names.PODS: 100})
        world.pods(team, 4)
        world.pods(team, waiting=True)
    world.decide(0)
    looked_at.clear()
    world.pods("team-b", waiting=True)
    decided(world)
    assert looked_at == ["team-b"]


def test_a_deleted_quota_has_no_usage_beyond_its_runtime() -> None:
    world = full()
    world.quota("greedy", max=1)
    pods = world.pods("greedy", 2)
    assert decided(world).clocks.over_since == {"greedy": 0}
    world.ledger.delete_quota(Key("teams", "greedy"))
    for pod in pods:
        world.ledger.delete_pod(pod.key)
    assert decided(world).clocks.over_since == {}


def test_what_is_left_on_the_nodes_is_reported_again_where_no_quota_shares_it() -> None:
    """No quota names gpus, so only the nodes limit them."""
    world = World(nodes=1, cpu=8)
    node = world.ledger.nodes["node-0"]
    gpu = "nvidia.com/gpu"
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, gpu: 4}))
    world.quota("team-a", max={"cpu": 2000})
    world.quota("team-b", max={"cpu": 6000})
    (waiting,) = world.pods("team-a", waiting=True)
    asking(world, waiting, **amounts(gpu=2))
    busy = world.pods("team-b", 4)
    for pod in busy:
        asking(world, pod, **amounts(gpu=1))
    before = reasons(world.decide(0), "team-a")
    world.ledger.delete_pod(busy[0].key)
    after = reasons(world.decide(1), "team-a")
    assert "the nodes of tree pool-root have 0 of 4 left" in before[0]
    assert "the nodes of tree pool-root have 1 of 4 left" in after[0]


def test_an_external_pod_that_leaves_its_place_makes_a_head_of_the_queue() -> None:
    """Pod slots on nodes have no quota: without them no pod could ever start."""
    world = World(nodes=1, cpu=8)
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, names.PODS: 2}))
    world.quota("team-a", max=1)
    world.quota("team-b", min=7)
    (stranger,) = world.pods("nowhere", 1, cpu=0, namespace="kube-system")
    world.pods("team-a")
    (waiting,) = world.pods("team-a", waiting=True)
    world.pods("team-b", cpu=7)
    world.pods("nowhere", 1, cpu=0, namespace="kube-system")
    assert waiting.uid not in world.decide(0).clocks.head_since
    world.ledger.delete_pod(stranger.key)
    assert waiting.uid in world.decide(1).clocks.head_since


def test_no_pod_of_a_terminating_namespace_waits() -> None:
    world = full()
    assert len(world.decide(0).waits) == 2
    world.ledger.upsert_namespace(Namespace("teams", terminating=True))
    assert world.decide(1).waits == ()


def test_an_overdue_head_blocks_its_queue_without_any_event() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=4)
    world.pods("team-a", 3)
    world.pods("team-a", cpu=4, waiting=True)
    world.quota("team-b", min=4)
    world.pods("team-b", 4)
    world.pods("team-a", waiting=True, cpu=2)
    world.decide(0)
    assert "WaitingInLine" not in reasons(world.decide(1), "team-a")[1]
    assert "WaitingInLine" in reasons(world.decide(Policy().head_of_line), "team-a")[1]


def test_an_overdue_head_blocks_no_pod_ahead_of_it_while_a_min_above_brings_it_forward() -> None:
    """The department's min covers the small pod until a pod of team-b takes it.

    Then the larger pods ahead of it, which find no room in its share of 2, are considered first.
    """
    world = World(nodes=1, cpu=8)
    world.quota("dept", min=4, max=4, is_parent=True)
    for team in ("team-a", "team-b"):
        world.quota(team, min={}, max=4, parent="dept")
    world.quota("others", min=4)
    world.pods("others", cpu=5, preemptible=False)
    world.pods("team-a", 2)
    world.pods("team-b")
    world.pods("team-b", cpu=2, waiting=True, preemptible=False)
    for cpu in (4, 3, 1):
        world.pods("team-a", cpu=cpu, waiting=True)
    world.decide(0)
    overdue = world.decide(Policy().head_of_line)
    world.pods("team-b")
    found = world.decide(Policy().head_of_line + 1)
    assert reasons(found, "team-a") == reasons(overdue, "team-a")
    assert "WaitingInLine" not in "".join(reasons(found, "team-a"))


def test_a_cycle_that_failed_leaves_nothing_in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    world = full()
    world.decide(0)
    (pod,) = world.pods("team-a", waiting=True)

    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    with monkeypatch.context() as patched:
        patched.setattr(cycle, "decide_tree", broken)
        with pytest.raises(RuntimeError):
            world.decide(1)
    assert pod.uid in {wait.uid for wait in world.decide(2).waits}


def test_a_recreated_quota_does_not_use_the_result_of_the_deleted_one() -> None:
    world = full()
    world.decide(0)
    world.ledger.delete_quota(Key("teams", "team-b"))
    world.decide(1)
    world.quota("team-b", min=4, max=5)
    assert len(world.decide(2).waits) == 2


def test_idle_nodes_do_not_activate_the_queue_of_a_quota_at_its_max(looked_at: list[str]) -> None:
    world = World(nodes=2, cpu=8)
    for team in ("team-a", "team-b"):
        world.quota(team, max=4)
        world.pods(team, 4)
        world.pods(team, waiting=True)
    decided(world)
    looked_at.clear()
    world.pods("team-a", waiting=True)
    assert len(decided(world, 1).waits) == 3
    assert looked_at == ["team-a"]


def test_idle_nodes_do_not_activate_queues_below_a_parent_at_its_max(
    looked_at: list[str],
) -> None:
    """Until a pod of a sibling ends, in which nothing of team-b itself changes."""
    world = World(nodes=2, cpu=8)
    world.quota("dept", is_parent=True, max=4)
    for team in ("team-a", "team-b"):
        world.quota(team, parent="dept")
        world.pods(team, 2)
        world.pods(team, 4, waiting=True)
    decided(world)
    looked_at.clear()
    world.pods("team-a", waiting=True)
    assert len(decided(world, 1).waits) == 9
    assert looked_at == ["team-a"]


def test_a_pod_whose_room_is_on_its_way_has_its_queue_read_even_after_a_decision_in_vain() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("owner", min=2)
    world.quota("borrower", min=2)
    borrowed = world.pods("borrower", 4)
    (waiting,) = world.pods("owner", waiting=True)
    world.decide()
    grace = Policy().grace
    (eviction,) = world.decide(grace).evictions
    world.ledger.withhold(eviction.uid)
    world.pods("owner", cpu=2)  # one that started without admission
    in_vain = decide.decide(world.ledger, grace, Policy(), world.cache)
    assert waiting.uid not in in_vain.clocks.nominated
    for pod in borrowed:
        world.ledger.upsert_pod(replace(pod, deleting=True))
    assert waiting.uid in world.decide(grace).clocks.nominated
