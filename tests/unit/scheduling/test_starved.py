"""A quota whose pod waits for longer than reclaim should take says why."""

from elasticquota.model.decision import Condition, Decisions
from elasticquota.model.key import Key
from elasticquota.model.refusal import Refusal
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.status import cycle_conditions
from elasticquota.structs import replace
from worlds import World


POLICY = Policy()
LIMIT = POLICY.grace + POLICY.delay


def starved(decisions: Decisions, quota: str = "team-b") -> Condition | None:
    """The condition, if it is true."""
    (status,) = [found for found in decisions.statuses if found.key.name == quota]
    return next(
        (found for found in status.conditions if found.type == "Starved" and found.status), None
    )


def hopeless(waiting: int = 1) -> World:
    """team-a holds all 8 cpu and may not be asked for them; the min of team-b is 4.

    Together their min is 12, as after the loss of a node.
    """
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    world.pods("team-a", 8, preemptible=False)
    world.quota("team-b", min=4)
    world.pods("team-b", waiting, waiting=True)
    return world


def test_it_is_said_for_how_long_a_budget_may_keep_the_pods() -> None:
    pod = Key("teams", "a")
    budget = Refusal(pod, "team-a", "team-b", "DisruptionBudget", "keep", seconds=300)
    assert cycle_conditions.why_kept(budget) == (
        "disruption budget teams/keep protects them for now, and for 300 s at most"
    )
    several = replace(budget, blocker="SeveralBudgets", budget="a, b")
    said = cycle_conditions.why_kept(several)
    assert said.endswith("until they are changed; it is deleted after 300 s")


def test_an_owner_starves_when_it_waits_for_longer_than_grace_and_delay() -> None:
    world = hopeless()
    assert starved(world.decide(now=0)) is None
    assert starved(world.decide(now=LIMIT - 1)) is None
    found = starved(world.decide(now=LIMIT))
    assert found is not None
    (pod,) = [pod.key for pod in world.ledger.pods.values() if pod.gated]
    assert found == Condition(
        "Starved",
        True,
        "NothingToTake",
        f"pod {pod} is within the guarantee of its quota and waits for longer than 125 s: 1 cpu "
        "missing in tree pool-root, and no pod of a quota above its share there may be evicted",
    )


def test_the_next_look_is_when_it_starves() -> None:
    world = hopeless()
    world.decide(now=0)
    assert world.decide(now=POLICY.delay).wake_at == LIMIT
    assert world.decide(now=LIMIT, policy=Policy(head_of_line=0)).wake_at is None


def test_its_own_grace_counts() -> None:
    world = hopeless()
    world.quota("team-b", min=4, grace=1_000)
    world.decide(now=0)
    assert starved(world.decide(now=POLICY.delay + 1_000)) is not None


def test_a_pod_beyond_min_does_not_starve() -> None:
    world = hopeless(waiting=0)
    world.pods("team-b", cpu=5, waiting=True)
    world.decide(now=0)
    assert starved(world.decide(now=LIMIT)) is None


def test_the_clock_runs_for_a_pod_and_not_for_its_quota() -> None:
    world = hopeless()
    world.decide(now=0)
    world.ledger.delete_pod(next(pod.key for pod in world.ledger.pods.values() if pod.gated))
    world.pods("team-b", waiting=True)
    world.decide(now=LIMIT - 1)
    assert starved(world.decide(now=LIMIT)) is None
    assert starved(world.decide(now=2 * LIMIT - 1)) is not None


def test_more_important_pods_that_come_do_not_hide_one_that_starves() -> None:
    world = hopeless()
    world.decide(now=0)
    world.pods("team-b", waiting=True, priority=9)
    world.decide(now=1)
    assert starved(world.decide(now=LIMIT)) is not None


def test_paused_evictions_are_named() -> None:
    world = hopeless()
    policy = Policy(paused=True)
    world.decide(now=0, policy=policy)
    found = starved(world.decide(now=LIMIT, policy=policy))
    assert found is not None
    assert found.reason == "EvictionsPaused"
    assert found.message.endswith(": reclaim.paused stops all evictions")


