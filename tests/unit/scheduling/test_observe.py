"""A tree in observe mode reports what it would do, and does nothing."""

import pytest

from elasticquota import names
from elasticquota.forest.settings import SharingTerms, TreeSelection
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Condition, Decisions
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.status import quota_conditions
from elasticquota.structs import replace
from sentences import why
from worlds import ROOT, World


GRACE = Policy().grace
EVERYBODY = SharingTerms(observes=True, default_tree_observes=True)


@pytest.fixture
def world() -> World:
    """40 cpu; team-a holds 35 of them, 25 borrowed; team-b's min is 20."""
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10)
    world.quota("team-b", min=20)
    world.pods("team-a", 35)
    world.observe()
    return world


def held_back(decisions: Decisions) -> dict[str, str]:
    return {wait.uid: wait.reason for wait in decisions.would_wait}


def condition(decisions: Decisions, quota: str, kind: str) -> Condition | None:
    (status,) = (found for found in decisions.statuses if found.key.name == quota)
    return next((found for found in status.conditions if found.type == kind), None)


def test_a_pod_that_waits_from_before_is_released_and_says_why(world: World) -> None:
    gated = world.pods("team-b", 3, cpu=4, waiting=True)
    releases = world.decide().releases
    assert {release.uid for release in releases} == {pod.uid for pod in gated}
    assert {release.message for release in releases} == {
        f"Admitted into quota team-b: tree {ROOT} only observes."
    }


def test_a_release_leaves_the_pods_nodes_alone(world: World) -> None:
    world.pods("team-b", waiting=True)
    (release,) = world.decide().releases
    assert release.nodes.requirements == ()


def test_pods_that_could_never_start_are_released_as_well(world: World) -> None:
    world.pods("team-b", cpu=100, waiting=True)
    world.pods("team-b", waiting=True, foreign_gate="other/gate")
    decisions = world.decide()
    assert len(decisions.releases) == 2
    assert list(held_back(decisions).values()) == ["NoNodeFits"]


def test_pods_of_a_quota_that_is_not_accepted_are_released_as_well() -> None:
    world = World()
    world.quota("lost", parent="ghost")
    world.pods("lost", waiting=True)
    assert [wait.reason for wait in world.decide().waits] == ["QuotaNotAccepted"]
    world.observe()
    decisions = world.decide()
    assert [release.message for release in decisions.releases] == [
        "Admitted into quota lost: its tree only observes."
    ]
    assert decisions.waits == ()
    assert list(held_back(decisions).values()) == ["QuotaNotAccepted"]


def test_a_terminating_pod_is_not_released(world: World) -> None:
    world.pods("team-b", waiting=True, deleting=True)
    assert world.decide().releases == ()


def test_a_pod_that_no_node_has_taken_yet_would_wait_where_there_is_no_room(world: World) -> None:
    (pod,) = world.pods("team-b", cpu=8, bound=False)
    decisions = world.decide()
    assert held_back(decisions) == {pod.uid: "WaitingForReclaim"}
    (wait,) = decisions.would_wait
    assert wait.message.startswith("Waiting for quota team-b: needs 8 cpu, which is within")


def test_pods_that_would_be_reclaimed_are_named_at_once_and_stay(world: World) -> None:
    world.pods("team-b", 20, bound=False)
    few = Policy(evictions_per_second=1)
    world.decide(0, few)
    decisions = world.decide(GRACE, few)
    assert decisions.evictions == ()
    assert {gone.quota for gone in decisions.would_evict} == {"team-a"}
    assert len(decisions.would_evict) == 15


def test_running_pods_beyond_what_is_left_of_the_runtime_would_wait() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("small", max=3)
    old = world.pods("small", 3)
    young = world.pods("small", 2)
    world.observe()
    decisions = world.decide()
    assert held_back(decisions) == dict.fromkeys((pod.uid for pod in young), "QuotaExhausted")
    assert why(decisions.would_wait[0].message) == (
        "QuotaExhausted: needs 1 cpu; all 3 of its current share are in use (guaranteed 0, limit "
        "3). It starts when 1 cpu is freed in small."
    )
    world.ledger.delete_pod(old[0].key)
    assert held_back(world.decide()) == {young[1].uid: "QuotaExhausted"}


def test_the_more_important_of_two_running_pods_is_the_one_that_would_run() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("small", max=1)
    (low,) = world.pods("small")
    world.pods("small", priority=5)
    world.observe()
    assert set(held_back(world.decide())) == {low.uid}


def test_no_pod_would_wait_for_borrowing_what_its_owner_needs_only_now(world: World) -> None:
    """They would have been admitted, and would be reclaimed: not the same."""
    world.pods("team-b", 20, bound=False)
    uids = set(held_back(world.decide()))
    assert not {uid for uid in uids if uid.startswith("uid-team-a")}


