"""What every quota asks for, holds and waits for, made from the present objects."""

from typing import Any

import pytest

import figures
from elasticquota import names
from elasticquota.decisions import decide
from elasticquota.forest import acceptance
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.tree_accounting import TreeAccounting
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.capacity_mode import NODES, CapacityMode, Mode
from elasticquota.model.decision import Decisions, QuotaStatus
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.profile import WHOLE, Ratio
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.status import quota_status
from elasticquota.structs import replace
from worlds import ROOT, TREE, World, amounts


def balance(world: World) -> ClusterSnapshot:
    return world.ledger.update(Accounting())


def tree(world: World, tree_id: str = TREE) -> TreeBooks:
    return balance(world).trees[tree_id]


def test_request_counts_every_live_pod_and_used_only_bound_ones() -> None:
    world = World()
    world.quota("team-a")
    world.pods("team-a", 2)
    world.pods("team-a", 3, bound=False)
    world.pods("team-a", 4, waiting=True)
    account = balance(world).account("team-a")
    assert account.request(accepted=True)["cpu"] == 9_000
    assert account.admitted["cpu"] == 5_000
    assert account.used["cpu"] == 2_000
    assert account.gated == 4


def test_terminating_pods_count_until_they_are_gone() -> None:
    world = World()
    world.quota("team-a")
    (pod,) = world.pods("team-a", deleting=True)
    assert balance(world).account("team-a").used["cpu"] == 1_000
    world.ledger.delete_pod(pod.key)
    assert balance(world).account("team-a").used == {}


def test_sums_roll_up_to_the_root() -> None:
    world = World()
    world.quota("dept", is_parent=True)
    world.quota("team-a", parent="dept")
    world.quota("team-b", parent="dept")
    world.pods("team-a", 2)
    world.pods("team-b", 3)
    found = tree(world)
    assert found.used["dept"]["cpu"] == found.used[ROOT]["cpu"] == 5_000


def test_a_deleted_quota_leaves_no_phantom_and_its_pods_move_to_the_default_quota() -> None:
    world = World()
    world.quota("team-a")
    world.pods("team-a", 3)
    world.ledger.delete_quota(Key("teams", "team-a"))
    found = balance(world)
    assert found.trees[TREE].used[ROOT] == {}
    assert found.account(names.DEFAULT_QUOTA).used["cpu"] == 3_000


def test_a_relabelled_pod_moves_with_all_its_sums() -> None:
    world = World()
    world.quota("team-a")
    world.quota("team-b")
    (pod,) = world.pods("team-a")
    world.ledger.upsert_pod(replace(pod, quota_label="team-b"))
    found = tree(world)
    assert (found.used["team-a"], found.used["team-b"]["cpu"]) == ({}, 1_000)


def test_the_tree_offers_what_its_nodes_offer_less_what_external_pods_hold() -> None:
    world = World(nodes=2, cpu=8)
    world.pods("", 3, namespace="kube-system", prefix="agent")
    world.pods("", 2, namespace="elsewhere", prefix="stray")
    found = tree(world)
    assert found.total["cpu"] == 16_000
    assert found.available["cpu"] == 11_000


def test_a_node_that_leaves_takes_its_part_of_the_total() -> None:
    world = World(nodes=2, cpu=8)
    world.ledger.delete_node("node-1")
    assert tree(world).total["cpu"] == 8_000


def test_nodes_of_no_profile_make_the_default_tree() -> None:
    world = World(nodes=2, cpu=8)
    world.node("other", cpu=4, pool="none")
    assert balance(world).trees[names.DEFAULT_TREE].total["cpu"] == 4_000


@pytest.mark.parametrize("created", ["2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z"])
def test_of_two_profiles_with_one_tree_id_the_older_says_which_nodes_the_tree_has(
    created: str,
) -> None:
    world = World(nodes=2, cpu=8)
    world.node("other", cpu=4, pool="other")
    profile = world.ledger.profiles[Key("system", "pool")]
    selector = Selector((Requirement("pool", "In", ("other",)),))
    twin = replace(profile, key=Key("system", "twin"), created=created, selector=selector)
    world.ledger.upsert_profile(twin)
    older = {"other"} if created < profile.created else {"node-0", "node-1"}
    assert balance(world).nodes_by_tree[TREE].nodes == older


