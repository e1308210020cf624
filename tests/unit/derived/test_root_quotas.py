"""Root quotas: what a profile wants, when it may not have it, and when a root goes."""

import json
from typing import Any

import pytest

from elasticquota import names
from elasticquota.derived import root_quotas
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Condition, Decisions
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.profile import Ratio
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.structs import replace
from worlds import ROOT, TREE, World


POOL = Key("system", "pool")


def ready(decisions: Decisions) -> Condition:
    (status,) = decisions.profiles
    return next(condition for condition in status.conditions if condition.type == "Ready")


def test_a_profile_gets_a_root_quota_of_what_its_nodes_offer() -> None:
    (root,) = World(nodes=5, cpu=8).decide().roots
    assert root.key == Key("system", ROOT)
    assert root.min == {"cpu": 40_000, "memory": 320 * 1024**3}
    assert root.max == {"cpu": 4611686018427387000, "memory": 4611686018427387}
    assert root.labels == {
        names.PARENT: names.ROOT_QUOTA,
        names.PROFILE: "pool",
        names.IS_PARENT: "true",
        names.IS_ROOT: "true",
        names.TREE_ID: TREE,
    }
    assert json.loads(root.annotations[names.TOTAL_RESOURCE]) == {
        "cpu": "40",
        "memory": "320Gi",
        "pods": "550",
    }


def test_a_resource_that_is_shared_and_not_offered_has_a_min_of_0() -> None:
    world = World(nodes=1, cpu=8)
    profile = replace(world.ledger.profiles[POOL], resource_keys=("cpu", "fpga"))
    world.ledger.upsert_profile(profile)
    (root,) = world.decide().roots
    assert root.min == {"cpu": 8_000, "fpga": 0}
    assert root.max == {"cpu": 4611686018427387000, "fpga": 4611686018427387}


def test_the_ratio_holds_back_its_part() -> None:
    world = World(nodes=5, cpu=8)
    world.ledger.upsert_profile(replace(world.ledger.profiles[POOL], ratio=Ratio(9, 10)))
    (root,) = world.decide().roots
    assert root.min["cpu"] == 36_000


def test_cordoned_nodes_stay_in_the_total_and_are_listed_apart() -> None:
    world = World(nodes=1, cpu=8)
    world.node("drained", cpu=4, cordoned=True)
    (root,) = world.decide().roots
    assert root.min["cpu"] == 12_000
    unschedulable = json.loads(root.annotations[names.UNSCHEDULABLE_RESOURCE])
    assert unschedulable == {"cpu": "4", "memory": "64Gi", "pods": "110"}


def test_quota_labels_reach_the_root_but_never_undo_its_marks() -> None:
    world = World()
    labels = {"team": "platform", names.IS_ROOT: "false", names.TREE_ID: "7"}
    labels |= {names.PARENT: "team-a", names.PROFILE: "other", names.ALLOW_FORCE_UPDATE: "true"}
    world.ledger.upsert_profile(replace(world.ledger.profiles[POOL], quota_labels=labels))
    (root,) = world.decide().roots
    assert root.labels["team"] == "platform"
    assert root.labels[names.IS_ROOT] == "true"
    assert root.labels[names.TREE_ID] == TREE
    assert root.labels[names.PARENT] == names.ROOT_QUOTA
    assert root.labels[names.PROFILE] == POOL.name
    assert names.ALLOW_FORCE_UPDATE not in root.labels


def test_another_owners_quota_under_that_name_is_left_alone() -> None:
    world = World()
    stored = world.ledger.quotas[Key("system", ROOT)]
    world.ledger.upsert_quota(replace(stored, is_root=False, profile="", tree_id=""))
    decisions = world.decide()
    assert decisions.roots == ()
    assert ready(decisions).message == (
        f"spec.quotaName: '{ROOT}' is taken by the quota system/{ROOT}. Choose another name, "
        "or delete that quota. [EP1202]"
    )


def test_an_empty_pool_is_reported() -> None:
    assert ready(World(nodes=0).decide()) == Condition(
        "Ready", False, "NoNodes", "no node matches spec.nodeSelector"
    )


def test_a_profile_is_not_ready_before_its_root_quota_is_there() -> None:
    """Who waits for Ready creates quotas below the root next, and must not be refused."""
    world = World(nodes=5)
    world.ledger.delete_quota(Key("system", ROOT))
    assert ready(world.decide()) == Condition(
        "Ready", False, "RootQuotaMissing", f"root quota {ROOT} is not there yet"
    )


