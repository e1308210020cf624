"""Pools are part of the search: a pod that may go to several is tried in each."""

from elasticquota.model.group import Group
from elasticquota.model.selector import Requirement
from elasticquota.structs import replace
from pool_worlds import GPU, MODEL, PoolWorld, inside


def test_a_pod_goes_to_the_pool_that_the_profile_prefers() -> None:
    world = PoolWorld(a100=2, t4=2)
    world.gpu_quota("team-a", max={"a100": 2, "t4": 2})
    world.gpu_pods("team-a", 1)
    world.settle()
    assert (world.admitted("team-a", "a100"), world.admitted("team-a", "t4")) == (1, 0)


def test_it_goes_to_the_next_pool_when_the_first_has_no_room() -> None:
    world = PoolWorld(a100=2, t4=2)
    world.gpu_quota("team-a", max={"a100": 2, "t4": 2})
    world.gpu_pods("team-a", 4)
    world.settle()
    assert (world.admitted("team-a", "a100"), world.admitted("team-a", "t4")) == (2, 2)


def test_it_goes_to_the_next_pool_at_the_max_of_its_quota_in_the_first() -> None:
    world = PoolWorld(a100=4, t4=4)
    world.gpu_quota("team-a", max={"a100": 1, "t4": 4})
    world.gpu_pods("team-a", 4)
    world.settle()
    assert (world.admitted("team-a", "a100"), world.admitted("team-a", "t4")) == (1, 3)


def test_a_quota_that_may_use_none_of_the_first_pool_waits_for_the_second_at_once() -> None:
    world = PoolWorld(a100=4, t4=4)
    world.gpu_quota("team-a", max={"a100": 0, "t4": 4})
    world.gpu_pods("team-a", 2)
    assert world.requested("team-a") == {"t4": 2}


def test_a_release_sends_the_pod_to_the_nodes_of_its_pool() -> None:
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("team-a", max={"a100": 1, "t4": 1})
    world.gpu_pods("team-a", 1)
    (release,) = world.decide().releases
    assert Requirement(MODEL, "In", ("a100",)) in release.nodes.requirements


def test_a_pod_that_names_a_pool_is_counted_there_and_waits_there() -> None:
    world = PoolWorld(a100=4, t4=1)
    world.gpu_quota("team-a", max={"a100": 4, "t4": 1})
    world.gpu_pods("team-a", 2, kind="t4")
    world.settle()
    assert (world.admitted("team-a", "t4"), world.requested("team-a")) == (1, {"t4": 1})


def test_a_waiting_pod_asks_in_every_pool_to_which_it_may_go() -> None:
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("team-a", max={"a100": 9, "t4": 9})
    world.gpu_pods("team-a", 5)
    world.settle()
    assert world.requested("team-a") == {"a100": 3, "t4": 3}


def test_a_pod_goes_to_the_preferred_pool_when_both_get_room() -> None:
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("team-a", max={"a100": 1, "t4": 1})
    pods = world.gpu_pods("team-a", 3)
    now = world.settle()
    (waiting,) = [pod for pod in pods if world.ledger.pods[pod.key].gates]
    for free in ("t4-0", "a100-0"):
        gone = [pod.key for pod in world.ledger.pods.values() if pod.node_name == free]
        world.ledger.delete_pod(gone[0])
    world.settle(now + 60_000)
    assert world.ledger.pods[waiting.key].node_name == "a100-0"


def test_where_no_pool_has_room_others_leave_the_pool_in_which_its_min_is() -> None:
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("owner", min={"t4": 1}, max={"a100": 1, "t4": 1})
    world.gpu_quota("other", max={"a100": 1, "t4": 1})
    world.gpu_pods("other", 1, on="a100-0")
    (on_t4,) = world.gpu_pods("other", 1, on="t4-0")
    world.gpu_pods("owner", 1)
    assert [each.pod for each in world.cycle().evictions] == [on_t4.key]


