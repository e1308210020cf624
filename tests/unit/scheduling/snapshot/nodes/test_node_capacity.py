"""Pods are released for a node that takes them, and victims go where the waiting pod then runs."""

from elasticquota import names
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.clocks import Clocks
from elasticquota.model.constraints import Constraints, Toleration
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.node import Taint
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from elasticquota.structs import replace
from worlds import ROOT, TREE, World, amounts


AT_ONCE = Policy(grace=0, delay=0)
SSD = Constraints((("disk", "ssd"),))
GPU = Constraints(tolerations=(Toleration("gpu", "Exists"),))


def label(world: World, name: str, **labels: str) -> None:
    node = world.ledger.nodes[name]
    world.ledger.upsert_node(replace(node, labels={**node.labels, **labels}))


def taint(world: World, name: str, key: str) -> None:
    node = world.ledger.nodes[name]
    world.ledger.upsert_node(replace(node, taints=(Taint(key, "", "NoSchedule"),)))


def only(world: World, pods: list[Pod], constraints: Constraints) -> list[Pod]:
    """The pods may run on such nodes only."""
    found = [replace(pod, constraints=constraints) for pod in pods]
    for pod in found:
        world.ledger.upsert_pod(pod)
    return found


def released(decisions: Decisions) -> list[str]:
    return [release.uid for release in decisions.releases]


def freed(world: World, decisions: Decisions) -> list[str]:
    return sorted(world.ledger.pods[eviction.pod].node_name for eviction in decisions.evictions)


def borrowed_beside_a_tainted_node() -> World:
    """A case from a review: bor holds all of four nodes, and a fifth is idle behind a taint."""
    world = World(nodes=5, cpu=8)
    taint(world, "node-4", "gpu")
    world.quota("own", min=16)
    world.quota("bor")
    for number in range(4):
        label(world, f"node-{number}", disk="ssd")
        world.pods("bor", 8, node=f"node-{number}")
    return world


def test_a_node_behind_a_taint_is_no_room() -> None:
    world = borrowed_beside_a_tainted_node()
    world.pods("bor", 8, waiting=True)
    decisions = world.decide()
    assert released(decisions) == []
    assert {wait.reason for wait in decisions.waits} == {"NoNodeFitsNow"}


def test_min_is_reclaimed_on_nodes_that_the_owner_can_use() -> None:
    """Bor is within its runtime, which counts the idle node, and beyond its min."""
    world = borrowed_beside_a_tainted_node()
    only(world, world.pods("own", 4, waiting=True), SSD)
    assert world.decide(0).evictions == ()
    decisions = world.decide(Policy().grace)
    assert {eviction.owner for eviction in decisions.evictions} == {"own"}
    assert len(decisions.evictions) == 4
    assert "node-4" not in freed(world, decisions)
    assert "quota bor uses 32 cpu beyond its guarantee; quota own reclaims the room on node" in (
        decisions.evictions[0].message
    )
    world.carry_out_evictions(decisions)
    assert len(released(world.decide(Policy().grace))) == 4


def test_what_others_are_guaranteed_is_not_taken_for_a_node() -> None:
    world = World(nodes=2, cpu=8)
    label(world, "node-0", disk="ssd")
    world.quota("own", min=8)
    world.quota("other", min=8)
    world.pods("other", 8, node="node-0")
    only(world, world.pods("own", 2, waiting=True), SSD)
    assert world.decide(policy=AT_ONCE).evictions == ()


def test_a_child_without_min_is_guaranteed_what_its_parent_is() -> None:
    world = World(nodes=2, cpu=8)
    label(world, "node-0", disk="ssd")
    world.quota("own", min=8)
    world.quota("dept", min=8, is_parent=True)
    world.quota("child", parent="dept")
    world.pods("child", 8, node="node-0")
    only(world, world.pods("own", 2, waiting=True), SSD)
    assert world.decide(policy=AT_ONCE).evictions == ()
    world.pods("child", 1, node="node-1")
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-0"]


def test_pods_of_one_cycle_share_no_room_of_a_node() -> None:
    """Two nodes with 5 cpu free each take two pods of 4, and the tree has room for a third."""
    world = World(nodes=2, cpu=8)
    world.quota("team")
    for number in range(2):
        world.pods("team", cpu=3, node=f"node-{number}")
    pods = world.pods("team", 3, cpu=3, waiting=True)
    assert len(released(world.decide())) == 2
    assert len(pods) == 3


def test_pods_without_a_node_yet_are_assumed_on_the_emptiest_one() -> None:
    """The scheduler may put the small one there, and then the large one has no node."""
    world = World(nodes=2, cpu=8)
    world.quota("team")
    world.pods("team", cpu=4, node="node-0")
    (small,) = world.pods("team", cpu=2, bound=False)
    world.pods("team", cpu=8, waiting=True)
    assert released(world.decide()) == []
    world.ledger.upsert_pod(replace(small, node_name="node-0"))
    assert len(released(world.decide())) == 1