def test_a_root_quota_without_profile_offers_the_total_it_states() -> None:
    world = World()
    root = world.ledger.quotas[Key("system", ROOT)]
    world.ledger.delete_profile(Key("system", "pool"))
    world.ledger.upsert_quota(replace(root, total=amounts(cpu=7)))
    assert tree(world).available == amounts(cpu=7)


def test_a_total_written_by_hand_is_taken_off_the_default_tree_unless_it_shares() -> None:
    world = World(nodes=2, cpu=8)
    root = replace(world.ledger.quotas[Key("system", ROOT)], total=amounts(cpu=7))
    world.ledger.delete_profile(Key("system", "pool"))
    world.ledger.upsert_quota(root)
    assert tree(world, names.DEFAULT_TREE).total["cpu"] == 9_000
    world.ledger.upsert_quota(replace(root, shares_default_tree=True))
    assert tree(world, names.DEFAULT_TREE).total["cpu"] == 16_000


def test_totals_written_by_hand_leave_the_default_tree_nothing_at_worst() -> None:
    world = World(nodes=2, cpu=8)
    root = replace(world.ledger.quotas[Key("system", ROOT)], total=amounts(cpu=70))
    world.ledger.delete_profile(Key("system", "pool"))
    world.ledger.upsert_quota(root)
    assert tree(world, names.DEFAULT_TREE).total["cpu"] == 0


@pytest.mark.parametrize("mode", ["Elastic", "Declared"])
def test_what_nodes_may_become_or_are_elsewhere_is_not_taken_off_the_default_tree(
    mode: Mode,
) -> None:
    """The profile is gone, and its root quota still states the total."""
    world = World(nodes=2, cpu=8)
    root = replace(world.ledger.quotas[Key("system", ROOT)], total=amounts(cpu=70))
    world.ledger.delete_profile(Key("system", "pool"))
    world.ledger.upsert_quota(replace(root, capacity=CapacityMode(mode)))
    assert tree(world, names.DEFAULT_TREE).total["cpu"] == 16_000


def test_a_stated_total_whose_namespace_terminates_is_not_taken_off_the_default_tree() -> None:
    world = World(nodes=2, cpu=8)
    root = replace(world.ledger.quotas[Key("system", ROOT)], total=amounts(cpu=70))
    world.ledger.delete_profile(Key("system", "pool"))
    world.ledger.upsert_quota(root)
    assert tree(world, names.DEFAULT_TREE).total["cpu"] == 0
    world.ledger.upsert_namespace(Namespace("system", terminating=True))
    assert tree(world, names.DEFAULT_TREE).total["cpu"] == 16_000


def test_the_books_do_not_depend_on_the_order_of_arrival() -> None:
    world = World()
    world.quota("team-a", min=3)
    world.quota("team-b", min=4)
    world.pods("team-a", 5, waiting=True)
    world.pods("team-b", 5)
    turned = World(nodes=0)
    for kind in ("pods", "quotas", "profiles", "nodes"):
        there = getattr(turned.ledger, kind)
        there.clear()
        there.update(reversed(getattr(world.ledger, kind).items()))
    assert figures.of(balance(turned)) == figures.of(balance(world))


def test_a_resource_that_no_pod_uses_any_more_is_no_longer_guaranteed_where_use_is() -> None:
    world = World()
    root = world.ledger.quotas[Key("system", ROOT)]
    world.ledger.upsert_quota(replace(root, guarantee_usage=True))
    world.quota("team-a")
    pod, _ = world.pods("team-a", 2)
    world.ledger.upsert_pod(replace(pod, request={**pod.request, "gpu": 1}))
    world.quota("team-b", {"gpu": 1})
    assert tree(world).runtimes.guaranteed("team-a")["gpu"] == 1
    world.ledger.delete_pod(pod.key)
    assert "gpu" not in tree(world).runtimes.guaranteed("team-a")


