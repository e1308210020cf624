"""Limits of users, groups and applications: only pods at a limit wait."""

from collections.abc import Iterable

from elasticquota import names
from elasticquota.model import limit
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.holder import Holder
from elasticquota.model.limit import Limit, QuotaLimits
from elasticquota.model.pod import Pod
from worlds import World


ANN, BOB = Holder("ann", ("dev",), "a"), Holder("bob", ("dev",), "b")
FOUR_EACH = QuotaLimits(0, (Limit((limit.ALL,), max={"cpu": 4000}),))
FOUR_TOGETHER = QuotaLimits(0, (Limit((), ("dev",), {"cpu": 4000}),))


def released(decisions: Decisions) -> list[str]:
    return [release.uid for release in decisions.releases]


def uids(*pods: Iterable[Pod]) -> list[str]:
    return [pod.uid for some in pods for pod in some]


def said(decisions: Decisions) -> list[str]:
    return [wait.message for wait in decisions.waits]


def test_a_pod_at_the_limit_of_its_user_waits_and_says_the_figures() -> None:
    world = World()
    world.quota("team-a", limits=FOUR_EACH)
    world.pods("team-a", cpu=3, holder=ANN)
    world.pods("team-a", cpu=2, waiting=True, holder=ANN)
    decisions = world.decide()
    assert released(decisions) == []
    assert said(decisions) == [
        "Waiting for quota team-a: needs 2 cpu; user ann holds 3 of 4 in quota team-a. "
        "Position 1 of 1. It starts when user ann frees 1 cpu there. More: kubectl "
        "elastic-quota explain pod teams/team-a-10-0 [LimitReached]"
    ]


def test_others_go_past_it_although_they_are_younger_and_ask_for_the_same() -> None:
    world = World()
    world.quota("team-a", limits=FOUR_EACH)
    world.pods("team-a", cpu=3, holder=ANN)
    world.pods("team-a", 2, cpu=2, waiting=True, holder=ANN)
    of_bob = world.pods("team-a", 2, cpu=2, waiting=True, holder=BOB)
    assert released(world.decide()) == uids(of_bob)


def test_others_go_past_it_also_where_queueing_is_strict() -> None:
    world = World()
    world.quota("team-a", strict=True, limits=FOUR_EACH)
    world.pods("team-a", cpu=3, holder=ANN)
    world.pods("team-a", cpu=2, waiting=True, holder=ANN)
    of_bob = world.pods("team-a", cpu=2, waiting=True, holder=BOB)
    assert released(world.decide()) == uids(of_bob)


def test_a_cycle_does_not_admit_more_than_the_limit_leaves() -> None:
    world = World()
    world.quota("team-a", limits=FOUR_EACH)
    first, *_ = world.pods("team-a", 3, cpu=3, waiting=True, holder=ANN)
    assert released(world.decide()) == [first.uid]


def test_it_is_admitted_when_other_pods_of_its_user_are_gone() -> None:
    world = World()
    world.quota("team-a", limits=FOUR_EACH)
    (running,) = world.pods("team-a", cpu=3, holder=ANN)
    (waiting,) = world.pods("team-a", cpu=2, waiting=True, holder=ANN)
    assert released(world.decide()) == []
    world.ledger.delete_pod(running.key)
    assert released(world.decide()) == [waiting.uid]


def test_it_is_admitted_when_pods_of_its_user_in_another_quota_are_gone() -> None:
    world = World()
    world.quota("dept", is_parent=True, limits=FOUR_EACH)
    world.quota("team-a", parent="dept")
    world.quota("team-b", parent="dept")
    (running,) = world.pods("team-b", cpu=3, holder=ANN)
    (waiting,) = world.pods("team-a", cpu=2, waiting=True, holder=ANN)
    assert said(world.decide())[0].startswith(
        "Waiting for quota team-a: needs 2 cpu; user ann holds 3 of 4 in quota dept. "
    )
    world.ledger.delete_pod(running.key)
    assert released(world.decide()) == [waiting.uid]


def test_what_the_limit_does_not_name_is_not_limited() -> None:
    world = World()
    world.quota("team-a", limits=QuotaLimits(0, (Limit(("ann",), max={"memory": 0}),)))
    waiting = world.pods("team-a", cpu=6, waiting=True, holder=ANN)
    assert released(world.decide()) == uids(waiting)


def test_a_group_is_limited_together() -> None:
    world = World()
    world.quota("team-a", limits=FOUR_TOGETHER)
    world.pods("team-a", cpu=3, holder=ANN)
    world.pods("team-a", cpu=2, waiting=True, holder=BOB)
    stranger = world.pods("team-a", cpu=2, waiting=True, holder=Holder("eve"))
    decisions = world.decide()
    assert released(decisions) == uids(stranger)
    assert "needs 2 cpu; group dev holds 3 of 4 in quota team-a" in said(decisions)[0]


