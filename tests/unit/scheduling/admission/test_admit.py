"""Which pods are released, in which order, and the messages of the others."""

from elasticquota import names
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.queue_order import QueueOrder
from elasticquota.model.selector import EVERYTHING, Requirement, Selector
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World


GPU = "nvidia.com/gpu"


def released(decisions: Decisions) -> list[str]:
    return [release.uid for release in decisions.releases]


def test_waiting_pods_are_released_as_far_as_runtime_reaches() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10, max=12)
    pods = world.pods("team-a", 5, cpu=3, waiting=True)
    assert released(world.decide()) == [pod.uid for pod in pods[:4]]


def test_a_release_carries_what_the_trees_nodes_are_selected_by_at_that_moment() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10)
    (pod,) = world.pods("team-a", waiting=True)
    assert [release.nodes for release in world.decide().releases] == [
        Selector((Requirement("pool", "In", ("main",)),))
    ]
    profile = world.ledger.profiles[Key("system", "pool")]
    edited = Selector((Requirement("pool", "Exists"),))
    world.ledger.upsert_profile(replace(profile, selector=edited))
    assert [(release.uid, release.nodes) for release in world.decide().releases] == [
        (pod.uid, edited)
    ]


def test_a_release_into_a_quota_with_nodes_of_its_own_carries_these_too() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10)
    key = Key("teams", "team-a")
    model = Requirement("model", "In", ("a100", "v100"))
    world.ledger.upsert_quota(replace(world.ledger.quotas[key], nodes=Selector((model,))))
    node = world.ledger.nodes["node-3"]
    world.ledger.upsert_node(replace(node, labels={**node.labels, "model": "a100"}))
    world.pods("team-a", waiting=True)
    assert [release.nodes for release in world.decide().releases] == [
        Selector((model, Requirement("pool", "In", ("main",))))
    ]


def test_a_release_into_the_default_tree_is_bound_to_no_nodes() -> None:
    world = World(nodes=1, cpu=8)
    world.node("spare", cpu=8, pool="none")
    world.pods(names.DEFAULT_QUOTA, waiting=True)
    assert [release.nodes for release in world.decide().releases] == [EVERYTHING]


def test_a_quota_borrows_beyond_its_min_what_is_idle() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10)
    world.quota("team-b", min=30)
    world.pods("team-a", 40, waiting=True)
    assert len(world.decide().releases) == 40


def test_the_pod_that_does_not_fit_says_figures_and_place() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10, max=12)
    world.pods("team-a", 11)
    first, second = world.pods("team-a", 2, cpu=4, waiting=True)
    waits = {wait.uid: wait for wait in world.decide().waits}
    assert waits[first.uid].reason == "QuotaExhausted"
    assert waits[second.uid].message == (
        "Waiting for quota team-a: needs 4 cpu; 11 of its current share of 12 are in use "
        "(guaranteed 10, limit 12). Position 2 of 2. It starts when 3 cpu are freed in team-a, "
        "besides what those ahead of it take. "
        "More: kubectl elastic-quota explain pod teams/team-a-21-1 [QuotaExhausted]"
    )


def test_inside_a_quota_priority_goes_before_age_and_age_before_uid() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    (old,) = world.pods("team-a", cpu=3, waiting=True)
    (young,) = world.pods("team-a", cpu=3, waiting=True)
    (urgent,) = world.pods("team-a", cpu=3, waiting=True, priority=10)
    assert released(world.decide()) == [urgent.uid, old.uid]
    assert young.uid not in released(world.decide())


def test_a_small_pod_passes_a_large_one_that_does_not_fit() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=6)
    world.pods("team-a", cpu=4)
    (large,) = world.pods("team-a", cpu=4, waiting=True)
    (small,) = world.pods("team-a", cpu=2, waiting=True)
    decisions = world.decide()
    assert released(decisions) == [small.uid]
    assert [wait.uid for wait in decisions.waits] == [large.uid]


def test_between_quotas_the_one_that_holds_the_smaller_share_goes_first() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4)
    world.quota("team-b", min=4)
    world.pods("team-a", 2)
    (a,) = world.pods("team-a", waiting=True)
    (b,) = world.pods("team-b", waiting=True)
    assert released(world.decide()) == [b.uid, a.uid]


