"""A node is cleared for a pod that has room in its quota and on no single node."""

import pytest

from elasticquota.model.constraints import Constraints
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import GI, World, amounts


AT_ONCE = Policy(grace=0, delay=0)


def scattered(team_min: int, **facts: object) -> World:
    """Of two nodes of 4 cpu, team-a leaves 2 free on the first and 1 on the second.

    The owner's pod needs 3 on one node.
    """
    world = World(nodes=2, cpu=4)
    world.quota("owner", min=3)
    world.quota("team-a", min=team_min)
    world.pods("team-a", 2, node="node-0", **facts)  # type: ignore[arg-type]
    world.pods("team-a", 3, node="node-1")
    world.pods("owner", cpu=3, waiting=True)
    return world


def cleared(world: World, decisions: Decisions) -> list[str]:
    return [world.ledger.pods[eviction.pod].node_name for eviction in decisions.evictions]


@pytest.mark.parametrize(("team_min", "nodes"), [(3, ["node-0"]), (4, ["node-0"]), (5, [])])
def test_a_quota_is_asked_for_pods_down_to_its_min_and_no_further(
    team_min: int, nodes: list[str]
) -> None:
    world = scattered(team_min)
    assert cleared(world, world.decide(policy=AT_ONCE)) == nodes


def test_the_message_of_the_victim_names_the_node_and_what_is_held_beyond_min() -> None:
    (eviction,) = scattered(4).decide(policy=AT_ONCE).evictions
    assert eviction.message == (
        "quota team-a uses 1 cpu beyond its guarantee; quota owner reclaims the room on node "
        "node-0 for pod teams/owner-12-0 (within its guarantee). It starts again when team-a "
        "has room"
    )


def test_the_message_names_every_resource_beyond_min_and_no_pod_slots() -> None:
    world = scattered(4)
    pod = next(pod for pod in world.ledger.pods.values() if pod.node_name == "node-1")
    world.ledger.upsert_pod(replace(pod, request={**pod.request, "memory": 2 * GI}))
    (eviction,) = world.decide(policy=AT_ONCE).evictions
    assert eviction.message.startswith("quota team-a uses 1 cpu, 2Gi memory beyond its guarantee;")


def halves(team_min: int) -> World:
    """Two nodes of 4 cpu, each half free, the first with a gang. The owner's pod needs a node."""
    world = World(nodes=2, cpu=4)
    world.quota("owner", min=4)
    world.quota("team-a", min=team_min)
    world.pods("team-a", 2, node="node-0", group=Group("train", 2))
    world.pods("team-a", 2, node="node-1")
    world.pods("owner", cpu=4, waiting=True)
    return world


@pytest.mark.parametrize(("team_min", "nodes"), [(2, ["node-0"] * 2), (4, [])])
def test_a_gang_leaves_a_node_as_one_victim_if_its_quota_keeps_its_min(
    team_min: int, nodes: list[str]
) -> None:
    world = halves(team_min)
    assert cleared(world, world.decide(policy=AT_ONCE)) == nodes


def test_for_a_gang_small_pods_go_where_a_large_one_leaves_too_few_to_give() -> None:
    """team-a may lose 3 of its 6 cpu: its pod of 3 would make room for one of the gang only."""
    world = World(nodes=1, cpu=5)
    world.node("node-1", cpu=2)
    world.quota("owner", min=4)
    world.quota("team-a", min=3)
    (one,) = world.pods("team-a", node="node-1")
    (two,) = world.pods("team-a", cpu=2, node="node-0")
    world.pods("team-a", cpu=3, node="node-0")
    world.pods("owner", 2, cpu=2, waiting=True, group=Group("train", 2))
    found = world.decide(policy=AT_ONCE)
    assert {each.uid for each in found.evictions} == {one.uid, two.uid}


def test_a_gang_leaves_a_node_behind_a_pod_that_returns_as_much_there() -> None:
    """The gang may go last, while its quota is above its min; behind it the pod could not go."""
    world = World(nodes=1, cpu=4)
    world.node("node-1", cpu=2)
    world.quota("owner", min=3)
    world.quota("team-a", min=3)
    world.pods("team-a", cpu=2, node="node-0")
    _, half = world.pods("team-a", 2, cpu=2, node="node-0", group=Group("train", 2))
    world.ledger.upsert_pod(replace(half, node_name="node-1"))
    world.pods("owner", cpu=3, waiting=True)
    decisions = world.decide(policy=AT_ONCE)
    assert sorted(cleared(world, decisions)) == ["node-0", "node-0", "node-1"]