def noted(world: World) -> Decisions:
    """What is decided with notes of the last time, and only that."""
    return decide.decide(world.ledger, 0, cache=world.cache)


def edited(world: World, name: str, **fields: Any) -> None:
    quota = world.ledger.quotas[Key("teams", name)]
    world.ledger.upsert_quota(replace(quota, **fields))


def test_an_edited_quota_has_no_other_quota_judged_arranged_or_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    world.quota("dept", min=20, is_parent=True)
    for name in ("team-a", "team-b", "team-c"):
        world.quota(name, min=5, max=9, parent="dept")
    world.pods("team-a", 2)
    noted(world)
    for owner, function in (
        (acceptance, "build"),
        (TreeAccounting, "arrange"),
        (quota_status, "statuses"),
    ):
        monkeypatch.setattr(owner, function, None)
    reported: list[str] = []
    status = quota_status.status

    def counted(quota: Quota, *rest: Any) -> QuotaStatus:
        reported.append(quota.name)
        return status(quota, *rest)

    monkeypatch.setattr(quota_status, "status", counted)
    edited(world, "team-a", max=amounts(cpu=8))
    found = noted(world)
    assert sorted(reported) == ["dept", ROOT, "team-a"]
    assert [each.max["cpu"] for each in found.statuses if each.key.name == "team-a"] == [8_000]


def test_a_quota_that_is_seen_again_as_it_was_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    world.quota("team-a", min=5)
    noted(world)
    monkeypatch.setattr(acceptance, "build", None)
    monkeypatch.setattr(quota_status, "status", None)
    edited(world, "team-a")
    assert noted(world).statuses


def test_what_a_root_says_is_looked_at_everywhere() -> None:
    world = World()
    root = world.ledger.quotas[Key("system", ROOT)]
    world.quota("team-a", min=5, namespaces=("team-a",))
    noted(world)
    world.ledger.upsert_quota(replace(root, observes=True))
    (found,) = (each for each in noted(world).statuses if each.key.name == "team-a")
    assert [each.type for each in found.conditions] == [
        "Accepted",
        "Ready",
        "Overused",
        "Starved",
        "Reclaiming",
        "Observed",
    ]


def test_many_edits_at_a_time_are_taken_in_at_once() -> None:
    world = World()
    for number in range(20):
        world.quota(f"team-{number}")
    noted(world)
    for number in range(20):
        edited(world, f"team-{number}", min=amounts(cpu=1))
    found = tree(world)
    assert found.runtimes.runtime("team-3") == found.runtimes.runtime("team-4")


def test_a_name_that_changed_owners_unseen_stands_where_the_new_one_says() -> None:
    world = World()
    world.quota("team-a")
    world.pods("team-a", 2)
    noted(world)
    gone = world.ledger.quotas[Key("teams", "team-a")]
    world.ledger.delete_quota(gone.key)
    new = replace(gone, key=Key("others", "team-a"), parent=names.ROOT_QUOTA, tree_id="")
    world.ledger.upsert_quota(new)
    found = balance(world)
    assert found.trees[names.DEFAULT_TREE].used["team-a"]["cpu"] == 2_000
    assert found.trees[TREE].used[ROOT] == {}
    assert found.trees[TREE].available["cpu"] == 38_000