def test_between_quotas_a_pod_within_min_goes_before_one_that_borrows() -> None:
    """team-a holds 3 of its min of 4, team-b nothing; there is room for one more pod."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4)
    world.quota("team-b")
    world.quota("team-c")
    world.pods("team-a", 3)
    world.pods("team-c", 4)
    (owner,) = world.pods("team-a", waiting=True)
    world.pods("team-b", waiting=True)
    assert released(world.decide()) == [owner.uid]


def _ordered(**priorities: int) -> Policy:
    return Policy(
        queues=QueueOrder({name.replace("_", "-"): at for name, at in priorities.items()})
    )


def test_q22_what_is_idle_goes_to_the_queue_of_higher_priority_where_priorities_count() -> None:
    """Each has a fair share of 4 of 8, and asks for 6 at once."""
    world = World(nodes=1, cpu=8)
    for name in ("team-a", "team-b"):
        world.quota(name)
    (older,) = world.pods("team-a", cpu=6, waiting=True)
    (urgent,) = world.pods("team-b", cpu=6, waiting=True)
    assert released(world.decide()) == [older.uid]
    assert released(world.decide(policy=_ordered(team_b=9))) == [urgent.uid]
    assert released(world.decide(policy=_ordered(team_a=-1))) == [urgent.uid]
    assert released(world.decide(policy=_ordered(team_a=9, team_b=9))) == [older.uid]


def test_q22_the_last_place_below_a_parent_goes_to_the_queue_of_higher_priority() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("dept", max=1, is_parent=True)
    for name in ("team-a", "team-b"):
        world.quota(name, parent="dept")
    (older,) = world.pods("team-a", waiting=True)
    (urgent,) = world.pods("team-b", waiting=True)
    assert released(world.decide()) == [older.uid]
    assert released(world.decide(policy=_ordered(team_b=9))) == [urgent.uid]


def test_q22_a_priority_takes_no_fair_share_from_another_queue() -> None:
    world = World(nodes=1, cpu=8)
    for name in ("team-a", "team-b"):
        world.quota(name)
    held = world.pods("team-a", 4, waiting=True)
    world.pods("team-b", 8, waiting=True)
    decided = released(world.decide(policy=_ordered(team_b=9)))
    assert {pod.uid for pod in held} <= set(decided)


def test_a_pod_within_the_min_of_its_quota_goes_before_one_within_that_of_a_quota_above() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("dept", min=2, is_parent=True)
    world.quota("team-a", parent="dept")
    world.quota("team-b", min=2)
    world.quota("team-c")
    world.pods("team-c", 3)
    world.pods("team-a", waiting=True)
    (later,) = world.pods("team-b", waiting=True)
    assert released(world.decide()) == [later.uid]


def test_q22_the_priority_of_a_queue_does_not_go_before_what_is_within_a_min() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4)
    world.quota("team-b")
    world.pods("team-b", 7)
    (owner,) = world.pods("team-a", waiting=True)
    world.pods("team-b", waiting=True)
    assert released(world.decide(policy=_ordered(team_b=9))) == [owner.uid]


def test_in_a_queue_that_blocks_no_pod_passes_whatever_its_quota_says() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=6)
    world.pods("team-a", cpu=4)
    world.pods("team-a", cpu=4, waiting=True)
    (small,) = world.pods("team-a", cpu=2, waiting=True)
    assert released(world.decide()) == [small.uid]
    blocks = Policy(queues=QueueOrder(strict=frozenset({"team-a"})))
    assert released(world.decide(policy=blocks)) == []


def test_an_ancestor_without_room_holds_the_pod_and_is_named() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("dept", max=10, is_parent=True)
    world.quota("team-a", min=0, parent="dept")
    world.quota("team-b", min=0, parent="dept")
    world.pods("team-a", 10)
    (pod,) = world.pods("team-b", waiting=True)
    (wait,) = world.decide().waits
    assert wait.uid == pod.uid
    assert wait.reason == "AncestorExhausted"
    assert (
        "dept above it has none of its current share of 10 left (largest users: team-a 10)"
        in wait.message
    )


def test_nodes_full_of_others_hold_a_pod_that_is_within_runtime() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0, max=8)
    world.quota("team-b", min=4, max=8)
    world.pods("team-a", 8)
    world.pods("team-b", waiting=True)
    (wait,) = world.decide().waits
    assert wait.reason == "WaitingForReclaim"


def test_a_cycle_never_releases_more_than_the_nodes_hold() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b")
    world.pods("team-a", 9, waiting=True)
    world.pods("team-b", 9, waiting=True)
    assert len(world.decide().releases) == 8


def test_the_room_of_a_release_under_way_is_not_used_twice() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=2)
    world.pods("team-a", 3, waiting=True)
    first = world.decide()
    for release in first.releases:
        world.ledger.expect_release(release.uid)
    assert len(first.releases) == 2
    assert world.decide().releases == ()


def test_a_refused_release_is_decided_again() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=1)
    (pod,) = world.pods("team-a", 1, waiting=True)
    world.ledger.expect_release(pod.uid)
    assert world.decide().releases == ()
    world.ledger.forget_release(pod.uid)
    assert released(world.decide()) == [pod.uid]


def test_non_preemptible_pods_hold_no_more_than_min() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=2, max=20)
    firm = world.pods("team-a", 3, waiting=True, preemptible=False)
    (soft,) = world.pods("team-a", 1, waiting=True)
    decisions = world.decide()
    assert released(decisions) == [firm[0].uid, firm[1].uid, soft.uid]
    (wait,) = decisions.waits
    assert "such pods may use what is guaranteed, and they use 2 of 2" in wait.message


def test_our_gate_stays_until_other_controllers_remove_theirs() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", waiting=True, foreign_gate="example.com/checked")
    decisions = world.decide()
    assert decisions.releases == ()
    assert [wait.message for wait in decisions.waits] == [
        "Waiting for quota team-a: other controllers hold it, too, by scheduling gate "
        "example.com/checked. It enters the queue when ours is the last gate. More: kubectl "
        "elastic-quota explain pod teams/team-a-9-0 [WaitingForOtherGates]"
    ]


def test_the_release_names_the_place_of_our_gate() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", waiting=True)
    (release,) = world.decide().releases
    assert release.gate_index == 0


def test_a_pod_beyond_max_of_its_path_says_so_and_is_no_request() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", max=4)
    world.quota("team-b", min=0)
    world.pods("team-a", cpu=5, waiting=True)
    decisions = world.decide()
    (wait,) = decisions.waits
    assert wait.reason == "ExceedsMax"
    assert wait.message == (
        "Waiting for quota team-a: needs 5 cpu; the limit of quota team-a is 4. It starts only "
        "if it asks for less, or if that limit is raised. More: kubectl elastic-quota explain "
        "pod teams/team-a-10-0 [ExceedsMax]"
    )
    status = next(s for s in decisions.statuses if s.key.name == "team-a")
    assert status.request.get("cpu", 0) == 0
    assert status.pods_gated == 1


def test_a_pod_that_no_node_can_host_says_so() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10)
    world.pods("team-a", cpu=9, waiting=True)
    (wait,) = world.decide().waits
    assert wait.message == (
        "Waiting for quota team-a: needs 9 cpu; the largest node of the tree offers 8. It "
        "starts only if it asks for less, or if a node for it joins the tree. More: kubectl "
        "elastic-quota explain pod teams/team-a-9-0 [NoNodeFits]"
    )


def test_pods_of_a_quota_that_is_not_accepted_wait_with_its_verdict() -> None:
    world = World()
    world.quota("team-a", parent="nowhere")
    world.pods("team-a", waiting=True)
    decisions = world.decide()
    (wait,) = decisions.waits
    assert decisions.releases == ()
    assert wait.reason == "QuotaNotAccepted"
    assert "ParentNotFound" in wait.message


def test_no_pod_is_released_in_a_terminating_namespace() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", waiting=True)
    world.ledger.upsert_namespace(Namespace("teams", terminating=True))
    assert world.decide().releases == ()


def test_terminating_pods_hold_their_room_until_they_are_gone() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    (leaving,) = world.pods("team-a", cpu=8, deleting=True)
    (next_one,) = world.pods("team-a", cpu=8, waiting=True)
    assert world.decide().releases == ()
    world.ledger.delete_pod(leaving.key)
    assert released(world.decide()) == [next_one.uid]


def test_pods_of_the_system_shrink_what_the_tree_can_give() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.pods("", 2, namespace="kube-system", prefix="agent")
    world.pods("team-a", 8, waiting=True)
    assert len(world.decide().releases) == 6


def test_every_waiting_pod_says_why() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=1)
    world.pods("team-a", 60, waiting=True)
    decisions = world.decide()
    assert len(decisions.releases) == 1
    assert len({wait.uid for wait in decisions.waits}) == 59
    assert all("QuotaExhausted" in wait.message for wait in decisions.waits)


def test_the_position_in_the_queue_counts_only_pods_that_stay() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.pods("team-a", 10, waiting=True)
    waits = world.decide().waits
    assert ["Position 1 of 2" in waits[0].message, "Position 2 of 2" in waits[1].message] == [
        True,
        True,
    ]


def test_a_quota_that_holds_the_only_device_has_the_largest_share() -> None:
    world = World(nodes=1, cpu=8)
    node = world.ledger.nodes["node-0"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, GPU: 1}))
    world.quota("team-a", max={"cpu": 8_000, GPU: 1})
    world.quota("team-b")
    (holder,) = world.pods("team-a")
    world.ledger.upsert_pod(replace(holder, request={**holder.request, GPU: 1}))
    world.pods("team-b", 4)
    (a,) = world.pods("team-a", waiting=True)
    (b,) = world.pods("team-b", waiting=True)
    assert released(world.decide()) == [b.uid, a.uid]
    world.ledger.upsert_pod(holder)
    assert released(world.decide()) == [a.uid, b.uid]
