"""No pod is preempted when the scheduler places pods on other nodes than expected."""

import pytest

from elasticquota.model.clocks import Clocks
from elasticquota.model.constraints import Constraints, NodeRequirement, NodeTerm
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.pod import Pod
from elasticquota.structs import replace
from worlds import World


LESS, MORE = 1, 10


def two_nodes() -> World:
    """A guaranteed pod of low priority fills most of each node; node-0 has 4 cpu left, node-1 2."""
    world = World(nodes=2, cpu=8)
    world.quota("own", min=10)
    world.quota("bor")
    world.pods("own", cpu=4, node="node-0")
    world.pods("own", cpu=6, node="node-1")
    return world


def on_its_way(world: World, cpu: int, node: str) -> Pod:
    """An admitted pod that no node has taken yet, and that we expect on ``node``."""
    (pod,) = world.pods("bor", cpu=cpu, bound=False)
    world.ledger.remember(Clocks(booked={pod.uid: node}))
    return pod


def released(decisions: Decisions) -> list[str]:
    return [release.quota for release in decisions.releases]


def test_a_pod_that_may_preempt_waits_until_those_before_it_have_nodes() -> None:
    """The small one is expected on either node; on node-0 it would leave too little."""
    world = two_nodes()
    small = on_its_way(world, 2, "node-1")
    (large,) = world.pods("bor", cpu=4, waiting=True, priority=MORE)
    (wait,) = world.decide().waits
    assert wait.pod == large.key
    assert wait.reason == "NoNodeFitsNow"
    assert (
        "pods that have no node yet may take it, and then it would preempt others" in wait.message
    )
    world.ledger.upsert_pod(replace(small, node_name="node-1", started=world.time()))
    assert released(world.decide()) == ["bor"]


@pytest.mark.parametrize("large", [{"priority": MORE, "may_preempt": False}, {"priority": 0}])
def test_a_pod_that_preempts_nothing_is_released_at_once(large: dict[str, int]) -> None:
    world = two_nodes()
    on_its_way(world, 2, "node-1")
    world.pods("bor", cpu=4, waiting=True, **large)  # type: ignore[arg-type]
    assert released(world.decide()) == ["bor"]


def test_room_for_all_of_the_largest_size_is_enough() -> None:
    world = two_nodes()
    on_its_way(world, 2, "node-1")
    world.pods("bor", 2, cpu=2, waiting=True, priority=MORE)
    assert released(world.decide()) == ["bor", "bor"]


def test_a_later_pod_does_not_make_a_released_pod_uncertain() -> None:
    world = two_nodes()
    (large,) = world.pods("bor", cpu=4, bound=False, priority=MORE)
    world.pods("bor", cpu=2, waiting=True)
    assert released(world.decide()) == []
    world.ledger.upsert_pod(replace(large, node_name="node-0", started=world.time()))
    assert released(world.decide()) == ["bor"]


def test_nor_does_a_pod_less_important_than_all_others() -> None:
    """Until now all were equally important."""
    world = World(nodes=2, cpu=8)
    world.quota("bor")
    world.pods("bor", cpu=4, node="node-0", priority=LESS)
    world.pods("bor", cpu=6, node="node-1", priority=LESS)
    world.pods("bor", cpu=4, bound=False, priority=LESS)
    (small,) = world.pods("bor", cpu=2, waiting=True)
    assert released(world.decide()) == []
    world.ledger.upsert_pod(replace(small, priority=LESS))
    assert released(world.decide()) == ["bor"]


def labelled(world: World) -> None:
    """Label each node with its number."""
    for name, node in list(world.ledger.nodes.items()):
        number = name.removeprefix("node-")
        world.ledger.upsert_node(replace(node, labels={**node.labels, "n": number}))


def only_on(world: World, pod: Pod, *numbers: str) -> None:
    term = NodeTerm((NodeRequirement("n", "In", numbers),))
    world.ledger.upsert_pod(replace(pod, constraints=Constraints((), (term,))))


