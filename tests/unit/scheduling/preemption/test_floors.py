"""What one borrower returns for the min of another quota, pod by pod."""

from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from pool_worlds import GPU, PoolWorld
from worlds import TREE, World, amounts


AT_ONCE = Policy(grace=0, delay=120_000)


def overcommitted(pods: int) -> World:
    """Of 8 cpu 14 are guaranteed; team-a holds pods of 4 cpu, its min is 8, and an owner waits."""
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=6)
    world.quota("team-a", min=8)
    world.pods("team-a", pods, cpu=4, bound=False)
    world.pods("owner", waiting=True)
    return world


def test_only_pods_that_are_partly_beyond_min_go_and_where_they_are_not_enough_none() -> None:
    """The first of three pods is borrowed; a second one would be taken from what is guaranteed."""
    assert overcommitted(3).decide(policy=AT_ONCE).evictions == ()


def test_a_pod_that_is_borrowed_goes_where_it_is_enough() -> None:
    world = overcommitted(3)
    world.node("node-1", cpu=4)
    assert len(world.decide(policy=AT_ONCE).evictions) == 1


def test_for_a_fair_share_the_last_unit_of_a_resource_that_no_quota_shares_is_returned() -> None:
    """team-a holds all 8 cpu, and the only device of the node."""
    world = World(nodes=1, cpu=8)
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, "fpga": 1}))
    world.quota("team-a")
    world.quota("owner")
    (holder, *_) = world.pods("team-a", 8)
    (waiting,) = world.pods("owner", waiting=True)
    for pod in (holder, waiting):
        world.ledger.upsert_pod(replace(pod, request={**pod.request, "fpga": 1}))
    decisions = world.decide(policy=Policy(grace=0, delay=0))
    assert [each.uid for each in decisions.evictions] == [holder.uid]


def test_a_single_device_within_min_stays_though_another_quota_has_the_runtime() -> None:
    """Both mins are the one device of the node; team-a holds it, and the owner's pod waits."""
    world = World(nodes=1, cpu=8)
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, **amounts(gpu=1)}))
    world.quota("owner", min=amounts(cpu=1, gpu=1))
    world.quota("team-a", min=amounts(cpu=1, gpu=1))
    for pod in (*world.pods("team-a"), *world.pods("owner", waiting=True)):
        world.ledger.upsert_pod(replace(pod, request={**pod.request, **amounts(gpu=1)}))
    runtimes = world.ledger.update(AT_ONCE.accounting).trees[TREE].runtimes
    gpu = {name: runtimes.runtime(name)["nvidia.com/gpu"] for name in ("owner", "team-a")}
    assert gpu == {"owner": 1, "team-a": 0}
    assert world.decide(policy=AT_ONCE).evictions == ()


def two_pools_of_one_node() -> PoolWorld:
    """Each node has 3 cpu and 2 GPUs. Quota large holds 4 cpu, all of a100 and one GPU of t4."""
    world = PoolWorld(a100=1, t4=1, size=2)
    for name in ("a100-0", "t4-0"):
        node = world.ledger.nodes[name]
        world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, "cpu": 3_000}))
    world.quota("large", {"cpu": 1_000}, {})
    world.quota("small", {}, {})
    for gpus, on in ((2, "a100-0"), (1, "t4-0")):
        sized(world, world.gpu_pods("large", gpus=gpus, on=on))
    (without,) = world.gpu_pods("small", on="a100-0")
    asked = {key: amount for key, amount in without.request.items() if key != GPU}
    world.ledger.upsert_pod(replace(without, request=asked))
    return world


def sized(world: PoolWorld, pods: list[Pod]) -> None:
    """Let each request 2 cpu."""
    for pod in pods:
        world.ledger.upsert_pod(replace(pod, request={**pod.request, "cpu": 2_000}))


def test_what_a_quota_holds_of_another_pool_is_no_reason_to_give_room_in_this_one() -> None:
    """The two would take the room of t4 from each other without end.

    A pod that may go to both counts in both while it waits. Then large holds twice its runtime of
    a100, and would give its pod in t4; there it holds a smaller part than small does after that.
    """
    world = two_pools_of_one_node()
    sized(world, world.gpu_pods("small"))
    world.decide(policy=AT_ONCE)
    assert world.decide(AT_ONCE.delay, AT_ONCE).evictions == ()