def test_a_gang_stays_where_pods_of_the_node_alone_return_more_within_the_same_floor() -> None:
    """team-a may lose 3 of its 5 cpu. The gang, which is younger, is 2 of them and 1 there."""
    world = World(nodes=1, cpu=4)
    world.node("node-1", cpu=2)
    world.quota("owner", min=3)
    world.quota("team-a", min=2)
    alone = world.pods("team-a", 3, node="node-0")
    for node in ("node-0", "node-1"):
        world.pods("team-a", node=node, group=Group("train", 2))
    world.pods("owner", cpu=3, waiting=True)
    found = world.decide(policy=AT_ONCE)
    assert {each.uid for each in found.evictions} == {each.uid for each in alone}


def test_a_gang_stays_where_room_kept_on_one_of_its_nodes_may_be_on_the_other() -> None:
    """Without both gangs the owner's pods fit on one node, without the large one on two."""
    world = World(nodes=2, cpu=4)
    world.quota("owner", min=5)
    world.quota("team-a", min=1)
    world.pods("owner", node="node-0")
    large = [
        world.pods("team-a", cpu=2, node=node, group=Group("goes", 2))[0]
        for node in ("node-1", "node-0")
    ]
    for node in ("node-1", "node-0"):
        world.pods("team-a", node=node, group=Group("stays", 2))
    world.pods("owner", 2, cpu=2, waiting=True, group=Group("asks", 2))
    found = world.decide(policy=AT_ONCE)
    assert {each.uid for each in found.evictions} == {each.uid for each in large}


@pytest.mark.parametrize(("team_min", "sizes"), [(2, (2, 2)), (3, (3, 2)), (3, (2, 3))])
def test_a_small_pod_stays_where_it_leaves_too_few_to_give_for_two_large_ones(
    team_min: int, sizes: tuple[int, int]
) -> None:
    """One of the large ones is beyond ``min``, then the other in part; no third one is."""
    world = World(nodes=1, cpu=1 + sum(sizes))
    world.node("node-1", cpu=2)
    world.quota("owner", min=sum(sizes))
    world.quota("other")
    world.quota("team", min=team_min)
    world.pods("other", cpu=2, node="node-1")
    large = [pod for cpu in sizes for pod in world.pods("team", cpu=cpu)]
    world.pods("team")
    world.pods("owner", cpu=sum(sizes), waiting=True)
    assert {each.pod for each in world.decide(policy=AT_ONCE).evictions} == {p.key for p in large}


def test_for_a_gang_another_one_goes_that_returns_just_what_is_missing_on_each_node() -> None:
    """team-a may lose 2 of its 6 cpu: a younger pod of 2 is enough for one of the gang only."""
    world = World(nodes=2, cpu=4)
    world.quota("owner", min=4)
    world.quota("team-a", min=4)
    gang = [
        world.pods("team-a", node=node, group=Group("train", 2))[0] for node in ("node-0", "node-1")
    ]
    for node in ("node-0", "node-1"):
        world.pods("team-a", cpu=2, node=node)
    world.pods("owner", 2, cpu=2, waiting=True, group=Group("asks", 2))
    found = world.decide(policy=AT_ONCE)
    assert {each.uid for each in found.evictions} == {each.uid for each in gang}


def test_for_a_gang_another_node_is_cleared_first_where_the_other_one_uses_up_the_floor() -> None:
    """team-a may lose 4 of its 6 cpu. The gang on node-0 alone is enough there, and too much."""
    world = World(nodes=1, cpu=4)
    world.node("node-1", cpu=2)
    world.quota("owner", min=4)
    world.quota("team-a", min=2)
    older = [
        world.pods("team-a", node=node, group=Group("older", 2))[0] for node in ("node-0", "node-1")
    ]
    world.pods("team-a", 2, node="node-0", group=Group("alone", 2))
    younger = [
        world.pods("team-a", node=node, group=Group("younger", 2))[0]
        for node in ("node-0", "node-1")
    ]
    world.pods("owner", 2, cpu=2, waiting=True, group=Group("asks", 2))
    found = world.decide(policy=AT_ONCE)
    assert {each.uid for each in found.evictions} == {each.uid for each in (*older, *younger)}


