"""External pods, on a tree's nodes but of none of its quotas, are evicted first for a guarantee."""

import pytest

from elasticquota import names
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.pod import Pod
from elasticquota.model.refusal import Refusal
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World


AT_ONCE = Policy(grace=0, delay=0)
GRACE = 10_000
BY_AND_BY = Policy(grace=GRACE, delay=60_000)


def external_pods(world: World, count: int, cpu: int = 1, **fields: object) -> list[Pod]:
    """Pods of a namespace that no quota binds."""
    given = {"quota": "", "namespace": "wild", "prefix": "wild", **fields}
    return world.pods(count=count, cpu=cpu, **given)  # type: ignore[arg-type]


def victims(decisions: Decisions) -> list[str]:
    return sorted(eviction.pod.namespace for eviction in decisions.evictions)


def starved(decisions: Decisions) -> list[str]:
    return [
        condition.message
        for status in decisions.statuses
        for condition in status.conditions
        if condition.type == "Starved" and condition.status
    ]


def runtime(decisions: Decisions, quota: str) -> int:
    (found,) = (s.runtime["cpu"] // 1000 for s in decisions.statuses if s.key.name == quota)
    return found


def test_a_guarantee_is_reclaimed_from_external_pods() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("owner", min=16)
    external_pods(world, 8)
    external_pods(world, 8, node="node-1")
    world.pods("owner", 4, cpu=4, waiting=True)
    decisions = world.decide(policy=AT_ONCE)
    assert victims(decisions) == ["wild"] * 16
    world.carry_out_evictions(decisions)
    assert len(world.decide(policy=AT_ONCE).releases) == 4


def test_no_more_of_them_go_than_the_guarantee_needs() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("owner", min=4)
    external_pods(world, 8)
    external_pods(world, 8, node="node-1")
    world.pods("owner", 2, cpu=4, waiting=True)
    assert victims(world.decide(policy=AT_ONCE)) == ["wild"] * 4


def test_they_go_together_on_one_node() -> None:
    world = World(nodes=4, cpu=4)
    world.quota("owner", min=4)
    for number in range(4):
        external_pods(world, 4, node=f"node-{number}")
    world.pods("owner", 1, cpu=4, waiting=True)
    evictions = world.decide(policy=AT_ONCE).evictions
    assert len({world.ledger.pods[each.pod].node_name for each in evictions}) == 1


def test_a_gang_of_them_goes_as_one() -> None:
    world = World(nodes=2, cpu=2)
    world.quota("owner", min=2)
    for number in range(2):
        external_pods(world, 1, 2, node=f"node-{number}", group=Group("train", 2))
    world.pods("owner", 1, cpu=2, waiting=True)
    evictions = world.decide(policy=AT_ONCE).evictions
    assert [each.pod.namespace for each in evictions] == ["wild", "wild"]
    assert [each.external for each in evictions] == [True, True]
    assert all("belongs to no quota of tree" in each.message for each in evictions)


def test_they_go_before_borrowers() -> None:
    world = World(nodes=1, cpu=16)
    world.quota("owner", min=8)
    world.quota("borrower")
    world.pods("owner", 4)
    world.pods("borrower", 8)
    external_pods(world, 4, priority=1_000_000)
    world.pods("owner", 4, waiting=True)
    assert victims(world.decide(policy=AT_ONCE)) == ["wild"] * 4


def test_borrowers_go_where_external_pods_are_not_enough() -> None:
    """The evictions say which are external: their creators may fill the room again."""
    world = World(nodes=1, cpu=16)
    world.quota("owner", min=8)
    world.quota("borrower")
    world.pods("borrower", 12)
    external_pods(world, 4)
    world.pods("owner", 2, cpu=4, waiting=True)
    decisions = world.decide(policy=AT_ONCE)
    assert victims(decisions) == ["teams"] * 4 + ["wild"] * 4
    assert all(each.external == (each.pod.namespace == "wild") for each in decisions.evictions)


def test_they_stay_where_they_would_not_help() -> None:
    """They run on a node that the owner's pod may not use."""
    world = World(nodes=2, cpu=4)
    world.node("node-1", cpu=4, cordoned=True)
    world.quota("owner", min=4)
    world.quota("borrower")
    world.pods("borrower", 4)
    external_pods(world, 4, node="node-1")
    world.pods("owner", 1, cpu=4, waiting=True)
    assert victims(world.decide(policy=AT_ONCE)) == ["teams"] * 4


def test_no_external_pod_is_evicted_for_a_pod_that_would_borrow() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=2)
    external_pods(world, 8)
    world.pods("owner", 1, cpu=4, waiting=True)
    assert not world.decide(policy=AT_ONCE).evictions


def test_external_pods_stay_until_the_grace_of_the_owner_ends() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=8)
    external_pods(world, 8)
    world.pods("owner", 1, cpu=8, waiting=True)
    first = world.decide(0, BY_AND_BY)
    assert (first.evictions, first.wake_at) == ((), GRACE)
    assert len(world.decide(GRACE, BY_AND_BY).evictions) == 8


def test_they_take_no_runtime_from_what_is_within_min() -> None:
    world = World(nodes=1, cpu=16)
    world.quota("owner", min=8)
    world.quota("borrower", min=2)
    external_pods(world, 16)
    world.pods("owner", 2, cpu=4, waiting=True)
    world.pods("borrower", 8, waiting=True)
    decisions = world.decide(policy=BY_AND_BY)
    assert (runtime(decisions, "owner"), runtime(decisions, "borrower")) == (8, 2)