def test_a_group_is_released_when_all_of_it_has_nodes() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team")
    (large,) = world.pods("team", cpu=4, node="node-0")
    world.pods("team", 2, cpu=6, waiting=True, group=Group("gang", 2))
    assert released(world.decide()) == []
    world.pods("team", 1, cpu=2, waiting=True)
    assert len(released(world.decide())) == 1, "a pod behind it is not held up"
    world.ledger.delete_pod(large.key)
    assert len(released(world.decide())) == 3


def test_for_a_group_within_min_each_of_its_nodes_is_cleared() -> None:
    world = World(nodes=3, cpu=8)
    label(world, "node-0", disk="ssd")
    label(world, "node-1", disk="ssd")
    world.quota("own", min=12)
    world.quota("bor")
    for number in range(2):
        world.pods("bor", 8, node=f"node-{number}")
    only(world, world.pods("own", 2, cpu=6, waiting=True, group=Group("gang", 2)), SSD)
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-0"] * 6 + ["node-1"] * 6


def test_a_pod_that_waits_for_a_node_blocks_no_pod_of_its_quota() -> None:
    world = World(nodes=2, cpu=8)
    label(world, "node-0", disk="ssd")
    world.quota("team")
    world.quota("other", min=8)
    world.pods("other", 8, node="node-0")
    only(world, world.pods("team", cpu=2, waiting=True, priority=9), SSD)
    (small,) = world.pods("team", waiting=True)
    assert released(world.decide()) == [small.uid]
    late = world.decide(Policy().head_of_line)
    assert released(late) == [small.uid]


def test_a_more_important_pod_takes_the_place_of_others_of_its_quota_on_one_node() -> None:
    world = World(nodes=2, cpu=8)
    label(world, "node-0", disk="ssd")
    world.quota("team", min=16)
    world.pods("team", 8, node="node-0")
    only(world, world.pods("team", cpu=2, waiting=True, priority=9), SSD)
    decisions = world.decide(policy=AT_ONCE)
    assert freed(world, decisions) == ["node-0"] * 2
    assert {eviction.owner for eviction in decisions.evictions} == {"team"}


def test_of_many_kinds_that_find_no_node_the_others_wait_behind_them() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team")
    world.pods("team", 7)
    for memory in range(70):
        (pod,) = world.pods("team", cpu=1, waiting=True)
        request = {**pod.request, "memory": 65 + memory}
        world.ledger.upsert_pod(replace(pod, request={**request, names.CPU: 1001 + memory}))
    (fits,) = world.pods("team", waiting=True)
    world.node("node-1", cpu=1)
    reasons = [wait.message for wait in world.decide().waits if wait.reason == "NoNodeFitsNow"]
    assert len(reasons) in (70, 71)
    assert fits.uid


def test_a_tree_with_a_written_total_has_no_nodes_that_are_asked() -> None:
    world = World(nodes=1, cpu=8)
    world.ledger.delete_profile(Key("system", "pool"))
    root = world.ledger.quotas[Key("system", ROOT)]
    world.ledger.upsert_quota(replace(root, profile="", total=amounts(cpu=20)))
    world.quota("team")
    pods = only(world, world.pods("team", 2, cpu=10, waiting=True), SSD)
    decisions = world.decide()
    assert released(decisions) == [pod.uid for pod in pods]
    assert decisions.clocks.booked == {}


def test_equal_pods_of_a_cycle_are_expected_on_one_node_after_the_other() -> None:
    world = World(nodes=3, cpu=8)
    world.quota("team-a")
    pods = world.pods("team-a", 4, waiting=True)
    booked = world.decide().clocks.booked
    assert [booked[pod.uid] for pod in pods] == ["node-0", "node-1", "node-2", "node-0"]


def test_pods_are_expected_on_the_emptiest_node_first_and_never_beyond_its_room() -> None:
    world = World(nodes=3, cpu=8)
    world.quota("team-a")
    world.pods("team-a", 6, node="node-0")
    world.pods("team-a", 2, node="node-2")
    pods = world.pods("team-a", 6, cpu=2, waiting=True)
    booked = world.decide().clocks.booked
    nodes = [booked[pod.uid].removeprefix("node-") for pod in pods]
    assert nodes == ["1", "2", "0", "1", "2", "1"]


def test_two_pods_that_were_expected_on_one_node_are_not_both_there_without_room() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    pods = world.pods("team-a", 2, cpu=5, bound=False)
    world.ledger.remember(Clocks(booked={pod.uid: "node-0" for pod in pods}))
    world.pods("team-a", cpu=5, waiting=True)
    assert world.decide().releases == ()


def test_a_pod_that_no_node_has_room_for_is_booked_and_kept_nowhere() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.pods("team-a", 6)
    (pod,) = world.pods("team-a", cpu=3, waiting=True)
    cluster = world.ledger.update(Accounting())
    nodes = NodeCapacity(cluster, TREE, (), ExpectedPods())
    nodes.book("team-a", [pod])
    nodes.keep("team-a", [pod])
    assert nodes.booked() == {}
    assert nodes.reservations.missing("node-0", {"cpu": 3_000}) == {"cpu": 1_000}