def test_a_pool_with_nodes_is_ready() -> None:
    (status,) = World(nodes=5).decide().profiles
    assert status.conditions == (
        Condition("Ready", True, "TreeReady", f"root quota {ROOT} shares 5 nodes"),
    )


def younger(world: World, quota_name: str, tree_id: str) -> tuple[Condition, ...]:
    """The conditions of a younger profile that selects the same nodes."""
    key = Key("system", "younger")
    changes = {"uid": "uid-younger", "created": world.time(), "quota_name": quota_name}
    profile = replace(world.ledger.profiles[POOL], key=key, tree_id=tree_id, **changes)
    world.ledger.upsert_profile(profile)
    return next(found.conditions for found in world.decide().profiles if found.key == key)


def test_nodes_of_an_older_profile_are_named_and_not_counted() -> None:
    world = World(nodes=2)
    root = world.ledger.quotas[Key("system", ROOT)]
    world.ledger.upsert_quota(
        replace(root, key=Key("system", "other-root"), profile="younger", tree_id="43")
    )
    assert younger(world, "other-root", "43") == (
        Condition(
            "Ready",
            False,
            "NoNodes",
            "every node that matches spec.nodeSelector belongs to an older profile",
        ),
        Condition(
            "NodesOverlap",
            True,
            "OwnedByOlderProfile",
            "nodes that an older profile owns are not counted here: node-0, node-1",
        ),
    )


@pytest.mark.parametrize(
    ("root", "tree_id", "why"),
    [
        (
            "other-root",
            TREE,
            f"metadata.labels[{names.TREE_ID}]: '{TREE}' is the tree id of profile 'system/pool'. "
            "Leave the label out, and it is filled in. [EP1202]",
        ),
        (
            names.SYSTEM_QUOTA,
            "43",
            f"spec.quotaName: '{names.SYSTEM_QUOTA}' is reserved: that quota exists without a "
            "profile. Choose another name. [EP1201]",
        ),
    ],
)
def test_a_profile_with_the_tree_id_of_an_older_one_or_a_reserved_name_is_not_ready(
    root: str, tree_id: str, why: str
) -> None:
    found = younger(World(nodes=2), root, tree_id)
    assert found[0] == Condition("Ready", False, "InvalidSpec", why)


def test_a_profile_whose_root_has_the_name_of_an_older_quota_is_not_ready_until_that_is_gone() -> (
    None
):
    """A user chose it before there was a profile, in a namespace of its own."""
    world = World(nodes=2)
    root = world.ledger.quotas[Key("system", ROOT)]
    taken = Key("mallory", ROOT)
    world.ledger.upsert_quota(
        Quota(taken, uid="uid-taken", created="2000-01-01T00:00:00Z", parent=names.ROOT_QUOTA)
    )
    assert ready(world.decide()) == Condition(
        "Ready",
        False,
        "InvalidSpec",
        f"spec.quotaName: '{ROOT}' is taken by the quota mallory/{ROOT}. Choose another name, "
        "or delete that quota. [EP1202]",
    )
    world.ledger.delete_quota(root.key)
    assert world.decide().roots == ()
    world.ledger.delete_quota(taken)
    assert [each.key for each in world.decide().roots] == [root.key]


def orphans_later(world: World) -> tuple[Key, ...]:
    """The root quotas that go, once they had no profile for long enough."""
    world.decide()
    return world.decide(root_quotas.KEPT_FOR).orphan_roots


def test_the_root_goes_half_a_minute_after_its_profile_when_nothing_hangs_on_it() -> None:
    """Tools that delete the objects of a tree one by one delete it last, as Koordinator's do."""
    world = World()
    world.ledger.delete_profile(POOL)
    first = world.decide(1)
    assert (first.orphan_roots, first.wake_at) == ((), 1 + root_quotas.KEPT_FOR)
    assert world.decide(root_quotas.KEPT_FOR).orphan_roots == ()
    assert world.decide(1 + root_quotas.KEPT_FOR).orphan_roots == (Key("system", ROOT),)


def test_the_time_begins_again_when_a_quota_was_below_it() -> None:
    world = World()
    world.ledger.delete_profile(POOL)
    world.decide()
    world.quota("team-a")
    world.decide(1)
    world.ledger.delete_quota(Key("teams", "team-a"))
    assert world.decide(root_quotas.KEPT_FOR).orphan_roots == ()