def test_beyond_max_they_would_wait_at_once() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("small", min=0, max=4)
    world.quota("owner", min=14)
    world.pods("small", 4)
    young = world.pods("small", 2)
    world.pods("owner", 14, bound=False)
    world.observe()
    decisions = world.decide()
    told = {wait.uid: why(wait.message) for wait in decisions.would_wait if wait.quota == "small"}
    assert told == dict.fromkeys(
        (pod.uid for pod in young),
        "QuotaExhausted: needs 1 cpu; its quota has 0 of its limit of 4 left. It starts when 1 cpu "
        "is freed there.",
    )


def test_figures_go_on_and_quotas_say_that_they_only_observe(world: World) -> None:
    world.pods("team-b", 20, bound=False)
    decisions = world.decide()
    (status,) = (found for found in decisions.statuses if found.key.name == "team-b")
    assert (status.runtime["cpu"], status.request["cpu"]) == (20_000, 20_000)
    for quota in ("team-a", "team-b", ROOT):
        assert condition(decisions, quota, "Observed") == Condition(
            "Observed",
            True,
            "TreeOnlyObserves",
            f"tree {ROOT} only observes: no pod waits, and none is reclaimed",
        )
    world.observe(observes=False)
    assert condition(world.decide(), "team-a", "Observed") is None


def test_a_change_of_mode_starts_the_clocks_again(world: World) -> None:
    """What lasted while no pod could be evicted is no reason to evict at once."""
    world.pods("team-b", 8, bound=False)
    world.decide(0)
    assert world.decide(GRACE).would_evict
    world.observe(observes=False)
    for pod in [pod for pod in world.ledger.pods.values() if not pod.bound]:
        world.ledger.upsert_pod(replace(pod, gates=(names.GATE,)))
    assert world.decide(GRACE + 1).evictions == ()
    assert world.decide(2 * GRACE).evictions == ()
    assert world.decide(2 * GRACE + 1).evictions
    world.observe()
    assert world.decide(2 * GRACE + 2).would_evict == ()


def test_pods_that_came_while_it_observed_count_as_admitted_once_it_enforces(world: World) -> None:
    (pod,) = world.pods("team-b", cpu=8, bound=False)
    world.decide()
    world.observe(observes=False)
    decisions = world.decide()
    assert not decisions.releases
    assert not decisions.waits
    assert not decisions.would_wait
    assert pod in world.ledger.update(Accounting()).account("team-b").running


def test_other_trees_are_enforced_meanwhile(world: World) -> None:
    world.quota("aside", min=0, parent=names.ROOT_QUOTA)
    world.ledger.upsert_quota(replace(world.ledger.quotas[Key("teams", "aside")], tree_id=""))
    world.pods("aside", cpu=1, waiting=True)
    decisions = world.decide()
    assert [wait.quota for wait in decisions.waits] == ["aside"]
    assert decisions.would_wait == ()


def test_where_all_trees_observe_no_pod_is_held_for_an_unknown_quota() -> None:
    world = World()
    world.pods("ghost", waiting=True)
    strict = Accounting(default_quota=False, unknown_refused=TreeSelection(usually=True))
    assert [wait.quota for wait in world.decide(policy=Policy(accounting=strict)).waits] == [""]
    observing = replace(strict, terms=EVERYBODY)
    decisions = world.decide(policy=Policy(accounting=observing))
    assert [release.quota for release in decisions.releases] == [""]
    assert decisions.waits == ()


def test_pods_of_a_terminating_namespace_would_not_be_admitted_but_are_released(
    world: World,
) -> None:
    world.ledger.upsert_namespace(Namespace("teams", terminating=True))
    world.pods("team-b", waiting=True)
    assert len(world.decide().releases) == 1


def test_a_profile_with_an_impossible_mode_keeps_its_tree_and_says_so() -> None:
    world = World()
    key = Key("system", "pool")
    fault = Fault("spec.enforcement", "must be Enforce or Observe, got 'x'")
    world.ledger.upsert_profile(replace(world.ledger.profiles[key], faults=(fault,)))
    decisions = world.decide()
    assert [root.key.name for root in decisions.roots] == [ROOT]
    (profile,) = decisions.profiles
    assert profile.conditions[0].status is False
    assert profile.conditions[0].message == f"{fault}. [EP1201]"


def test_a_quota_of_no_tree_that_only_observes_says_so_too() -> None:
    assert quota_conditions.observed(None) == Condition(
        "Observed",
        True,
        "TreeOnlyObserves",
        "its tree only observes: no pod waits, and none is reclaimed",
    )
