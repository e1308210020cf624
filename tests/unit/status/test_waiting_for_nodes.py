"""Which quotas say that their admitted pods wait for nodes."""

from elasticquota.model.pod import Pod
from elasticquota.structs import replace
from worlds import World


def said(world: World) -> dict[str, str]:
    return {
        status.key.name: condition.message
        for status in world.decide().statuses
        for condition in status.conditions
        if condition.type == "WaitingForNodes"
    }


def refused(world: World, pods: list[Pod]) -> None:
    for pod in pods:
        world.ledger.upsert_pod(replace(pod, unplaced_since=0, refused=True))


def growing() -> World:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b")
    world.elastic(cpu=20)
    return world


def test_a_quota_says_how_many_of_its_pods_wait_and_how_far_the_tree_has_grown() -> None:
    world = growing()
    refused(world, world.pods("team-a", 2, cpu=6, bound=False))
    refused(world, world.pods("team-b", 1, cpu=1, bound=False))
    assert said(world) == {
        "team-a": "2 admitted pods: waiting for nodes (8 of at most 20 cpu)",
        "team-b": "1 admitted pod: waiting for nodes (8 of at most 20 cpu)",
    }


def test_a_pod_that_the_scheduler_has_not_refused_waits_for_no_node() -> None:
    world = growing()
    world.pods("team-a", 2, cpu=6, bound=False, unplaced_since=0)
    assert said(world) == {}


def test_a_pod_that_timed_out_is_reported_as_such() -> None:
    world = growing()
    refused(world, world.pods("team-a", 1, cpu=12, bound=False))
    world.ledger.set_time(900_000)
    assert said(world) == {}


def test_only_a_tree_that_may_grow_waits_for_nodes() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    refused(world, world.pods("team-a", 2, cpu=6, bound=False))
    assert said(world) == {}