def test_the_root_stays_while_it_has_children_and_says_so() -> None:
    world = World()
    world.quota("team-a")
    world.ledger.delete_profile(POOL)
    assert orphans_later(world) == ()
    decisions = world.decide()
    status = next(status for status in decisions.statuses if status.key.name == ROOT)
    missing = next(c for c in status.conditions if c.type == "ProfileMissing")
    assert missing == Condition(
        "ProfileMissing",
        True,
        "ProfileDeleted",
        "profile system/pool is gone: no pod starts in its tree until it is back",
    )


def test_no_root_is_wanted_in_a_namespace_that_goes_away() -> None:
    world = World()
    world.ledger.upsert_namespace(Namespace("system", terminating=True))
    assert world.decide().roots == ()


def test_a_profile_whose_selector_cannot_be_read_keeps_what_was_published() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min=16)
    running = world.pods("team-a", 4, cpu=4)
    key = Key("system", "pool")
    root = world.ledger.quotas[Key("system", ROOT)]
    world.ledger.upsert_quota(replace(root, total=world.decide().roots[0].min))
    broken = replace(
        world.ledger.profiles[key],
        selector=Selector((Requirement("", "In", ()),)),
        selects_unknown=True,
        faults=(Fault("spec.nodeSelector", "must be a map, got 'four'"),),
    )
    world.ledger.upsert_profile(broken)
    decisions = world.decide(now=10**9)
    assert decisions.roots == ()
    assert decisions.evictions == ()
    assert [len(running), decisions.profiles[0].conditions[0].reason] == [4, "InvalidSpec"]
    assert "spec.nodeSelector" in decisions.profiles[0].conditions[0].message


@pytest.mark.parametrize(
    ("said", "tree"),
    [
        ({"guarantee_usage": True}, {"guaranteeUsage": True}),
        ({"guarantee_usage": False}, {"guaranteeUsage": False}),
        ({"observes": True}, {"enforcement": "Observe"}),
        ({"observes": False}, {"enforcement": "Enforce"}),
        ({"guarantee_usage": None, "observes": None}, {}),
    ],
)
def test_a_profile_hands_its_settings_to_its_root(said: Any, tree: Any) -> None:
    world = World(nodes=1)
    world.ledger.upsert_profile(replace(world.ledger.profiles[POOL], **said))
    (root,) = world.decide().roots
    assert root.tree == tree


def test_a_root_of_no_tree_goes_with_its_profile_unless_a_quota_or_a_pod_is_below_it() -> None:
    world = World()
    root = world.ledger.quotas[Key("system", ROOT)]
    second = replace(
        root, key=Key("system", "second"), uid="second", created=world.time(), profile="gone"
    )
    world.ledger.upsert_quota(second)
    assert "second" not in world.ledger.update(Accounting()).forest.tree_of
    assert orphans_later(world) == (second.key,)
    world.quota("team-a", parent="second")
    assert orphans_later(world) == ()
    world.ledger.delete_quota(Key("teams", "team-a"))
    assert orphans_later(world) == (second.key,)
    (waiting,) = world.pods("second", waiting=True)
    assert orphans_later(world) == ()
    world.ledger.delete_pod(waiting.key)
    world.pods("second")
    assert orphans_later(world) == ()


def test_a_root_that_names_no_profile_is_the_root_of_the_profile_that_names_it() -> None:
    world = World(nodes=5)
    root = world.ledger.quotas[Key("system", ROOT)]
    world.ledger.upsert_quota(replace(root, profile=""))
    decisions = world.decide()
    assert [found.key for found in decisions.roots] == [root.key]
    assert decisions.orphan_roots == ()
    assert ready(decisions).reason == "TreeReady"
    world.ledger.upsert_quota(replace(root, profile="other"))
    assert ready(world.decide()).reason == "InvalidSpec"


def test_an_elastic_tree_says_what_its_nodes_offer_beyond_max() -> None:
    world = World(nodes=5, cpu=8)
    world.elastic(cpu=32)
    assert ready(world.decide()).message.startswith(f"root quota {ROOT} shares at most 32 cpu")
    assert "; 8 cpu of it are beyond max and are not shared" in ready(world.decide()).message
    world.elastic(cpu=40)
    assert "beyond max" not in ready(world.decide()).message