def test_a_leaf_that_comes_or_goes_has_no_other_quota_judged_counted_or_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    for name in ("team-a", "team-b", "team-c"):
        world.quota(name, min=5)
    world.pods("team-a", 2)
    noted(world)
    for owner, function in (
        (acceptance, "build"),
        (TreeAccounting, "arrange"),
        (quota_status, "statuses"),
    ):
        monkeypatch.setattr(owner, function, None)
    reported: list[str] = []
    status = quota_status.status

    def counted(quota: Quota, *rest: Any) -> QuotaStatus:
        reported.append(quota.name)
        return status(quota, *rest)

    monkeypatch.setattr(quota_status, "status", counted)
    world.quota("team-0", min=5)
    keys = [each.key.name for each in noted(world).statuses]
    assert keys == [ROOT, "team-0", "team-a", "team-b", "team-c"]
    world.ledger.delete_quota(Key("teams", "team-a"))
    found = noted(world)
    assert [each.key.name for each in found.statuses] == [ROOT, "team-0", "team-b", "team-c"]
    assert set(reported) == {ROOT, "team-0"}


@pytest.mark.parametrize("number", range(8))
def test_a_parent_that_goes_at_once_with_the_child_that_holds_pods_leaves_nothing(
    number: int,
) -> None:
    """In whatever order: of eight names some child is looked at after its parent."""
    world = World(nodes=4, cpu=8)
    world.quota("other")
    world.quota(f"dept-{number}", is_parent=True)
    world.quota(f"team-{number}", parent=f"dept-{number}")
    world.pods(f"team-{number}", 2)
    balance(world)
    for name in (f"team-{number}", f"dept-{number}"):
        world.ledger.delete_quota(Key("teams", name))
    assert tree(world).used[ROOT] == {}


def test_a_quota_that_comes_to_a_tree_in_observe_mode_is_observed_and_one_that_goes_is_not() -> (
    None
):
    world = World()
    world.quota("team-a")
    assert world.ledger.update(Accounting()).observed == set()
    world.observe()
    assert world.ledger.update(Accounting()).observed == {ROOT, "team-a"}
    world.quota("team-b")
    world.quota("team-c")
    assert world.ledger.update(Accounting()).observed == {ROOT, "team-a", "team-b", "team-c"}
    world.ledger.delete_quota(Key("teams", "team-a"))
    assert world.ledger.update(Accounting()).observed == {ROOT, "team-b", "team-c"}
    world.observe(observes=None)
    assert world.ledger.update(Accounting()).observed == set()


def elastic(most: int, largest: int | None = None) -> CapacityMode:
    node = None if largest is None else amounts(cpu=largest)
    return CapacityMode("Elastic", max=amounts(cpu=most, memory=1000), largest_node=node)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(elastic(20), elastic(40), id="a larger max"),
        pytest.param(elastic(40, largest=16), elastic(40, largest=32), id="a larger node"),
        pytest.param(elastic(20), CapacityMode("Declared", total=amounts(cpu=40)), id="declared"),
        pytest.param(NODES, elastic(40), id="elastic"),
        pytest.param(NODES, CapacityMode("Declared", total=amounts(cpu=40)), id="no nodes"),
    ],
)
def test_a_pod_is_judged_again_when_the_capacity_mode_changes(
    before: CapacityMode, after: CapacityMode
) -> None:
    """A pod of 30 cpu is too large before, and not after, and the other way round."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=100)
    world.capacity(before)
    world.pods("team-a", cpu=30, waiting=True)
    assert balance(world).account("team-a").infeasible_pods
    world.capacity(after)
    assert not balance(world).account("team-a").infeasible_pods
    world.capacity(before)
    assert balance(world).account("team-a").infeasible_pods


@pytest.mark.parametrize("is_job", [True, False])
def test_a_job_or_gang_is_judged_again_when_the_ratio_of_the_total_changes(is_job: bool) -> None:
    """It needs 12 cpu of 16, and then of 8."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    profile = world.ledger.profiles[Key("system", "pool")]
    if is_job:
        world.job("team-a", "train", 3, 4)
    else:
        world.pods("team-a", 3, cpu=4, waiting=True, group=Group("train", 3))
    for ratio, is_infeasible in ((Ratio(1, 2), True), (WHOLE, False), (Ratio(1, 2), True)):
        world.ledger.upsert_profile(replace(profile, ratio=ratio))
        assert bool(balance(world).account("team-a").infeasible_pods) is is_infeasible