def test_reclaim_for_a_min_in_a_pool_takes_pods_of_this_pool_only() -> None:
    world = PoolWorld(a100=2, t4=2)
    world.gpu_quota("owner", min={"t4": 1}, max={"a100": 2, "t4": 2})
    world.gpu_quota("other", max={"a100": 2, "t4": 2, "all": 4})
    on_t4 = [*world.gpu_pods("other", 1, on="t4-0"), *world.gpu_pods("other", 1, on="t4-1")]
    world.gpu_pods("other", 1, on="a100-0")
    world.gpu_pods("other", 1, on="a100-1")  # the youngest, and so the first to go elsewhere
    world.gpu_pods("owner", 1)
    evicted = []
    for now in range(6):
        evicted += [each.pod for each in world.cycle(now).evictions]
    assert len(evicted) == 1
    assert evicted[0] in {pod.key for pod in on_t4}
    assert world.admitted("owner", "t4") == 1


def test_reclaim_for_a_min_in_a_pool_spares_younger_pods_of_another_full_pool() -> None:
    """Both lack room: the pool, and the tree in sum. A pod of the pool returns both."""
    world = PoolWorld(a100=2, t4=1)
    world.gpu_quota("team-a", max={"a100": 2, "t4": 2})
    world.gpu_quota("team-b", min={"a100": 2}, max={"a100": 2})
    (on_a100,) = world.gpu_pods("team-a", on="a100-0")
    world.gpu_pods("team-b", on="a100-1")
    world.gpu_pods("team-a", on="t4-0")
    world.gpu_pods("team-a", kind="t4")
    world.gpu_pods("team-b")
    assert [each.pod for each in world.cycle().evictions] == [on_a100.key]


def test_idle_resources_of_the_preferred_pool_come_before_the_next_pool() -> None:
    world = PoolWorld(a100=3, t4=3)
    world.gpu_quota("team-a", max={"a100": 3, "t4": 3})
    world.gpu_quota("team-b", max={"a100": 3, "t4": 3})
    world.gpu_pods("team-a", 3)
    world.settle()
    assert world.admitted("team-a", "a100") == 3


def test_the_pods_of_a_group_go_to_one_pool_that_has_room_for_all_of_them() -> None:
    world = PoolWorld(a100=2, t4=4)
    world.gpu_quota("team-a", max={"a100": 2, "t4": 4})
    world.gpu_pods("team-a", 3, group=Group("train", 3))
    world.settle()
    assert (world.admitted("team-a", "a100"), world.admitted("team-a", "t4")) == (0, 3)


def test_a_pod_that_is_not_preemptible_goes_where_its_min_has_room() -> None:
    world = PoolWorld(a100=2, t4=2)
    world.gpu_quota("team-a", min={"a100": 1, "t4": 1}, max={"a100": 2, "t4": 2})
    world.gpu_pods("team-a", 2, preemptible=False)
    world.settle()
    assert (world.admitted("team-a", "a100"), world.admitted("team-a", "t4")) == (1, 1)


def test_a_release_counts_in_its_pool_until_the_pod_has_a_node() -> None:
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("team-a", max={"a100": 0, "t4": 1, "all": 9})
    world.gpu_quota("team-b", max={"a100": 1, "t4": 1})
    world.gpu_pods("team-b", 1, on="a100-0")
    (pod,) = world.gpu_pods("team-b", 1)
    (release,) = world.decide().releases
    assert Requirement(MODEL, "In", ("t4",)) in release.nodes.requirements
    world.ledger.expect_release(pod.uid)
    for now in range(3):
        assert world.admitted("team-b", "t4") == 1
        assert not world.decide(now).releases


def test_pods_that_ask_for_nothing_that_is_counted_by_pool_go_anywhere() -> None:
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("team-a", max={"a100": 1, "t4": 1})
    world.gpu_pods("team-a", 2, gpus=0)
    releases = world.decide().releases
    assert len(releases) == 2
    assert all(MODEL not in str(each.nodes) for each in releases)


def test_a_tree_that_only_observes_sends_no_pod_anywhere() -> None:
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("team-a", max={"a100": 1, "t4": 1})
    world.observe()
    world.gpu_pods("team-a", 1)
    (release,) = world.decide().releases
    assert not release.nodes.requirements