def test_external_pods_reduce_what_is_shared_beyond_min() -> None:
    world = World(nodes=1, cpu=16)
    world.quota("owner", min=2)
    world.quota("other", min=2)
    external_pods(world, 6)
    world.pods("owner", 16, waiting=True)
    world.pods("other", 16, waiting=True)
    decisions = world.decide(policy=BY_AND_BY)
    assert (runtime(decisions, "owner"), runtime(decisions, "other")) == (5, 5)


def test_external_pods_that_are_being_evicted_are_not_chosen_again() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=4)
    external_pods(world, 8)
    world.pods("owner", 1, cpu=4, waiting=True)
    decisions = world.decide(policy=AT_ONCE)
    for eviction in decisions.evictions:
        world.ledger.expect_eviction(eviction.uid)
    assert not world.decide(policy=AT_ONCE).evictions


@pytest.mark.parametrize("kind", ["system", "daemon", "mirror"])
def test_system_daemon_and_mirror_pods_stay(kind: str) -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=8)
    namespace = "kube-system" if kind == "system" else "wild"
    for pod in external_pods(world, 8, namespace=namespace):
        marked = replace(pod, daemon=kind == "daemon", mirror=kind == "mirror")
        world.ledger.upsert_pod(marked)
    world.pods("owner", 1, cpu=8, waiting=True)
    assert not world.decide(policy=AT_ONCE).evictions


@pytest.mark.parametrize("label", [names.DEFAULT_QUOTA, "no-such-quota", ""])
def test_no_label_protects_an_external_pod(label: str) -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=8)
    external_pods(world, 8, quota=label, preemptible=False, priority=2_000_000_000)
    world.pods("owner", 1, cpu=8, waiting=True)
    assert victims(world.decide(policy=AT_ONCE)) == ["wild"] * 8


def test_pods_of_no_quota_at_all_go_too() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=8)
    external_pods(world, 8)
    world.pods("owner", 1, cpu=8, waiting=True)
    policy = replace(AT_ONCE, accounting=Accounting(default_quota=False))
    decisions = world.decide(policy=policy)
    assert victims(decisions) == ["wild"] * 8
    for eviction in decisions.evictions:
        world.ledger.expect_eviction(eviction.uid)
    assert not world.decide(policy=policy).evictions


def test_the_owner_names_the_budget_that_keeps_an_external_pod() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=8)
    (pod,) = external_pods(world, 1, cpu=8)
    world.pods("owner", 1, cpu=8, waiting=True)
    world.decide(policy=AT_ONCE)
    refusal = Refusal(pod.key, names.DEFAULT_QUOTA, "owner", "DisruptionBudget", "never")
    world.ledger.withhold(pod.uid, refusal)
    world.decide(1, AT_ONCE)
    (said,) = starved(world.decide(200_000, AT_ONCE))
    assert "disruption budget wild/never protects them" in said


def test_a_starved_owner_says_what_to_do_about_external_pods() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=8)
    external_pods(world, 8)
    world.pods("owner", 1, cpu=8, waiting=True)
    for now in (0, 1):
        world.carry_out_evictions(world.decide(now, AT_ONCE))
        external_pods(world, 8, prefix=f"again-{now}")
    assert starved(world.decide(200_000, AT_ONCE)) == [
        "pod teams/owner-13-0 is within the guarantee of its quota and "
        "waits for longer than 0 s: 8 pods of no quota of "
        "the tree hold 8 cpu of its nodes, 8 of them of namespace wild, and are replaced when they "
        "are evicted: bind the namespace to a quota, taint the nodes, or give quota "
        "koordinator-default-quota a max"
    ]


def test_the_victim_says_whose_min_needs_the_node() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=8)
    external_pods(world, 1, cpu=8)
    world.pods("owner", 1, cpu=8, waiting=True)
    (eviction,) = world.decide(policy=AT_ONCE).evictions
    assert eviction.message == (
        "the pod belongs to no quota of tree pool-root, which has node node-0; quota "
        "owner reclaims the room there for pod teams/owner-6-0 (within its guarantee). It "
        "comes to stay if its namespace is bound to a quota of that tree, or if it runs on "
        "other nodes"
    )


def test_external_pods_at_the_gate_come_after_the_pods_of_the_tree() -> None:
    """The default quota has a max, so its pods wait, and get what the tree leaves of the nodes."""
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=4)
    external_pods(world, 8)
    external_pods(world, 8, waiting=True, prefix="again", quota=names.DEFAULT_QUOTA)
    world.pods("owner", 1, cpu=4, waiting=True)
    decisions = world.decide(policy=AT_ONCE)
    world.carry_out_evictions(decisions)
    then = world.decide(policy=AT_ONCE)
    assert [release.quota for release in then.releases] == ["owner"]
    for release in then.releases:
        world.ledger.upsert_pod(replace(world.ledger.pods[release.pod], gates=()))
    assert not world.decide(policy=AT_ONCE).releases


def test_external_pods_at_the_gate_take_no_room_of_the_tree_that_is_on_its_way() -> None:
    """One victim is gone and re-created, the others still end."""
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=8)
    external_pods(world, 8, quota=names.DEFAULT_QUOTA)
    world.pods("owner", cpu=8, waiting=True)
    first, *others = world.decide(policy=AT_ONCE).evictions
    world.ledger.delete_pod(first.pod)
    for each in others:
        world.ledger.upsert_pod(replace(world.ledger.pods[each.pod], deleting=True))
    external_pods(world, 1, waiting=True, prefix="again", quota=names.DEFAULT_QUOTA)
    assert world.decide(policy=AT_ONCE).releases == ()
