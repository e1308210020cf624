"""Reclaim makes room for those pods that get it, and evicts none that they do not need."""

from elasticquota.scheduling.policy import Policy
from worlds import World


DELAY = Policy().delay


def test_room_is_made_for_the_pods_that_will_get_it() -> None:
    """After one more pod of team-a it is the turn of team-b, whose pod is smaller.

    Room for two pods of team-a would take another victim, and the second pod would not get it.
    """
    world = World(nodes=1, cpu=32)
    world.quota("dept", min=36, is_parent=True)
    world.quota("lender", lent=False)
    for team in ("team-a", "team-b", "team-c"):
        world.quota(team, parent="dept")
    world.pods("lender", cpu=1)
    world.pods("lender", cpu=2)
    world.pods("lender", 3, cpu=5, preemptible=False)
    world.pods("team-a", 7)
    world.pods("team-b", 4)
    world.pods("team-c", 1)
    world.pods("team-a", 2, cpu=4, waiting=True)
    world.pods("team-b", cpu=3, waiting=True)
    world.decide(now=0)
    evictions = world.decide(now=DELAY).evictions
    assert [(each.request["cpu"], each.owner) for each in evictions] == [(5_000, "team-b")]
    world.carry_out_evictions(world.decide(now=DELAY))
    released = world.decide(now=DELAY).releases
    assert sorted(each.quota for each in released) == ["team-a", "team-b"]


def test_a_victim_is_spared_although_room_was_kept_on_its_node_if_a_larger_one_leaves_enough() -> (
    None
):
    world = World(nodes=3, cpu=8)
    world.quota("dept", min=36, is_parent=True)
    world.quota("loner", min=2, lent=False)
    for team in ("team-a", "team-b", "team-c"):
        world.quota(team, parent="dept")
    world.pods("loner", 2, waiting=True)
    world.pods("team-a", waiting=True)
    world.pods("team-b", node="node-2")
    world.pods("team-b", 2, cpu=2, node="node-1")
    world.pods("team-b", 2, cpu=2, node="node-2")
    world.pods("team-c", prefix="small", node="node-2")
    world.pods("team-c", cpu=2, preemptible=False, node="node-2")
    world.pods("team-c", cpu=4, preemptible=False, prefix="large", node="node-1")
    world.pods("team-c", 2, cpu=4, preemptible=False, node="node-0")
    world.decide(now=0)
    for_min = world.decide(now=Policy().grace).evictions
    assert [each.pod.name.partition("-")[0] for each in for_min] == ["small"]
    both = world.decide(now=DELAY).evictions
    assert [each.request["cpu"] for each in both] == [4_000]