def test_a_gang_leaves_a_node_that_one_of_its_pods_alone_could_stay_on() -> None:
    world = scattered(3, group=Group("train", 2))
    assert cleared(world, world.decide(policy=AT_ONCE)) == ["node-0"] * 2


def test_a_node_with_less_important_victims_is_cleared_though_there_are_more_of_them() -> None:
    world = scattered(3, priority=1)
    assert cleared(world, world.decide(policy=AT_ONCE)) == ["node-1"] * 2


def two_teams(pods: int, **facts: object) -> World:
    """node-0 has 2 cpu free beside a pod of one team and ``pods`` of another; the owner needs 3."""
    cpu = pods + 3
    world = World(nodes=2, cpu=cpu)
    world.quota("owner", min=3)
    world.quota("older")
    world.quota("younger")
    world.quota("stays", min=cpu - 1)
    world.pods("older", node="node-0")
    world.pods("younger", node="node-0", **facts)  # type: ignore[arg-type]
    world.pods("stays", cpu - 1, node="node-1")
    world.pods("owner", cpu=3, waiting=True)
    return world


def test_a_node_that_one_large_pod_leaves_is_cleared_before_one_of_which_two_would_go() -> None:
    """Though a small pod of it would go first, and the two are younger."""
    world = World(nodes=2, cpu=5)
    world.quota("owner", min=4)
    world.quota("team-a")
    (large,) = world.pods("team-a", cpu=4, node="node-0")
    world.pods("team-a", cpu=1, node="node-0")
    world.pods("team-a", 2, cpu=2, node="node-1")
    world.pods("owner", cpu=4, waiting=True)
    assert [each.pod for each in world.decide(policy=AT_ONCE).evictions] == [large.key]


@pytest.mark.parametrize("evict_last", [False, True])
def test_to_be_evicted_last_moves_no_eviction_to_another_quota(evict_last: bool) -> None:
    """Both hold as large a part of their runtime, so the first by name gives."""
    (eviction,) = two_teams(1, evict_last=evict_last).decide(policy=AT_ONCE).evictions
    assert eviction.quota == "older"


def test_on_a_node_too_a_quota_evicts_last_the_pods_that_say_so() -> None:
    world = two_teams(2, evict_last=True)
    world.quota("older", min=1)
    (important,) = world.pods("younger", node="node-0", priority=1)
    (eviction,) = world.decide(policy=AT_ONCE).evictions
    assert eviction.pod == important.key


def test_a_node_of_which_too_few_pods_may_go_is_not_cleared() -> None:
    world = scattered(4, priority=1)
    assert cleared(world, world.decide(policy=AT_ONCE)) == ["node-0"]


def test_a_node_is_not_cleared_of_pods_that_run_for_less_than_the_min_runtime() -> None:
    policy = Policy(grace=0, delay=0, min_runtime=3_600_000)
    assert scattered(4).decide(policy=policy).evictions == ()


def test_a_node_is_cleared_for_a_fair_share_of_pods_beyond_their_runtime() -> None:
    """12 cpu: team-a holds 9, more than its share, and leaves 1 free on each node of 4."""
    world = World(nodes=3, cpu=4)
    for name in ("owner", "team-a", "team-c"):
        world.quota(name)
    for number in range(3):
        world.pods("team-a", 3, node=f"node-{number}")
    (first,) = world.pods("owner", cpu=3, waiting=True)
    (second,) = world.pods("team-c", cpu=3, waiting=True)
    assert [each.message for each in world.decide(policy=AT_ONCE).evictions] == [
        f"quota team-a uses 9 cpu, 3 more than its current share of 6; quota {owner} reclaims "
        f"this room for pod {waiting.key} (within its current share). It starts again when team-a "
        "has room"
        for owner, waiting in [("owner", first)] * 2 + [("team-c", second)] * 2
    ]


def test_a_pod_without_which_only_a_runtime_would_be_exceeded_stays_for_a_fair_share() -> None:
    """What it returned would be idle: the pod of team-c is larger than its share."""
    world = World(nodes=1, cpu=3)
    world.node("node-1", cpu=2)
    world.quota("department", min=4, is_parent=True)
    world.quota("team-a", parent="department")
    world.quota("team-b", parent="department", min=2)
    world.quota("team-c")
    world.pods("team-c", cpu=2, node="node-0")
    world.pods("team-a", cpu=2, node="node-1")
    world.pods("team-b", cpu=3, waiting=True)
    assert cleared(world, world.decide(policy=AT_ONCE)) == ["node-0"]


