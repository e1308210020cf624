"""What every quota asks for, holds and waits for, made from the present objects."""

from dataclasses import replace

import figures
from elasticquota import names
from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.books import Books
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.key import Key
from worlds import ROOT, TREE, World, amounts


def balance(world: World) -> Books:
    return world.ledger.balance(Accounting())


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


def test_the_tree_offers_what_its_nodes_offer_less_what_strangers_hold() -> None:
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


def test_a_resource_that_nobody_uses_any_more_is_no_longer_guaranteed_where_use_is() -> None:
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
