"""What counts by the administrator's choice, and from when on."""

from collections.abc import Mapping
from typing import Any

import pytest

from elasticquota import names
from elasticquota.forest.allowed_namespaces import Rule
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.forest.settings import SharingTerms, TreeSelection
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import TREE, World, amounts


AFTER_GRACE = Accounting(ignore_terminating="afterGrace")
AT_ONCE = Accounting(ignore_terminating="atOnce")
NO_DEFAULT = Accounting(default_quota=False)
NO_OVERHEAD = Accounting(ignore_overhead=True)


def cpu_used(books: ClusterSnapshot, quota: str = "team-a") -> int:
    return books.account(quota).used.get("cpu", 0)


def decided(world: World, accounting: Accounting, now: int = 0) -> Decisions:
    return world.decide(now, Policy(accounting=accounting))


def going(world: World, **fields: Any) -> Pod:
    """A running pod of team-a that is being deleted."""
    world.quota("team-a")
    (pod,) = world.pods("team-a", deleting=True)
    pod = replace(pod, **fields)
    world.ledger.upsert_pod(pod)
    return pod


def test_a_terminating_pod_counts_until_it_is_gone() -> None:
    world = World()
    going(world, gone_after=1_000)
    world.ledger.set_time(10**15)
    assert cpu_used(world.ledger.update(Accounting())) == 1_000
    assert decided(world, Accounting()).wake_at is None


def test_a_terminating_pod_counts_until_its_grace_is_over() -> None:
    world = World()
    going(world, gone_after=60_000)
    world.ledger.set_time(59_999)
    assert cpu_used(world.ledger.update(AFTER_GRACE)) == 1_000
    world.ledger.set_time(60_000)
    books = world.ledger.update(AFTER_GRACE)
    assert cpu_used(books) == 0
    assert books.account("team-a").request(accepted=True) == {}
    assert books.trees[TREE].pods["team-a"].admitted == 0


def test_a_cycle_follows_when_a_grace_ends_though_nothing_happens() -> None:
    world = World()
    going(world, gone_after=60_000)
    world.ledger.set_time(45_000)
    assert decided(world, AFTER_GRACE, now=7_000).wake_at == 7_000 + 15_000
    world.ledger.set_time(60_000)
    assert decided(world, AFTER_GRACE, now=22_000).wake_at is None


def test_room_of_a_pod_whose_grace_is_over_goes_to_who_waits() -> None:
    world = World(nodes=1, cpu=2)
    world.quota("team-a")
    (old,) = world.pods("team-a", cpu=2, deleting=True)
    world.ledger.upsert_pod(replace(old, gone_after=60_000))
    (new,) = world.pods("team-a", cpu=2, waiting=True)
    assert decided(world, AFTER_GRACE).releases == ()
    world.ledger.set_time(60_000)
    assert [release.uid for release in decided(world, AFTER_GRACE).releases] == [new.uid]


def test_a_clock_that_is_set_back_brings_the_pod_back() -> None:
    world = World()
    going(world, gone_after=60_000)
    world.ledger.set_time(60_000)
    world.ledger.update(AFTER_GRACE)
    world.ledger.set_time(30_000)
    assert cpu_used(world.ledger.update(AFTER_GRACE)) == 1_000


def test_a_terminating_pod_without_a_readable_time_counts_until_it_is_gone() -> None:
    world = World()
    going(world, gone_after=None)
    world.ledger.set_time(10**15)
    assert cpu_used(world.ledger.update(AFTER_GRACE)) == 1_000


def test_a_pod_of_the_same_name_that_comes_after_it_counts() -> None:
    world = World()
    pod = going(world, gone_after=60_000)
    world.ledger.set_time(60_000)
    world.ledger.update(AFTER_GRACE)
    world.ledger.upsert_pod(replace(pod, uid="another", deleting=False, gone_after=None))
    assert cpu_used(world.ledger.update(AFTER_GRACE)) == 1_000
    assert world.ledger.update(AFTER_GRACE).changes_in is None


def test_a_pod_that_is_gone_is_not_looked_for_again() -> None:
    world = World()
    pod = going(world, gone_after=60_000)
    assert world.ledger.update(AFTER_GRACE).changes_in == 60_000
    world.ledger.delete_pod(pod.key)
    assert world.ledger.update(AFTER_GRACE).changes_in is None


def test_a_terminating_pod_counts_no_longer_at_once() -> None:
    world = World()
    pod = going(world, deleting=False)
    assert cpu_used(world.ledger.update(AT_ONCE)) == 1_000
    world.ledger.upsert_pod(replace(pod, deleting=True, gone_after=10**15))
    assert cpu_used(world.ledger.update(AT_ONCE)) == 0
    assert world.ledger.update(AT_ONCE).changes_in is None


def test_an_external_pod_whose_grace_is_over_leaves_its_room_to_the_tree() -> None:
    world = World(nodes=1, cpu=8)
    (pod,) = world.pods("", cpu=3, namespace="kube-system", deleting=True)
    world.ledger.upsert_pod(replace(pod, gone_after=60_000))
    assert world.ledger.update(AFTER_GRACE).trees[TREE].available["cpu"] == 5_000
    world.ledger.set_time(60_000)
    assert world.ledger.update(AFTER_GRACE).trees[TREE].available["cpu"] == 8_000