def test_a_less_important_pod_stays_without_which_only_a_runtime_would_be_exceeded() -> None:
    """11 cpu, shares of 3.67: two pods of team-b return the 2 cpu that the important one takes."""
    world = World(nodes=1, cpu=11)
    for name in ("team-a", "team-b", "team-c"):
        world.quota(name)
    world.pods("team-a", 2)
    world.pods("team-b", 7)
    world.pods("team-c", 2)
    world.pods("team-a", cpu=2, waiting=True, priority=1)
    world.pods("team-c", cpu=6, waiting=True)
    evictions = world.decide(policy=AT_ONCE).evictions
    assert [each.quota for each in evictions] == ["team-b"] * 2


def test_a_pod_that_only_a_runtime_keeps_off_an_idle_node_starts_there_at_once() -> None:
    """No victim is left of its search, so there is no eviction to wait for."""
    world = World(nodes=1, cpu=4)
    world.node("node-1", cpu=2)
    world.quota("department", min=1, is_parent=True)
    world.quota("team-a", parent="department")
    world.quota("team-b", parent="department", min=1)
    world.quota("team-c", min=1)
    world.pods("team-a", 2, node="node-0", group=Group("train", 2))
    world.pods("team-a", cpu=2, node="node-0")
    world.pods("team-c", 2, cpu=3, waiting=True, group=Group("large", 2))
    world.pods("team-b", 2, cpu=2, waiting=True, group=Group("other", 2))
    (small,) = world.pods("team-b", cpu=2, waiting=True)
    decisions = world.decide(policy=AT_ONCE)
    assert decisions.evictions == ()
    assert [each.uid for each in decisions.releases] == [small.uid]


def test_no_pod_of_a_quota_within_its_runtime_leaves_a_node_for_a_fair_share() -> None:
    """12 cpu: team-a holds 8 of its 5; the pod of team-d is the least important of node-0."""
    world = World(nodes=3, cpu=4)
    for name in ("owner", "team-a", "team-c", "team-d"):
        world.quota(name)
    world.pods("team-d", node="node-0", priority=-1)
    for number, count in enumerate((2, 3, 3)):
        world.pods("team-a", count, node=f"node-{number}")
    world.pods("owner", cpu=3, waiting=True)
    world.pods("team-c", cpu=3, waiting=True)
    evictions = world.decide(policy=AT_ONCE).evictions
    assert [(each.quota, each.owner) for each in evictions] == [
        ("team-a", owner) for owner in ("owner", "owner", "team-c", "team-c")
    ]


def test_a_pod_that_returns_nothing_that_the_node_lacks_is_not_counted_as_gone() -> None:
    """Only the device is missing; of the 2 cpu of team-a one is its min, and one pod may go."""
    world = World(nodes=2, cpu=4)
    for name in ("node-0", "node-1"):
        node = world.ledger.nodes[name]
        offer = {**node.allocatable, **amounts(gpu=1)}
        labels = {**node.labels, "disk": "ssd" if name == "node-0" else "hdd"}
        world.ledger.upsert_node(replace(node, labels=labels, allocatable=offer))
    world.quota("owner", min=amounts(cpu=1, gpu=1))
    world.quota("team-a", min=1)
    world.pods("team-a", priority=-1)
    (holder,) = world.pods("team-a")
    (waiting,) = world.pods("owner", waiting=True)
    there = Constraints((("disk", "ssd"),))
    for pod, constraints in ((holder, holder.constraints), (waiting, there)):
        request = {**pod.request, **amounts(gpu=1)}
        world.ledger.upsert_pod(replace(pod, request=request, constraints=constraints))
    evictions = world.decide(policy=AT_ONCE).evictions
    assert [each.uid for each in evictions] == [holder.uid]


def test_a_pod_without_a_node_that_would_take_the_room_first_goes_too() -> None:
    """The scheduler refused it before the victim leaves, and binds it before the owner's pod."""
    world = World(nodes=1, cpu=4)
    world.quota("owner", min=3)
    world.quota("team-a")
    world.pods("team-a", cpu=3)
    world.pods("team-a", cpu=1, prefix="placed")
    (refused,) = world.pods("team-a", cpu=2, bound=False, prefix="refused", unplaced_since=0)
    world.ledger.upsert_pod(replace(refused, refused=True))
    world.pods("owner", cpu=3, waiting=True)
    world.ledger.set_time(60_000)
    evicted = {each.pod for each in world.decide(policy=AT_ONCE).evictions}
    assert refused.key in evicted
    assert len(evicted) == 2