def test_the_total_of_a_tree_has_what_its_pools_offer() -> None:
    world = PoolWorld(a100=2, t4=3, size=4)
    (root,) = world.decide().roots
    assert {key: root.min[key] for key in (GPU, *inside(a100=0, t4=0))} == {
        GPU: 20,
        **inside(a100=8, t4=12),
    }


def test_a_min_in_a_pool_holds_however_many_quotas_may_use_all_gpus() -> None:
    """What is counted by pool is shared by pool: no share of all GPUs is between."""
    world = PoolWorld(a100=4, t4=4)
    world.gpu_quota("owner", min={"t4": 2}, max={"a100": 4, "t4": 4})
    for index in range(12):
        team = f"team-{index}"
        world.gpu_quota(team, max={"a100": 4, "t4": 4})
    for index in range(4):
        world.gpu_pods(f"team-{index}", 1, on=f"t4-{index}")
        world.gpu_pods(f"team-{index + 4}", 1, on=f"a100-{index}")
        world.gpu_pods(f"team-{index + 8}", 2)
    world.gpu_pods("owner", 2)
    world.settle()
    assert world.admitted("owner", "t4") == 2


def test_a_share_of_all_gpus_counts_where_a_quota_bounds_them_too() -> None:
    world = PoolWorld(a100=2, t4=2)
    world.gpu_quota("team", max={"a100": 2, "t4": 2, "all": 3})
    world.gpu_pods("team", 4)
    world.settle()
    assert world.admitted("team", "a100") + world.admitted("team", "t4") == 3


def test_a_pod_that_finds_no_node_in_its_pool_says_how_many_nodes_are_elsewhere() -> None:
    world = PoolWorld(a100=2, t4=1, size=2)
    world.gpu_quota("team", max={"a100": 9, "t4": 9})
    for index in range(2):
        world.gpu_pods("team", 1, on=f"a100-{index}")
    world.gpu_pods("team", 1, on="t4-0")
    world.gpu_pods("team", 1, gpus=2)
    (wait,) = world.decide().waits
    assert wait.reason == "NoNodeFitsNow"
    assert "1 is not in pool a100" in wait.message
    assert "2 have less than 1 cpu, 2 nvidia.com/gpu free" in wait.message


def full(world: PoolWorld, holder: str, kinds: tuple[str, ...] = ("a100", "t4")) -> None:
    """All nodes of these kinds are held by ``holder``."""
    for name in sorted(world.ledger.nodes):
        if name.startswith(kinds):
            world.gpu_pods(holder, 1, on=name)


def test_a_min_of_the_whole_holds_in_whichever_pools() -> None:
    """D11: four of each kind; a team with a min of four of any got two of them."""
    world = PoolWorld(a100=4, t4=4)
    world.gpu_quota("other", max={"a100": 4, "t4": 4, "all": 8})
    world.gpu_quota("owner", min={"all": 4}, max={"a100": 4, "t4": 4, "all": 8})
    full(world, "other")
    world.gpu_pods("owner", 4)
    world.settle()
    assert world.admitted("owner", "a100") + world.admitted("owner", "t4") == 4


def test_within_a_min_of_the_whole_the_runtime_of_one_pool_does_not_limit() -> None:
    world = PoolWorld(a100=4, t4=4)
    world.gpu_quota("other", max={"a100": 4, "t4": 4, "all": 8})
    world.gpu_quota("owner", min={"all": 4}, max={"a100": 4, "t4": 4, "all": 8})
    full(world, "other")
    world.gpu_pods("owner", 4, kind="t4")
    world.settle()
    assert world.admitted("owner", "t4") == 4


def test_it_does_not_limit_where_the_others_hold_no_more_than_their_runtime() -> None:
    world = PoolWorld(a100=4, t4=4)
    world.gpu_quota("other", max={"a100": 4, "t4": 4, "all": 8})
    world.gpu_quota("owner", min={"all": 4}, max={"a100": 4, "t4": 4, "all": 8})
    full(world, "other", ("t4-0", "t4-1"))
    full(world, "owner", ("t4-2", "t4-3"))
    world.gpu_pods("owner", 2, kind="t4")
    world.settle()
    assert world.admitted("owner", "t4") == 4


