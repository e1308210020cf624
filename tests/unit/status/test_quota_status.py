"""The figures and conditions that people see."""

from elasticquota import names
from elasticquota.forest.settings import NOWHERE, SharingTerms
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Condition, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import ROOT, TREE, World


def status(world: World, name: str) -> QuotaStatus:
    return next(status for status in world.decide().statuses if status.key.name == name)


def condition(found: QuotaStatus, kind: str) -> Condition:
    return next(condition for condition in found.conditions if condition.type == kind)


def test_a_leaf_shows_what_it_uses_asks_for_and_may_use() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10, max=12)
    world.pods("team-a", 8)
    world.pods("team-a", 2, cpu=3, waiting=True)
    found = status(world, "team-a")
    assert (found.used["cpu"], found.request["cpu"], found.runtime["cpu"]) == (
        8_000,
        14_000,
        12_000,
    )
    assert (found.pods_admitted, found.pods_gated) == (8, 2)
    assert found.tree == ROOT


def test_a_parent_shows_its_whole_branch() -> None:
    world = World()
    world.quota("dept", is_parent=True)
    world.quota("team-a", parent="dept")
    world.pods("team-a", 3)
    found = status(world, "dept")
    assert (found.used["cpu"], found.pods_admitted) == (3_000, 3)


def test_a_default_quota_that_names_another_parent_still_shows_what_it_holds() -> None:
    """It is refused, and governs its pods in the place that it always has."""
    world = World()
    world.quota("dept", is_parent=True)
    world.quota(names.DEFAULT_QUOTA, parent="dept", max=9)
    world.pods(names.DEFAULT_QUOTA, 3)
    found = status(world, names.DEFAULT_QUOTA)
    assert condition(found, "Accepted").reason == "ReservedName"
    assert (found.parent, found.pods_admitted) == (names.ROOT_QUOTA, 3)
    assert found.used["cpu"] == 3_000


def test_what_is_not_preemptible_is_reported_for_the_whole_branch() -> None:
    world = World()
    world.quota("dept", min=8, is_parent=True)
    world.quota("team-a", min=4, parent="dept")
    world.pods("team-a", 2, preemptible=False)
    world.pods("team-a", 1, cpu=3, preemptible=False, waiting=True)
    world.pods("team-a", 1)
    for name in ("team-a", "dept"):
        found = status(world, name)
        assert found.non_preemptible_used["cpu"] == 2_000
        assert found.non_preemptible_request["cpu"] == 5_000


def test_lending_that_is_off_raises_what_is_asked_for_but_not_what_children_ask_for() -> None:
    world = World()
    world.quota("dept", min=2, is_parent=True)
    world.quota("team-a", max=5, parent="dept")
    world.quota("team-b", min=2, max=5, parent="dept", lent=False)
    world.pods("team-a", 8, waiting=True)
    assert status(world, "team-a").child_request["cpu"] == 8_000
    idle = status(world, "team-b")
    assert (idle.request["cpu"], idle.child_request) == (2_000, {})
    assert status(world, "dept").child_request["cpu"] == 7_000


def test_a_parent_without_children_asks_for_what_its_own_pods_do() -> None:
    world = World()
    world.quota("dept", min=4, is_parent=True)
    world.pods("dept", 3)
    assert status(world, "dept").child_request["cpu"] == 3_000


def test_guaranteed_and_allocated_are_reported_only_where_use_is_guaranteed() -> None:
    world = World()
    world.quota("team-a", min=1)
    world.pods("team-a", 3)
    lending = status(world, "team-a")
    assert (lending.guaranteed, lending.allocated) == ({}, {})
    (root,) = (quota for quota in world.ledger.quotas.values() if quota.name == ROOT)
    world.ledger.upsert_quota(replace(root, guarantee_usage=True))
    guarding = status(world, "team-a")
    assert (guarding.guaranteed["cpu"], guarding.allocated["cpu"]) == (3_000, 3_000)
    top = status(world, ROOT)
    assert (top.guaranteed, top.allocated["cpu"]) == ({}, 3_000)