def test_a_budget_in_the_way_is_named() -> None:
    world = hopeless()
    kept = next(iter(world.ledger.pods.values()))
    world.ledger.upsert_pod(replace(kept, preemptible=True))
    world.ledger.withhold(
        kept.uid, Refusal(kept.key, "team-a", "team-b", "DisruptionBudget", "keep")
    )
    world.decide(now=0)
    found = starved(world.decide(now=LIMIT))
    assert found is not None
    assert found.reason == "ReclaimBlocked"
    assert found.message.endswith("disruption budget teams/keep protects them for now")


def test_pods_that_do_not_end_are_reported() -> None:
    world = hopeless()
    world.decide(now=0)
    slow = next(iter(world.ledger.pods.values()))
    world.ledger.upsert_pod(replace(slow, deleting=True))
    found = starved(world.decide(now=LIMIT))
    assert found is not None
    assert found.reason == "PodsEndSlowly"
    assert found.message.endswith(
        ": the pods that give it their room are asked to go, and not gone yet"
    )


def test_a_pod_that_lacks_runtime_of_its_own_quota_is_owed_nothing_by_others() -> None:
    """The nodes offer less than the sum of all min."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    world.quota("team-b", min=8)
    world.pods("team-a", 4)
    world.pods("team-b", 4)
    world.pods("team-b", waiting=True)
    world.decide(now=0)
    assert starved(world.decide(now=LIMIT)) is None


def test_a_pod_that_idle_room_is_given_to_waits_no_more() -> None:
    world = hopeless()
    world.decide(now=0)
    world.node("node-9", cpu=1)
    found = world.decide(now=LIMIT)
    assert len(found.releases) == 1
    assert found.clocks.entitled_since == {}
    assert starved(found) is None


def test_pods_that_are_spared_for_their_age_are_reported() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", 8)
    world.pods("team-b", waiting=True)
    policy = Policy(min_runtime=3_600_000)
    world.decide(now=0, policy=policy)
    found = starved(world.decide(now=LIMIT, policy=policy))
    assert found is not None
    assert found.reason == "PodsAreYoung"
    assert found.message.endswith(
        ": pods that could go run for less than reclaim.minRuntimeSeconds"
    )


AT_ONCE = Policy(grace=0, delay=0)
"""A quota starves as soon as a pod within its min waits."""


def why(found: Condition | None) -> str:
    """The reason, and what the message says about it."""
    assert found is not None
    return f"{found.reason}: {found.message.partition(' s: ')[2]}"


def test_a_pod_that_waits_for_pods_without_a_node_starves_meanwhile() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=8)
    world.quota("team-b", min=8)
    world.pods("team-a", cpu=7, bound=False, priority=9)
    world.pods("team-b", 8, waiting=True)
    assert why(starved(world.decide(policy=AT_ONCE))) == (
        "WithoutNode: it has room, but pods that have no node yet may take it, and then it would "
        "preempt others"
    )


def admitted(world: World, *, refused: bool = False, scheduler: str = "default-scheduler") -> None:
    (pod,) = world.pods("team-b", bound=False, unplaced_since=0)
    world.ledger.upsert_pod(replace(pod, refused=refused, scheduler=scheduler))


def with_room() -> World:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    return world


def test_an_admitted_pod_that_the_scheduler_refuses_starves() -> None:
    world = with_room()
    admitted(world, refused=True)
    world.decide(now=0)
    assert starved(world.decide(now=LIMIT - 1)) is None
    assert why(starved(world.decide(now=LIMIT))) == (
        "WithoutNode: it is admitted, and the scheduler finds no node for it: its condition "
        "PodScheduled says why"
    )


def test_so_does_one_that_no_scheduler_takes_also_while_evictions_are_paused() -> None:
    world = with_room()
    admitted(world, scheduler="other")
    policy = Policy(paused=True)
    world.decide(now=0, policy=policy)
    assert why(starved(world.decide(now=LIMIT, policy=policy))) == (
        "WithoutNode: it is admitted, and its scheduler (schedulerName) has not placed it"
    )


def test_it_starves_after_it_is_no_request_any_more() -> None:
    world = with_room()
    admitted(world, refused=True)
    world.decide(now=0)
    world.ledger.set_time(POLICY.accounting.unschedulable_timeout)
    assert starved(world.decide(now=LIMIT)) is not None


def test_the_clock_of_a_pod_begins_again_when_it_is_admitted() -> None:
    world = hopeless()
    world.decide(now=0)
    world.node("node-9", cpu=1)
    world.open_gates(world.decide(now=LIMIT - 1))
    assert starved(world.decide(now=LIMIT)) is None
    assert starved(world.decide(now=2 * LIMIT)) is not None


def test_an_admitted_pod_beyond_what_min_leaves_to_it_does_not_starve() -> None:
    world = with_room()
    world.pods("team-b", 4)
    admitted(world, refused=True)
    world.decide(now=0)
    assert starved(world.decide(now=LIMIT)) is None
    world.ledger.delete_pod(next(pod.key for pod in world.ledger.pods.values() if pod.bound))
    world.decide(now=LIMIT)
    assert starved(world.decide(now=2 * LIMIT)) is not None


def test_one_within_min_starves_although_its_quota_borrows_with_others_without_a_node() -> None:
    world = with_room()
    world.pods("team-b", 3)
    admitted(world, refused=True)
    admitted(world, refused=True)
    world.decide(now=0)
    assert starved(world.decide(now=LIMIT)) is not None


def test_in_an_elastic_tree_it_starves_when_no_node_came_in_time() -> None:
    world = with_room()
    world.elastic(16, timeout=900_000)
    admitted(world, refused=True)
    world.decide(now=0)
    assert starved(world.decide(now=LIMIT)) is None
    world.ledger.set_time(900_000)
    world.decide(now=LIMIT)
    assert starved(world.decide(now=2 * LIMIT)) is not None


def department() -> World:
    """Of research, which has a min of 4 cpu of 8; neither of its teams has one."""
    world = World(nodes=1, cpu=8)
    world.quota("research", min=4, is_parent=True)
    world.quota("team-b", parent="research")
    world.quota("speech", parent="research")
    world.quota("team-a", min=8)
    return world


def within_research(found: Condition | None) -> bool:
    assert found is not None
    return " is within the guarantee of quota research and waits for longer " in found.message


def test_the_min_of_a_department_is_owed_to_a_pod_that_waits_below_it() -> None:
    world = department()
    world.pods("team-a", 8, preemptible=False)
    world.pods("team-b", waiting=True)
    world.decide(now=0)
    assert within_research(starved(world.decide(now=LIMIT)))


def test_it_is_owed_also_while_the_victims_do_not_end() -> None:
    world = department()
    world.quota("team-a")
    world.pods("team-a", 8)
    world.pods("team-b", waiting=True)
    at_once = Policy(grace=0)
    (victim,) = world.decide(now=0, policy=at_once).evictions
    world.ledger.upsert_pod(replace(world.ledger.pods[victim.pod], deleting=True))
    found = starved(world.decide(now=LIMIT, policy=at_once))
    assert within_research(found)
    assert why(found).startswith("PodsEndSlowly: ")


def test_it_is_owed_to_an_admitted_pod_that_no_node_takes() -> None:
    world = department()
    world.pods("speech", 3)
    admitted(world, refused=True)
    world.decide(now=0)
    assert within_research(starved(world.decide(now=LIMIT)))


def test_what_the_teams_of_a_department_use_of_its_min_is_owed_no_more() -> None:
    world = department()
    world.pods("speech", 4)
    admitted(world, refused=True)
    world.decide(now=0)
    assert starved(world.decide(now=LIMIT)) is None


def test_a_pod_at_a_limit_of_its_quota_is_owed_nothing() -> None:
    world = department()
    world.quota("team-b", parent="research", admission=1)
    world.pods("team-a", 7, preemptible=False)
    world.pods("team-b")
    world.pods("team-b", waiting=True)
    world.decide(now=0)
    found = world.decide(now=LIMIT)
    assert [wait.reason for wait in found.waits] == ["LimitReached"]
    assert starved(found) is None


def test_a_pod_behind_a_strict_head_is_owed_nothing() -> None:
    world = department()
    world.pods("team-a", 8, preemptible=False)
    world.quota("team-b", parent="research", strict=True)
    world.pods("team-b", cpu=5, waiting=True, priority=1)
    world.pods("team-b", waiting=True)
    world.decide(now=0)
    assert starved(world.decide(now=LIMIT)) is None