def test_the_max_of_a_pool_holds_within_a_min_of_the_whole() -> None:
    world = PoolWorld(a100=4, t4=4)
    world.gpu_quota("other", max={"a100": 4, "t4": 4, "all": 8})
    world.gpu_quota("owner", min={"all": 4}, max={"a100": 1, "t4": 4, "all": 8})
    full(world, "other")
    world.gpu_pods("owner", 4)
    world.settle()
    assert (world.admitted("owner", "a100"), world.admitted("owner", "t4")) == (1, 3)


def test_a_min_of_a_pool_goes_before_a_min_of_the_whole_which_holds_elsewhere() -> None:
    world = PoolWorld(a100=2, t4=2)
    most = {"a100": 2, "t4": 2, "all": 4}
    world.gpu_quota("any", min={"all": 2}, max=most)
    world.gpu_quota("fast", min={"a100": 2, "all": 2}, max=most)
    world.gpu_quota("other", max=most)
    full(world, "any", ("a100",))
    full(world, "other", ("t4",))
    world.gpu_pods("fast", 2)
    for now in range(20):
        for eviction in world.cycle(now).evictions:
            world.gpu_pods(eviction.quota, 1)
    assert world.admitted("fast", "a100") == 2
    assert world.admitted("any", "t4") == 2
    assert not world.cycle(100).evictions


def test_a_min_of_the_whole_takes_nothing_from_another_one() -> None:
    """Both insist on the first pool: who came first stays, and no pods are exchanged."""
    world = PoolWorld(a100=2, t4=2)
    most = {"a100": 2, "t4": 2, "all": 4}
    world.gpu_quota("first", min={"all": 2}, max=most)
    world.gpu_quota("second", min={"all": 2}, max=most)
    full(world, "first", ("a100",))
    world.gpu_pods("second", 2, kind="a100")
    world.settle()
    assert world.admitted("first", "a100") == 2


def test_a_min_of_the_whole_takes_nothing_from_a_min_of_a_pool() -> None:
    world = PoolWorld(a100=2, t4=2)
    most = {"a100": 2, "t4": 2, "all": 4}
    world.gpu_quota("fast", min={"a100": 2}, max=most)
    world.gpu_quota("any", min={"all": 2}, max=most)
    full(world, "fast", ("a100",))
    world.gpu_pods("any", 2, kind="a100")
    world.settle()
    assert world.admitted("fast", "a100") == 2


def test_pods_that_are_not_preemptible_stay_in_any_pool_within_a_min_of_the_whole() -> None:
    world = PoolWorld(a100=2, t4=2)
    most = {"a100": 2, "t4": 2, "all": 4}
    world.gpu_quota("any", min={"all": 2}, max=most)
    world.gpu_quota("fast", min={"a100": 2}, max=most)
    world.gpu_pods("any", 2, preemptible=False)
    world.settle()
    assert world.admitted("any", "a100") == 2
    world.gpu_pods("fast", 2)
    world.settle(10_000)
    assert world.admitted("any", "a100") == 2


def test_a_more_important_pod_takes_the_place_of_a_less_important_one_in_the_second_pool() -> None:
    """D12: the victim was looked for in the first pool only."""
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("team", max={"a100": 1, "t4": 1})
    world.gpu_pods("team", 1, on="a100-0", priority=10)
    (low,) = world.gpu_pods("team", 1, on="t4-0")
    (high,) = world.gpu_pods("team", 1, priority=10)
    assert [each.pod for each in world.cycle().evictions] == [low.key]
    world.settle(1)
    assert world.ledger.pods[high.key].node_name == "t4-0"


def test_a_pool_whose_nodes_are_cordoned_is_not_chosen_for_its_quota() -> None:
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("team", min={"a100": 1, "t4": 1}, max={"a100": 1, "t4": 1})
    world.gpu_quota("other", max={"a100": 1, "t4": 1})
    world.ledger.upsert_node(replace(world.ledger.nodes["a100-0"], unschedulable=True))
    world.gpu_pods("other", 1, on="t4-0")
    (pod,) = world.gpu_pods("team", 1)
    world.settle()
    assert world.ledger.pods[pod.key].node_name == "t4-0"