def test_a_root_shows_its_tree_id_and_what_takes_no_new_pods() -> None:
    world = World(nodes=1, cpu=8)
    world.node("cordoned", cpu=3, cordoned=True)
    world.quota("dept", is_parent=True)
    top, inner = status(world, ROOT), status(world, "dept")
    assert (top.tree_id, inner.tree_id, inner.is_parent) == (TREE, TREE, True)
    assert (top.unschedulable["cpu"], inner.unschedulable) == (3_000, {})
    (dept,) = (quota for quota in world.ledger.quotas.values() if quota.name == "dept")
    world.ledger.delete_quota(dept.key)
    world.ledger.upsert_quota(replace(dept, key=Key("system", "dept"), profile="pool"))
    assert status(world, "dept").unschedulable == {}


def test_over_use_is_said_with_its_amount() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=5)
    world.pods("team-a", 8)
    found = condition(status(world, "team-a"), "Overused")
    assert found == Condition(
        "Overused", True, "BeyondRuntime", "uses 8 of its current share of 5 cpu: 3 cpu too much"
    )


def test_use_of_the_whole_runtime_is_no_over_use() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=5)
    world.pods("team-a", 5)
    found = condition(status(world, "team-a"), "Overused")
    assert found == Condition(
        "Overused", False, "WithinRuntime", "uses 5 of its current share of 5 cpu"
    )


def test_a_quota_of_no_tree_shows_its_own_pods_and_no_runtime() -> None:
    world = World()
    world.quota("team-a", parent="nowhere")
    world.pods("team-a", 2, preemptible=False)
    world.pods("team-a", 1, cpu=3, waiting=True)
    found = status(world, "team-a")
    assert (found.pods_admitted, found.pods_gated) == (2, 1)
    assert (found.used["cpu"], found.runtime, found.child_request) == (2_000, {}, {})
    assert (found.unschedulable, found.allocated, found.guaranteed) == ({}, {}, {})
    assert found.non_preemptible_used["cpu"] == 2_000
    assert found.non_preemptible_request["cpu"] == 2_000


def test_what_a_quota_does_not_mean_as_it_is_written_stands_in_its_accepted_message() -> None:
    world = World()
    world.quota("dept", min=4, max=8, is_parent=True)
    world.quota("older", parent="dept", max=4, namespaces=("shop",))
    world.quota("team-a", max={"cpu": 1, "gpu": 1}, parent="dept", namespaces=("shop",))
    found = condition(status(world, "team-a"), "Accepted")
    assert found == Condition(
        "Accepted",
        True,
        "Accepted",
        "guaranteed nothing, so all that it uses is borrowed; warning: "
        "metadata.annotations[quota.scheduling.koordinator.sh/namespaces]: namespace 'shop' is "
        "bound by quota 'older'. Leave it out, or remove it from 'older' first. [EQ1004]; "
        "spec.max.gpu: 'gpu' is not among the resources of parent 'dept': cpu. Leave it out, or "
        "add it to spec.max of 'dept' first. [EQ1103]",
    )


def test_a_quota_that_is_not_accepted_says_that_alone() -> None:
    world = World()
    world.quota("dept", max=8, is_parent=True)
    world.quota("team-a", min=1, max={"cpu": 1000, "gpu": 1}, parent="dept")
    found = condition(status(world, "team-a"), "Accepted")
    assert (found.status, found.reason) == (False, "MinExceedsParent")
    assert "EQ1103" not in found.message


def test_verdicts_go_by_what_the_administrator_lets_pass_in_the_tree() -> None:
    world = World()
    lenient = Policy(accounting=Accounting(terms=SharingTerms(sums_refused=NOWHERE)))
    world.quota("dept", min=4, max=8, is_parent=True)
    world.quota("team-a", min=3, max=8, parent="dept")
    world.quota("team-b", min=3, max=8, parent="dept")
    decided = world.decide(policy=lenient).statuses
    found = next(status for status in decided if status.key.name == "team-b")
    assert condition(found, "Accepted").status
    assert found.min == {"cpu": 3_000}