def test_a_pod_without_a_node_stays_where_there_is_room_for_both() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=3)
    world.quota("team-a")
    world.pods("team-a", cpu=6)
    world.pods("team-a", cpu=2, prefix="placed")
    (refused,) = world.pods("team-a", cpu=3, bound=False, prefix="refused", unplaced_since=0)
    world.ledger.upsert_pod(replace(refused, refused=True))
    world.pods("owner", cpu=3, waiting=True)
    world.ledger.set_time(60_000)
    (eviction,) = world.decide(policy=AT_ONCE).evictions
    assert eviction.pod != refused.key


def test_a_pod_without_a_node_goes_too_where_not_all_of_a_gang_have_room_beside_it() -> None:
    """The victim leaves 5 cpu: enough for two pods of 2, or for one of them and the refused one."""
    world = World(nodes=1, cpu=5)
    world.node("node-1", cpu=2)
    world.quota("owner", min=4)
    world.quota("team-a")
    (large,) = world.pods("team-a", cpu=4, node="node-0")
    world.pods("team-a", node="node-1", prefix="placed", priority=1)
    (refused,) = world.pods("team-a", cpu=2, bound=False, prefix="refused", unplaced_since=0)
    world.ledger.upsert_pod(replace(refused, refused=True))
    world.pods("owner", 2, cpu=2, waiting=True, group=Group("train", 2))
    world.ledger.set_time(60_000)
    evicted = {each.uid for each in world.decide(policy=AT_ONCE).evictions}
    assert evicted == {large.uid, refused.uid}


def test_a_node_that_is_tried_for_a_gang_in_vain_is_free_for_the_next_pod() -> None:
    world = World(nodes=2, cpu=3)
    world.quota("team-a", min=3)
    world.quota("owner", min=4)
    world.pods("team-a", 3)
    world.pods("owner", 2, cpu=2, waiting=True, group=Group("train", 2))
    (next_one,) = world.pods("owner", cpu=2, waiting=True)
    decisions = world.decide(policy=AT_ONCE)
    assert not decisions.evictions
    assert [each.uid for each in decisions.releases] == [next_one.uid]


@pytest.mark.parametrize(("priority", "goes"), [(0, True), (5, False)])
def test_a_fair_share_takes_no_room_that_pods_reclaim_which_the_victim_displaces(
    priority: int, goes: bool
) -> None:
    """Quota small may have 3 of 7 cpu and holds 4. Without its pod of 2 it has the smaller share.

    If that pod comes back for less important ones of 1 cpu, these have a smaller share than large
    has then, and reclaim the room. That went on without end.
    """
    world = World(nodes=1, cpu=5)
    world.node("node-1", cpu=2)
    world.quota("small")
    world.quota("large", min=1)
    world.pods("large", cpu=3, node="node-0")
    world.pods("small", 2, node="node-0")
    (pod,) = world.pods("small", cpu=2, node="node-1", priority=priority)
    world.pods("large", cpu=2, waiting=True)
    found = world.decide(policy=AT_ONCE)
    assert [each.uid for each in found.evictions] == ([pod.uid] if goes else [])


def test_for_a_fair_share_a_sister_gives_where_the_one_above_all_would_take_its_pod_back() -> None:
    """Red holds most of its share, and its waiting pods would have a smaller one than dept then."""
    world = World(nodes=2, cpu=8)
    world.quota("dept", min=10, is_parent=True)
    world.quota("green", min=2, parent="dept")
    world.quota("loner", min=4, max=6, parent="dept", weight=1)
    world.quota("red", min=1)
    world.pods("red", 2, cpu=2, node="node-0")
    world.pods("red", 2, waiting=True)
    loners = [world.pods("loner", node=f"node-{node}")[0] for node in (0, 0, 1, 1)]
    loners += world.pods("loner", cpu=2, node="node-0")
    world.pods("loner", 3, cpu=3, waiting=True)
    world.pods("green", 3, cpu=2, node="node-1")
    world.pods("green", 6, cpu=3, waiting=True)
    (waits,) = world.pods("green", waiting=True, priority=1)
    found = world.decide(policy=AT_ONCE)
    assert {each.preemptor for each in found.evictions} == {waits.title}
    assert {each.uid for each in found.evictions} <= {each.uid for each in loners}