def test_one_application_more_than_may_run_waits_and_the_pods_of_those_that_run_do_not() -> None:
    world = World()
    world.quota("team-a", limits=QuotaLimits(1))
    world.pods("team-a", holder=ANN)
    world.pods("team-a", waiting=True, holder=BOB)
    more = world.pods("team-a", waiting=True, holder=ANN)
    decisions = world.decide()
    assert released(decisions) == uids(more)
    assert said(decisions) == [
        "Waiting for quota team-a: application b is new, and 1 of 1 application runs in quota "
        "team-a. Position 1 of 1. It starts when that one ends. More: kubectl elastic-quota "
        "explain pod teams/team-a-10-0 [LimitReached]"
    ]


def test_a_user_may_have_a_number_of_applications_of_its_own() -> None:
    world = World()
    world.quota("team-a", limits=QuotaLimits(9, (Limit(("ann",), applications=1),)))
    world.pods("team-a", holder=ANN)
    world.pods("team-a", waiting=True, holder=Holder("ann"))
    others = world.pods("team-a", waiting=True, holder=BOB)
    decisions = world.decide()
    assert released(decisions) == uids(others)
    assert said(decisions)[0].startswith(
        "Waiting for quota team-a: the application of teams is new, and 1 of 1 application of "
        "user ann runs in quota team-a. "
    )


def test_pods_without_a_known_user_count_as_one_user() -> None:
    world = World()
    world.quota("team-a", limits=FOUR_EACH)
    world.pods("team-a", cpu=3)
    world.pods("team-a", cpu=2, waiting=True)
    assert "user nobody holds 3 of 4" in said(world.decide())[0]  # prose: keep


def test_a_pod_beyond_its_limit_alone_can_never_be_admitted_and_asks_for_nothing() -> None:
    world = World()
    world.quota("team-a", limits=FOUR_EACH)
    world.pods("team-a", cpu=5, waiting=True, holder=ANN)
    decisions = world.decide()
    assert said(decisions) == [
        "Waiting for quota team-a: needs 5 cpu; user ann may hold 4 in quota team-a. It starts "
        "only if it asks for less, or if that limit is raised. More: kubectl elastic-quota "
        "explain pod teams/team-a-9-0 [ExceedsMax]"
    ]
    (status,) = (each for each in decisions.statuses if each.key.name == "team-a")
    assert status.request.get("cpu", 0) == 0


def test_a_group_of_pods_that_starts_together_must_fit_together() -> None:
    world = World()
    world.quota("team-a", limits=FOUR_EACH)
    world.pods("team-a", cpu=1, holder=ANN)
    world.pods("team-a", 2, cpu=2, waiting=True, holder=ANN, group=Group("g", 2))
    decisions = world.decide()
    assert released(decisions) == []
    assert "group g of 2 pods needs 4 cpu; user ann holds 1 of 4" in said(decisions)[0]


def test_no_pod_is_evicted_for_a_pod_whose_limit_is_reached() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=6, limits=FOUR_EACH)
    world.quota("borrower")
    world.pods("owner", cpu=3, holder=ANN)
    world.pods("borrower", 5, cpu=1)
    world.pods("owner", cpu=2, waiting=True, holder=ANN)
    world.decide()
    assert world.decide(now=10_000_000).evictions == ()


def test_as_many_are_evicted_as_limits_admit() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=8, limits=FOUR_EACH)
    world.quota("borrower")
    world.pods("borrower", 8, cpu=1)
    world.pods("owner", 4, cpu=2, waiting=True, holder=ANN)
    world.decide()
    given = sum(each.request["cpu"] for each in world.decide(now=10_000_000).evictions)
    assert given == 4000


def test_a_pod_at_a_limit_gets_no_idle_resources() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", limits=FOUR_EACH)
    world.quota("team-b", limits=FOUR_EACH)
    world.pods("team-a", 3, cpu=3, waiting=True, holder=ANN)
    world.pods("team-b", cpu=4, waiting=True, holder=BOB)
    decisions = world.decide()
    assert sorted(release.quota for release in decisions.releases) == ["team-a", "team-b"]
    assert {wait.reason for wait in decisions.waits} == {"LimitReached"}


def test_in_observe_mode_a_pod_at_a_limit_would_wait() -> None:
    world = World()
    world.observe()
    world.quota("team-a", limits=FOUR_EACH)
    world.pods("team-a", cpu=3, holder=ANN)
    world.pods("team-a", cpu=2, bound=False, holder=ANN)
    (wait,) = world.decide().would_wait
    assert wait.reason == "LimitReached"


def test_a_limit_counts_a_pod_slot_as_any_resource() -> None:
    world = World()
    world.quota("team-a", limits=QuotaLimits(0, (Limit(("ann",), max={names.PODS: 1}),)))
    first, _ = world.pods("team-a", 2, waiting=True, holder=ANN)
    assert released(world.decide()) == [first.uid]