def test_two_equal_teams_share_two_pools_equally() -> None:
    """D12: the first one held all eight, and the second one got two of them."""
    world = PoolWorld(a100=4, t4=4)
    for team in ("first", "second"):
        world.gpu_quota(team, max={"a100": 4, "t4": 4})
    full(world, "first")
    world.gpu_pods("second", 8)
    world.settle()
    assert world.admitted("second", "a100") + world.admitted("second", "t4") == 4


def test_a_guarantee_in_the_second_pool_goes_before_a_fair_share_in_the_first() -> None:
    world = PoolWorld(a100=2, t4=2)
    world.gpu_quota("owner", min={"t4": 1}, max={"a100": 2, "t4": 2})
    world.gpu_quota("other", max={"a100": 2, "t4": 2})
    full(world, "other")
    world.gpu_pods("owner", 1)
    world.decide(0)
    (eviction,) = world.cycle(60_000).evictions
    assert (eviction.right, set(eviction.request) & set(inside(t4=0))) == ("min", {*inside(t4=0)})


def test_room_that_was_made_in_the_second_pool_is_kept_there_in_later_cycles() -> None:
    world = PoolWorld(a100=1, t4=1)
    world.gpu_quota("owner", min={"t4": 1}, max={"a100": 1, "t4": 1})
    world.gpu_quota("other", max={"a100": 1, "t4": 1})
    full(world, "other")
    (pod,) = world.gpu_pods("owner", 1)
    decisions = world.decide()
    (eviction,) = decisions.evictions
    world.ledger.upsert_pod(replace(world.ledger.pods[eviction.pod], deleting=True))
    world.ledger.remember(decisions.clocks)
    world.gpu_pods("other", 1)
    again = world.decide(1)
    assert not again.evictions
    assert not again.releases
    world.ledger.remember(again.clocks)
    world.ledger.delete_pod(eviction.pod)
    (release,) = world.decide(2).releases
    assert release.pod == pod.key


def test_a_group_that_is_too_large_for_the_first_pool_starts_in_the_second() -> None:
    world = PoolWorld(a100=1, t4=2)
    world.gpu_quota("team", max={"a100": 4, "t4": 4})
    world.gpu_pods("team", 2, group=Group("train", 2))
    world.settle()
    assert world.admitted("team", "t4") == 2


def test_a_min_of_the_whole_of_a_department_is_due_in_one_pool_to_a_team_below_it() -> None:
    """Half of the pool's GPUs would be the fair share of the department."""
    world = PoolWorld(a100=1, t4=0, size=2)
    world.gpu_quota("department", min={"all": 2}, is_parent=True)
    world.gpu_quota("team-a", parent="department")
    world.gpu_quota("team-b")
    world.gpu_pods("team-b", 1, on="a100-0")
    world.gpu_pods("team-a", 1, gpus=2)
    world.settle()
    assert world.admitted("team-a", "a100") == 2


def test_a_departments_min_of_a_pool_is_due_to_a_team_below_it_where_the_whole_is_shared() -> None:
    """Half of all GPUs would be the fair share of the department."""
    world = PoolWorld(a100=1, t4=0, size=2)
    world.gpu_quota("department", min={"a100": 2}, is_parent=True)
    world.gpu_quota("team-a", parent="department")
    world.gpu_quota("team-b", min={"all": 0})
    world.gpu_pods("team-b", 1, on="a100-0")
    world.gpu_pods("team-a", 1, gpus=2)
    world.settle()
    assert world.admitted("team-a", "a100") == 2


def test_a_max_of_the_pool_holds_beside_the_min_of_the_whole_of_a_department() -> None:
    world = PoolWorld(a100=1, t4=0, size=2)
    world.gpu_quota("department", min={"all": 2}, max={"a100": 1}, is_parent=True)
    world.gpu_quota("team-a", parent="department")
    world.gpu_pods("team-a", 1, gpus=2)
    world.settle()
    assert world.admitted("team-a", "a100") == 0