def test_a_less_important_pod_waits_wherever_it_goes() -> None:
    """Two of equal priority may both go to node-1, which has room for one of them."""
    world = World(nodes=2, cpu=8)
    world.quota("bor")
    labelled(world)
    world.pods("bor", cpu=5, node="node-1", priority=LESS)
    for pod in world.pods("bor", 2, cpu=2, bound=False, priority=LESS):
        only_on(world, pod, "1")
    (last,) = world.pods("bor", waiting=True)
    only_on(world, last, "0")
    assert released(world.decide()) == []
    world.ledger.upsert_pod(replace(last, priority=LESS))
    assert released(world.decide()) == ["bor"]


def test_an_unbound_pod_that_may_not_preempt_blocks_no_release() -> None:
    world = two_nodes()
    world.pods("bor", cpu=4, bound=False, priority=MORE, may_preempt=False)
    world.pods("bor", cpu=2, waiting=True)
    assert released(world.decide()) == ["bor"]


def test_a_pod_keeps_off_no_node_that_it_may_need() -> None:
    """Room is kept on node-0. The pod needs one of the two nodes, whatever the other pod takes."""
    world = World(nodes=3, cpu=8)
    labelled(world)
    world.quota("own", min=8)
    world.quota("bor")
    world.pods("bor", 4, node="node-0", deleting=True)
    world.pods("bor", 2, node="node-1")
    only_on(world, on_its_way(world, 3, "node-0"), "0", "1")
    (full,) = world.pods("own", cpu=5, waiting=True)
    only_on(world, full, "0")
    (pod,) = world.pods("bor", cpu=4, waiting=True, priority=MORE)
    only_on(world, pod, "0", "1")
    (release,) = world.decide().releases
    assert "NotIn" not in {each.operator for each in release.nodes.requirements}
    world.ledger.upsert_pod(replace(pod, constraints=Constraints(), priority=0))
    only_on(world, world.ledger.pods[pod.key], "0", "1")
    (release,) = world.decide().releases
    assert "NotIn" in {each.operator for each in release.nodes.requirements}


def test_a_pod_that_cannot_come_onto_its_nodes_is_no_danger() -> None:
    world = two_nodes()
    labelled(world)
    only_on(world, on_its_way(world, 2, "node-1"), "1")
    world.pods("bor", cpu=4, waiting=True, priority=MORE)
    assert released(world.decide()) == ["bor"]


def test_a_pod_that_the_scheduler_refuses_for_long_blocks_no_pod() -> None:
    world = two_nodes()
    (stuck,) = world.pods("bor", cpu=2, bound=False, unplaced_since=0)
    world.ledger.upsert_pod(replace(stuck, refused=True))
    world.pods("bor", cpu=4, waiting=True, priority=MORE)
    assert released(world.decide()) == []
    world.ledger.set_time(60_000)
    assert released(world.decide()) == ["bor"]


def test_a_group_that_only_its_own_pods_make_uncertain_is_released() -> None:
    world = two_nodes()
    group = Group("both", 2)
    world.pods("bor", cpu=4, waiting=True, priority=MORE, group=group)
    world.pods("bor", cpu=2, waiting=True, priority=MORE, group=group)
    assert released(world.decide()) == ["bor", "bor"]


def test_idle_resources_beyond_all_shares_follow_the_same_rule() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("own", min=10)
    world.quota("bor", max=6)
    world.quota("idle", min=6, lent=True)
    world.pods("own", cpu=4, node="node-0")
    world.pods("own", cpu=6, node="node-1")
    on_its_way(world, 2, "node-1")
    world.pods("idle", cpu=5, waiting=True)
    world.pods("bor", cpu=4, waiting=True, priority=MORE)
    assert released(world.decide()) == []


def test_idle_room_is_not_given_to_a_pod_that_might_preempt_for_it() -> None:
    """Neither quota has runtime for its pod; of the idle 4 cpu, the small one may take 2."""
    world = two_nodes()
    world.quota("rival")
    world.pods("rival", cpu=5, waiting=True)
    small = on_its_way(world, 2, "node-1")
    (large,) = world.pods("bor", cpu=4, waiting=True, priority=MORE)
    assert world.decide().releases == ()
    world.ledger.upsert_pod(replace(small, node_name="node-1", started=world.time()))
    assert [release.uid for release in world.decide().releases] == [large.uid]
