"""Usage beyond limits that no pod waits for: a lowered max, lost nodes, devices that vanish."""

import pytest

from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.key import Key
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World


DELAY, GRACE = Policy().delay, Policy().grace


def long_over_runtime(world: World) -> World:
    """team-a has long held twice its runtime, because the pods of other-team are not ready."""
    world.quota("team-a", max=40)
    world.quota("other-team", min=20)
    world.pods("team-a", 40)
    world.pods("other-team", 20, waiting=True, foreign_gate="example.com/later")
    world.decide(now=0)
    world.decide(now=10 * DELAY)
    return world


def test_a_lowered_max_has_its_delay_though_usage_was_above_the_runtime_before() -> None:
    world = long_over_runtime(World(nodes=5, cpu=8))
    world.quota("team-a", max=5)
    decisions = world.decide(now=10 * DELAY)
    assert decisions.evictions == ()
    assert decisions.wake_at == 11 * DELAY
    assert world.decide(now=11 * DELAY - 1).evictions == ()
    assert len(world.decide(now=11 * DELAY).evictions) == 35


def test_lost_nodes_have_their_delay_though_usage_was_above_the_runtime_before() -> None:
    world = long_over_runtime(World(nodes=5, cpu=8))
    world.ledger.delete_node("node-4")
    assert world.decide(now=10 * DELAY).evictions == ()
    world.node("node-4", cpu=8)
    assert world.decide(now=11 * DELAY).evictions == ()
    world.ledger.delete_node("node-4")
    assert world.decide(now=12 * DELAY).evictions == ()
    assert len(world.decide(now=13 * DELAY).evictions) > 0


GPU = "nvidia.com/gpu"


def gpus_in_use(*offered: int, least: int = 4) -> World:
    """Six pods with a GPU each in a quota with that min, on nodes that offer so many now."""
    world = World(nodes=2, cpu=32)
    world.quota("team-a")
    quota = world.ledger.quotas[Key("teams", "team-a")]
    world.ledger.upsert_quota(replace(quota, min={GPU: least}, max={GPU: 8}))
    for node in ("node-0", "node-1"):
        for pod in world.pods("team-a", 3, node=node, prefix=node):
            world.ledger.upsert_pod(replace(pod, request={**pod.request, GPU: 1}))
    offer(world, *offered)
    return world


def offer(world: World, *gpus: int) -> None:
    """Set how many GPUs each node has now."""
    for name, count in zip(("node-0", "node-1"), gpus, strict=True):
        node = world.ledger.nodes[name]
        world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, GPU: count}))


@pytest.mark.parametrize(("offered", "gone"), [((3, 3), 0), ((0, 0), 0), ((0, 5), 1)])
def test_devices_that_vanish_from_all_nodes_cost_no_pod(
    offered: tuple[int, int], gone: int
) -> None:
    """A driver restarts. As long as some nodes offer the device, the rule of lost nodes counts."""
    world = gpus_in_use(*offered)
    world.decide(now=0)
    assert len(world.decide(now=DELAY).evictions) == gone


@pytest.mark.parametrize(("least", "of_late"), [(4, 1), (0, 0)], ids=["guarantee", "fair share"])
def test_devices_that_return_node_by_node_cost_no_pod_before_the_delay(
    least: int, of_late: int
) -> None:
    world = gpus_in_use(0, 0, least=least)
    world.quota("late", min=0)
    quota = world.ledger.quotas[Key("teams", "late")]
    world.ledger.upsert_quota(replace(quota, min={GPU: of_late}))
    (late,) = world.pods("late", waiting=True)
    world.ledger.upsert_pod(replace(late, request={**late.request, GPU: 1}))
    world.decide(now=0)
    world.decide(now=10 * DELAY)
    offer(world, 4, 0)
    assert world.decide(now=10 * DELAY).evictions == ()
    offer(world, 4, 4)
    assert world.decide(now=10 * DELAY).evictions == ()


def test_devices_that_vanish_protect_no_cpu() -> None:
    """team-a holds 4 cpu beyond its max, and all its GPUs are gone."""
    world = gpus_in_use(0, 0)
    quota = world.ledger.quotas[Key("teams", "team-a")]
    world.ledger.upsert_quota(replace(quota, max={GPU: 8, "cpu": 2_000}))
    world.decide(now=0)
    assert len(world.decide(now=DELAY).evictions) == 4


def test_a_declared_total_of_no_devices_is_a_limit() -> None:
    world = gpus_in_use(3, 3)
    world.capacity(CapacityMode("Declared", total={"cpu": 64_000, GPU: 0}))
    world.decide(now=0)
    assert len(world.decide(now=DELAY).evictions) > 0
