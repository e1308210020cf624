"""What users, groups and applications hold where a quota limits them, and nothing elsewhere."""

from typing import Literal

from elasticquota.forest.user_limits import Scope, Subject
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.pods.user_usage import SubjectUsage, UserAccounting
from elasticquota.model import holder, limit
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.limit import Limit, QuotaLimits
from elasticquota.structs import replace
from worlds import World


ANN = Holder("ann", ("dev",), "a-1")
OF_ANN = QuotaLimits(0, (Limit(("ann",), max={"cpu": 4000}),))


def held(world: World) -> dict[Scope, SubjectUsage]:
    return dict(world.ledger.update(Accounting()).user_usage.held)


def at(quota: str, kind: Literal["user", "group", "all"], name: str = "") -> Scope:
    return Scope(quota, Subject(kind, name))


def test_nothing_is_kept_where_no_quota_has_a_limit() -> None:
    world = World()
    world.quota("team-a")
    world.pods("team-a", 2, holder=ANN)
    assert held(world) == {}


def test_what_was_admitted_counts_at_every_quota_of_the_path_with_a_limit() -> None:
    world = World()
    world.quota("dept", is_parent=True, limits=OF_ANN)
    world.quota("team-a", parent="dept", limits=QuotaLimits(2))
    world.pods("team-a", 2, cpu=2, holder=ANN)
    world.pods("team-a", 1, waiting=True, holder=ANN)
    found = held(world)
    assert found.keys() == {at("dept", "user", "ann"), at("team-a", "all")}
    assert found[at("dept", "user", "ann")].amounts == {"cpu": 4000, "pods": 2}
    assert found[at("team-a", "all")].applications == {Key("teams", "a-1"): 2}


def test_what_a_pod_says_of_its_creator_counts_only_where_admission_writes_it() -> None:
    """Else each tenant could write another name, and leave its limit."""
    world = World()
    world.quota("team-a", limits=QuotaLimits(0, (Limit((limit.ALL,), max={"cpu": 4000}),)))
    world.pods("team-a", 2, cpu=2, holder=ANN)
    found = world.ledger.update(Accounting(knows_creators=False)).user_usage.held
    assert {scope: usage.amounts["cpu"] for scope, usage in found.items()} == {
        at("team-a", "user", holder.UNKNOWN): 4000
    }


def test_a_limit_that_comes_later_knows_what_runs_already_and_one_that_goes_leaves_nothing() -> (
    None
):
    world = World()
    world.quota("team-a")
    world.pods("team-a", 1, cpu=3, holder=ANN)
    assert held(world) == {}
    quota = world.ledger.quotas[Key("teams", "team-a")]
    world.ledger.upsert_quota(replace(quota, limits=OF_ANN))
    assert held(world)[at("team-a", "user", "ann")].amounts["cpu"] == 3000
    world.ledger.upsert_quota(quota)
    assert held(world) == {}


def test_a_pod_that_is_gone_holds_nothing() -> None:
    world = World()
    world.quota("team-a", limits=OF_ANN)
    (pod,) = world.pods("team-a", holder=ANN)
    assert held(world)
    world.ledger.delete_pod(pod.key)
    assert held(world) == {}


def test_of_two_namespaces_the_same_name_is_two_applications() -> None:
    world = World()
    world.quota("team-a", limits=QuotaLimits(5))
    world.pods("team-a", holder=ANN, namespace="one")
    world.pods("team-a", holder=ANN, namespace="two")
    assert len(held(world)[at("team-a", "all")].applications) == 2


def test_all_others_are_limited_each_alone_as_users_and_together_as_groups() -> None:
    world = World()
    all_others = Limit((limit.ALL,), (limit.ALL,), {"cpu": 4000})
    world.quota("team-a", limits=QuotaLimits(0, (Limit((), ("ops",), {"cpu": 1000}), all_others)))
    world.pods("team-a", holder=ANN)
    world.pods("team-a", holder=Holder("bob", ("sales",)))
    found = {scope: usage.amounts["cpu"] for scope, usage in held(world).items()}
    assert found == {
        at("team-a", "user", "ann"): 1000,
        at("team-a", "user", "bob"): 1000,
        at("team-a", "group", "*"): 2000,
    }


def test_pods_are_counted_again_only_as_long_as_a_quota_has_or_had_a_limit() -> None:
    world = World()
    world.quota("team-a")
    without = world.ledger.update(Accounting()).forest
    quota = world.ledger.quotas[Key("teams", "team-a")]
    world.ledger.upsert_quota(replace(quota, limits=OF_ANN))
    limited = world.ledger.update(Accounting()).forest
    usage = UserAccounting()
    changed = {"team-a"}
    assert [
        usage.follow_limits(forest, changed) for forest in (without, limited, without, without)
    ] == [False, True, True, False]