def heavy(world: World, overhead: Mapping[str, int]) -> None:
    """A running and a waiting pod of 4 cpu, of which some is overhead."""
    world.quota("team-a", max=3)
    for waiting in (False, True):
        (pod,) = world.pods("team-a", cpu=4, waiting=waiting)
        world.ledger.upsert_pod(replace(pod, overhead=overhead))


def test_overhead_counts() -> None:
    world = World()
    heavy(world, amounts(cpu=1))
    assert cpu_used(world.ledger.update(Accounting())) == 4_000


def test_overhead_that_is_ignored_counts_in_no_sum() -> None:
    world = World()
    heavy(world, amounts(cpu=1))
    account = world.ledger.update(NO_OVERHEAD).account("team-a")
    assert account.used == account.admitted == {"cpu": 3_000, names.PODS: 1}
    assert account.asked_while_waiting == {"cpu": 3_000, names.PODS: 1}
    assert account.infeasible_pods == []


def test_a_choice_that_changes_changes_the_books() -> None:
    world = World()
    heavy(world, amounts(cpu=1))
    assert cpu_used(world.ledger.update(Accounting())) == 4_000
    assert cpu_used(world.ledger.update(NO_OVERHEAD)) == 3_000
    assert cpu_used(world.ledger.update(Accounting())) == 4_000


def test_without_a_default_quota_a_pod_without_label_is_in_no_account() -> None:
    world = World()
    world.pods("", 2, cpu=3)
    world.pods("misspelt", cpu=3)
    books = world.ledger.update(NO_DEFAULT)
    assert books.accounts == {}
    assert len(books.without_quota.running) == 3
    assert cpu_used(world.ledger.update(Accounting()), names.DEFAULT_QUOTA) == 9_000


def test_the_nodes_that_nobodys_pods_sit_on_offer_less() -> None:
    world = World(nodes=1, cpu=8)
    world.pods("", cpu=3)
    assert world.ledger.update(NO_DEFAULT).trees[TREE].available["cpu"] == 5_000


@pytest.mark.parametrize("gates", [(names.GATE,), ("theirs", names.GATE)])
def test_a_gated_pod_without_a_quota_is_released(gates: tuple[str, ...]) -> None:
    world = World(nodes=1, cpu=1)
    (pod,) = world.pods("", cpu=99, waiting=True)
    world.ledger.upsert_pod(replace(pod, gates=gates))
    decisions = decided(world, NO_DEFAULT)
    (release,) = decisions.releases
    assert (release.uid, release.quota) == (pod.uid, NO_QUOTA)
    assert release.gate_index == len(gates) - 1
    assert release.message == "Admitted: it belongs to no quota, so nothing limits it."
    assert decisions.waits == ()
    world.ledger.expect_release(pod.uid)
    assert decided(world, NO_DEFAULT).releases == ()


def test_who_waits_while_its_namespace_becomes_one_of_the_system_is_let_go() -> None:
    world = World(nodes=1, cpu=1)
    world.quota("team-a", max=2)
    fits, infeasible = (world.pods("team-a", cpu=cpu, waiting=True)[0] for cpu in (2, 99))
    assert len(world.decide().waits) == 2
    chosen = Accounting(terms=SharingTerms(system_namespaces=frozenset({"teams"})))
    decisions = decided(world, chosen)
    assert {release.uid for release in decisions.releases} == {fits.uid, infeasible.uid}
    assert {release.quota for release in decisions.releases} == {names.SYSTEM_QUOTA}
    assert decisions.waits == ()


def test_a_gated_pod_without_a_quota_that_is_being_deleted_is_left_alone() -> None:
    world = World()
    world.pods("", waiting=True, deleting=True)
    assert decided(world, NO_DEFAULT).releases == ()


def test_a_pod_whose_quota_is_deleted_is_nobodys_until_a_quota_takes_it() -> None:
    world = World()
    world.quota("team-a")
    (pod,) = world.pods("team-a", cpu=3)
    quota = next(key for key in world.ledger.quotas if key.name == "team-a")
    world.ledger.update(NO_DEFAULT)
    world.ledger.delete_quota(quota)
    assert list(world.ledger.update(NO_DEFAULT).without_quota.running) == [pod]
    world.quota("team-a")
    books = world.ledger.update(NO_DEFAULT)
    assert books.without_quota.empty
    assert cpu_used(books) == 3_000


def test_pods_of_a_parent_quota_share_with_its_children_like_one_more_child() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("dept", is_parent=True)
    world.quota("team-a", parent="dept", weight=1)
    world.pods("dept", 6, cpu=1, waiting=True, prefix="own")
    world.pods("team-a", 6, cpu=1, waiting=True)
    admitted = Accounting(in_parents_refused=TreeSelection(usually=False))
    released = [release.quota for release in decided(world, admitted).releases]
    assert len(released) == 8
    assert set(released) == {"dept", "team-a"}


@pytest.mark.parametrize(
    ("rule", "accounting"),
    [
        ("PD1307-unbound", Accounting(external_refused=TreeSelection(usually=False))),
        ("PD1307-open", Accounting(unlisted_refused=TreeSelection(usually=False))),
    ],
)
def test_a_rule_keeps_pods_from_being_admitted_where_the_administrator_chose_it(
    rule: Rule, accounting: Accounting
) -> None:
    assert not accounting.refuses(rule, TREE)
    everywhere = TreeSelection(usually=True)
    chosen = Accounting(external_refused=everywhere, unlisted_refused=everywhere)
    assert chosen.refuses(rule, TREE)
    assert accounting.refuses("PD1307", TREE)
