"""Every eviction says for which workload of which quota it is, and by what right."""

from elasticquota.model.decision import Decisions
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.snapshot.nodes.expected_pods import REFUSED_FOR
from elasticquota.structs import replace
from worlds import World


GRACE = Policy().grace
DELAY = Policy().delay


def causes(decisions: Decisions) -> set[tuple[str, str, str]]:
    return {(found.owner, found.preemptor, found.right) for found in decisions.evictions}


def test_within_min_it_names_the_pod_that_waits() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0)
    world.quota("team-b", min=2)
    world.pods("team-a", 8)
    (waiting,) = world.pods("team-b", cpu=2, waiting=True)
    world.decide(now=0)
    found = world.decide(now=GRACE)
    assert len(found.evictions) == 2
    assert causes(found) == {("team-b", f"pod {waiting.key}", "min")}


def test_beyond_min_it_is_for_the_fair_share() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0)
    world.quota("team-b", min=0)
    world.pods("team-a", 8)
    world.pods("team-b", 8, waiting=True)
    world.decide(now=0)
    found = causes(world.decide(now=DELAY))
    assert len(found) == 4
    assert {(owner, right) for owner, _, right in found} == {("team-b", "fair share")}


def test_beyond_a_limit_no_pod_gains() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 8)
    world.quota("team-a", max=5)
    world.decide(now=0)
    assert causes(world.decide(now=DELAY)) == {("", "", "limit")}


def test_within_a_quota_it_is_for_the_more_important_pod() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    world.pods("team-a", 4)
    (urgent,) = world.pods("team-a", waiting=True, priority=9)
    assert causes(world.decide()) == {("team-a", f"pod {urgent.key}", "priority")}


def test_on_a_node_that_is_cleared_it_is_for_the_pod_that_the_scheduler_refuses() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("own", min=4)
    world.quota("bor")
    world.pods("bor", 7, node="node-0")
    world.pods("bor", 8, node="node-1")
    (pod,) = world.pods("own", bound=False, unplaced_since=0)
    world.ledger.upsert_pod(replace(pod, refused=True))
    world.ledger.set_time(REFUSED_FOR)
    found = world.decide(REFUSED_FOR)
    assert causes(found) == {("own", f"pod {pod.key}", "min")}


def test_a_pod_that_no_node_took_in_time_goes_for_a_more_important_one_of_its_quota() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4, max=4)
    (pod,) = world.pods("team-a", cpu=4, bound=False, unplaced_since=0)
    world.ledger.upsert_pod(replace(pod, refused=True))
    (waiting,) = world.pods("team-a", cpu=4, waiting=True, priority=1)
    timeout = Policy().accounting.unschedulable_timeout
    world.ledger.set_time(timeout)
    found = world.decide(timeout)
    assert causes(found) == {("team-a", f"pod {waiting.key}", "no node")}
