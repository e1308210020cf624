"""The objects of the three built-in quotas: which are kept, and what their statuses show."""

import json

from elasticquota import names
from elasticquota.forest.settings import SharingTerms
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import BuiltInQuota, Decisions, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.quota import Quota
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World, amounts


HOME = "elastic-quota-system"
POLICY = Policy(accounting=Accounting(terms=SharingTerms(home=HOME)))
ALL = sorted(names.RESERVED_QUOTAS)


def world(nodes: int = 2) -> World:
    """Two nodes of 8 cpu that no profile selects, and the release's namespace."""
    found = World(nodes=0)
    for number in range(nodes):
        found.node(f"free-{number}", cpu=8, pool="none")
    found.ledger.upsert_namespace(Namespace(HOME))
    return found


def decided(found: World) -> Decisions:
    return found.decide(policy=POLICY)


def stored(found: World, name: str, namespace: str = HOME, **fields: object) -> None:
    quota = Quota(Key(namespace, name), uid=f"{namespace}-{name}", created=found.time())
    found.ledger.upsert_quota(replace(quota, **fields))


def team(found: World, name: str, **fields: object) -> None:
    """A leaf directly below the root of the default tree."""
    stored(found, name, "teams", **fields)


def kept(found: World) -> dict[str, BuiltInQuota]:
    return {each.key.name: each for each in decided(found).built_in}


def status(found: World, name: str) -> QuotaStatus:
    return next(each for each in decided(found).statuses if each.key == Key(HOME, name))


def test_all_three_are_kept_in_the_releases_namespace_and_the_root_says_the_total() -> None:
    found = world()
    assert [each.key for each in decided(found).built_in] == [Key(HOME, name) for name in ALL]
    root = kept(found)[names.ROOT_QUOTA]
    assert json.loads(root.annotations[names.TOTAL_RESOURCE])["cpu"] == "16"
    assert root.labels == {names.IS_PARENT: "true", names.ALLOW_LENT: "false"}
    found.node("drained", cpu=4, pool="none", cordoned=True)
    root = kept(found)[names.ROOT_QUOTA]
    assert json.loads(root.annotations[names.TOTAL_RESOURCE])["cpu"] == "20"
    assert json.loads(root.annotations[names.UNSCHEDULABLE_RESOURCE])["cpu"] == "4"


def test_nothing_is_kept_where_the_namespace_is_unknown_gone_or_terminating() -> None:
    found = world()
    assert found.decide().built_in == (), "a tool that does not know the namespace"
    found.ledger.upsert_namespace(Namespace(HOME, terminating=True))
    assert kept(found) == {}
    found.ledger.delete_namespace(HOME)
    assert kept(found) == {}


def test_an_object_that_asks_for_something_is_left_alone_and_shows_no_figures() -> None:
    found = world()
    stored(found, names.ROOT_QUOTA, min={"cpu": 1000})
    assert names.ROOT_QUOTA not in kept(found)
    shown = status(found, names.ROOT_QUOTA)
    assert (shown.tree, shown.runtime) == ("", {})
    assert shown.conditions[0].reason == "ReservedName"
    assert sorted(kept(found)) == [names.DEFAULT_QUOTA, names.SYSTEM_QUOTA]


def test_an_object_in_another_namespace_neither_counts_nor_replaces_ours() -> None:
    found = world()
    stored(found, names.ROOT_QUOTA, namespace="team", is_parent=True)
    assert sorted(kept(found)) == ALL
    team(found, "leaf", min={"cpu": 1000}, max={"cpu": 1000})
    found.pods("leaf", 1, node="free-0")
    shown = next(each for each in decided(found).statuses if each.key.namespace == "team")
    assert shown.used == {}


def test_what_koordinator_left_is_adopted_as_it_is() -> None:
    found = world()
    huge = {"cpu": 1844674407370955161000, "memory": 1844674407370955161}
    stored(found, names.ROOT_QUOTA, is_parent=True, allow_lent=False)
    stored(found, names.SYSTEM_QUOTA, max=huge)
    assert kept(found)[names.SYSTEM_QUOTA].annotations == {}
    assert status(found, names.SYSTEM_QUOTA).conditions[0].status
    assert status(found, names.SYSTEM_QUOTA).max == {}, "nothing limits the system"


def test_the_root_shows_the_default_tree() -> None:
    found = world()
    stored(found, names.ROOT_QUOTA, is_parent=True)
    team(found, "team", min={"cpu": 4000}, max={"cpu": 8000})
    found.pods("team", 3, node="free-0")
    shown = status(found, names.ROOT_QUOTA)
    assert shown.tree == names.ROOT_QUOTA
    assert (shown.parent, shown.is_parent) == ("", True)
    assert shown.used["cpu"] == 3000
    assert shown.request["cpu"] == 3000
    assert shown.runtime["cpu"] == 16_000
    assert shown.pods_admitted == 3
    found.pods("team", 2, node="free-0")
    assert status(found, names.ROOT_QUOTA).used["cpu"] == 5000


def test_the_system_quota_shows_what_the_system_uses_and_has_no_runtime() -> None:
    found = world()
    stored(found, names.SYSTEM_QUOTA)
    before = status(found, names.SYSTEM_QUOTA)
    assert (before.used, before.runtime) == ({}, {})
    found.pods("", 2, namespace="kube-system", node="free-0")
    shown = status(found, names.SYSTEM_QUOTA)
    assert shown.used["cpu"] == amounts(cpu=2)["cpu"]
    assert (shown.tree, shown.runtime, shown.pods_admitted) == ("", {}, 2)


def test_the_mode_on_the_root_rules_the_default_tree() -> None:
    found = world()
    stored(found, names.ROOT_QUOTA, is_parent=True, observes=True)
    types = [condition.type for condition in status(found, names.ROOT_QUOTA).conditions]
    assert "Observed" in types
    team(found, "team", max={"cpu": 1000})
    found.pods("team", 3, waiting=True)
    assert len(decided(found).releases) == 3


def test_a_published_total_is_no_edit_of_the_forest() -> None:
    """The controller writes it at every change of nodes; the forest must not be built again."""
    found = world()
    stored(found, names.ROOT_QUOTA, is_parent=True)
    decided(found)
    before = found.ledger.snapshot.forest
    root = found.ledger.quotas[Key(HOME, names.ROOT_QUOTA)]
    found.ledger.upsert_quota(replace(root, total={"cpu": 5}))
    decided(found)
    after = found.ledger.snapshot.forest
    assert after.quotas[names.ROOT_QUOTA].total == {"cpu": 5}
    assert (after.trees is before.trees, after.verdicts is before.verdicts) == (True, True)
