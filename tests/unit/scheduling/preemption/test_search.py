"""Victims are chosen on a node where the waiting pod then fits."""

from unittest.mock import patch

from elasticquota.model.constraints import Constraints
from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.preemption.rights import RightsOfClaim
from elasticquota.structs import replace
from worlds import World


AT_ONCE = Policy(grace=0, delay=0)


def scattered(cpu: int = 4, priorities: tuple[int, ...] = (0,)) -> World:
    """Three full nodes of 4 cpu with pods of 1 cpu in turn; team-b waits for ``cpu``."""
    world = World(nodes=3, cpu=4)
    world.quota("team-a")
    world.quota("team-b", min=6)
    for turn in range(4):
        for node in range(3):
            priority = priorities[(turn * 3 + node) % len(priorities)]
            world.pods("team-a", node=f"node-{node}", priority=priority)
    world.pods("team-b", cpu=cpu, waiting=True)
    return world


def freed(world: World, decisions: Decisions) -> list[str]:
    """The nodes of the victims."""
    return sorted(world.ledger.pods[eviction.pod].node_name for eviction in decisions.evictions)


def change(world: World, name: str, **labels: str) -> None:
    node = world.ledger.nodes[name]
    world.ledger.upsert_node(replace(node, labels={**node.labels, **labels}))


def youngest(world: World) -> Pod:
    return max(
        (pod for pod in world.ledger.pods.values() if pod.bound), key=lambda pod: pod.created
    )


def test_equally_important_victims_go_together_where_the_waiting_pod_then_fits() -> None:
    world = scattered()
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-2"] * 4


def test_the_node_of_the_least_important_victim_is_preferred() -> None:
    world = scattered(cpu=1)
    (eviction,) = world.decide(policy=AT_ONCE).evictions
    assert eviction.uid == youngest(world).uid


def test_free_room_on_a_node_counts() -> None:
    world = scattered()
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-2"] * 4
    gone = [pod.key for pod in world.ledger.pods.values() if pod.node_name == "node-0"][:2]
    for key in gone:
        world.ledger.delete_pod(key)
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-0"] * 2


def test_terminating_pods_count_as_free() -> None:
    world = scattered()
    leaving = [pod for pod in world.ledger.pods.values() if pod.node_name == "node-0"][:2]
    for pod in leaving:
        world.ledger.upsert_pod(replace(pod, deleting=True))
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-0"] * 2


def test_a_node_that_takes_no_pods_is_not_preferred() -> None:
    world = scattered()
    world.node("node-2", cpu=4, cordoned=True)
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-1"] * 4


def test_a_node_that_the_waiting_pod_may_not_use_is_not_preferred() -> None:
    world = scattered()
    change(world, "node-0", kind="fast")
    (waiting,) = (pod for pod in world.ledger.pods.values() if pod.gated)
    world.ledger.upsert_pod(replace(waiting, constraints=Constraints((("kind", "fast"),))))
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-0"] * 4


def test_less_important_pods_elsewhere_are_not_evicted_in_vain() -> None:
    """Two of the four least important pods are on node-1, two on node-2: neither is enough."""
    world = scattered(priorities=(9, 9, 9, 9, 0, 0, 9, 0, 0, 9, 9, 9))
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-2"] * 4


def uneven(*, old: int, young: int) -> World:
    """Two full nodes of 8 cpu; team-b waits for 4 cpu on node-0, which has pods of ``old`` cpu."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=8)
    world.pods("team-a", 8 // old, cpu=old, node="node-0")
    world.pods("team-a", 8 // young, cpu=young, node="node-1")
    change(world, "node-0", kind="fast")
    (waiting,) = world.pods("team-b", cpu=4, waiting=True)
    world.ledger.upsert_pod(replace(waiting, constraints=Constraints((("kind", "fast"),))))
    return world


def test_as_many_pods_go_as_the_waiting_pod_needs_on_its_node() -> None:
    world = uneven(old=1, young=4)
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-0"] * 4


def test_younger_pods_of_another_node_stay() -> None:
    world = uneven(old=4, young=2)
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-0"]


def test_preemption_looks_at_nodes_too() -> None:
    world = World(nodes=3, cpu=4)
    world.quota("team-a", min=12, max=12)
    for _ in range(4):
        for node in range(3):
            world.pods("team-a", node=f"node-{node}")
    world.pods("team-a", cpu=4, waiting=True, priority=9)
    assert freed(world, world.decide(policy=AT_ONCE)) == ["node-2"] * 4


def test_no_pod_is_tried_for_an_exchange_where_the_nodes_lack_more_than_one_returns() -> None:
    """Each of hundreds of waiting pods would try all running ones."""
    world = World(nodes=5, cpu=8)
    for name in ("large", "small", "waiting"):
        world.quota(name)
    world.pods("large", 3, cpu=6)
    world.pods("small", 20)
    world.pods("waiting", cpu=6, waiting=True)
    for lost in (2, 3, 4):
        world.ledger.delete_node(f"node-{lost}")
    with patch.object(
        RightsOfClaim, "victim", autospec=True, side_effect=RightsOfClaim.victim
    ) as tried:
        decisions = world.decide(0, AT_ONCE)
    assert {each.right for each in decisions.evictions} == {"limit"}
    assert not tried.called
