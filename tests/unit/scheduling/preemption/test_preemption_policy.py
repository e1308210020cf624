"""Fences, quotas whose pods are no victims, and the delay of usage beyond a lowered max."""

from elasticquota import names
from elasticquota.forest import preemption_policy
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.quota import NOT_EVER
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World, amounts


GRACE = Policy().grace
DELAY = Policy().delay


def evicted_of(decisions: Decisions) -> set[str]:
    return {eviction.quota for eviction in decisions.evictions}


def two_departments(*, fence: str = "", greedy: str = "", lone: str = "") -> World:
    """40 cpu: sales/greedy has 20, the quota lone has 20, and sales/owner waits for its min."""
    world = World(nodes=5, cpu=8)
    world.quota("sales", min=10, is_parent=True, preemption=fence)
    world.quota("owner", min=10, parent="sales")
    world.quota("greedy", parent="sales", preemption=greedy)
    world.quota("lone", preemption=lone)
    for name in ("greedy", "lone"):
        for index in range(20):
            world.pods(name, node=f"node-{index % 5}")
    world.pods("owner", 10, waiting=True)
    return world


def decided(world: World) -> Decisions:
    world.decide(now=0)
    return world.decide(now=GRACE)


def test_an_owner_reclaims_inside_and_outside_of_its_department() -> None:
    """Its department holds more than its own min, so from outside it has its fair share only."""
    assert len(decided(two_departments()).evictions) == 10
    world = two_departments(greedy=names.DISABLED)
    assert evicted_of(decided(world)) == set()
    assert evicted_of(world.decide(now=DELAY)) == {"lone"}


def test_no_pod_outside_of_a_fence_leaves_for_a_pod_inside() -> None:
    found = decided(two_departments(fence=names.FENCE))
    assert evicted_of(found) == {"greedy"}
    assert len(found.evictions) == 10
    assert decided(two_departments(fence=names.FENCE, greedy=names.DISABLED)).evictions == ()


def test_an_owner_outside_of_a_fence_reclaims_inside() -> None:
    found = decided(two_departments(lone=names.DISABLED, greedy=names.FENCE))
    assert evicted_of(found) == {"greedy"}


def test_no_pod_of_no_quota_leaves_for_a_pod_inside_of_a_fence() -> None:
    for fence, evictions in (("", 1), (names.FENCE, 0)):
        world = World(nodes=1, cpu=8)
        world.quota("owner", min=8, preemption=fence)
        world.pods("", namespace="elsewhere", cpu=8)
        world.pods("owner", cpu=8, waiting=True)
        assert len(decided(world).evictions) == evictions


def test_a_fence_holds_on_a_node_that_has_to_be_cleared() -> None:
    for fence, evictions in (("", 1), (names.FENCE, 0)):
        world = World(nodes=2, cpu=8)
        world.quota("owner", min=8, preemption=fence)
        world.quota("lone")
        for node in ("node-0", "node-1"):
            world.pods("lone", cpu=4, node=node)
        world.pods("owner", cpu=8, waiting=True)
        assert len(decided(world).evictions) == evictions


def test_running_pods_of_a_disabled_quota_are_no_victims_of_their_own_quota() -> None:
    for policy, evictions in (("", 1), (names.DISABLED, 0)):
        world = World(nodes=1, cpu=8)
        world.quota("team", min=8, max=8, preemption=policy)
        world.pods("team", 8)
        world.pods("team", priority=5, waiting=True)
        assert len(decided(world).evictions) == evictions


def test_the_nearest_quota_with_a_policy_decides_what_is_disabled() -> None:
    world = World()
    world.quota("above", is_parent=True, preemption=names.DISABLED)
    world.quota("as-above", parent="above")
    world.quota("opened", parent="above", preemption=names.DEFAULT)
    world.quota("fenced", is_parent=True, parent="above", preemption=names.FENCE)
    world.quota("inside", parent="fenced")
    world.decide()
    forest = world.ledger.update(Policy().accounting).forest
    disabled = [
        name
        for name in ("above", "as-above", "opened", "fenced", "inside")
        if preemption_policy.is_disabled(forest, name)
    ]
    assert disabled == ["above", "as-above"]
    assert preemption_policy.fence(forest, "inside") == "fenced"
    assert preemption_policy.fence(forest, "opened") == ""


def lowered(delay: int | None, *, at_parent: bool = False, kept_for: str = "") -> World:
    """A quota uses 20 cpu, and its max, or that of its parent, is lowered to 5."""
    world = World(nodes=5, cpu=8)
    for most in (30, 5):
        own, above = (None, most) if at_parent else (most, None)
        world.quota("dept", max=above, is_parent=True, over_max_delay=delay, kept_for=kept_for)
        world.quota("team", max=own, parent="dept", over_max_delay=delay, kept_for=kept_for)
        world.pods("team", 20 if most == 30 else 0)
        world.decide(now=0)
    return world


def test_what_exceeds_a_lowered_max_goes_after_the_quotas_own_delay() -> None:
    for at_parent in (False, True):
        world = lowered(7_000, at_parent=at_parent)
        decisions = world.decide(now=6_999)
        assert decisions.evictions == ()
        assert decisions.wake_at == 7_000
        assert len(world.decide(now=7_000).evictions) == 15


def test_a_longer_delay_of_its_own_counts_too() -> None:
    world = lowered(10 * DELAY)
    assert world.decide(now=9 * DELAY).evictions == ()
    assert len(world.decide(now=10 * DELAY).evictions) == 15


def test_what_exceeds_a_lowered_max_stays_where_the_delay_never_ends() -> None:
    for at_parent in (False, True):
        world = lowered(NOT_EVER, at_parent=at_parent)
        assert world.decide(now=DELAY).evictions == ()
        assert world.decide(now=100 * DELAY).evictions == ()


def test_the_clock_runs_from_the_change_of_max_and_not_from_the_first_borrowed_cpu() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team", max=40, over_max_delay=7_000)
    world.quota("other", min=30)
    world.pods("team", 20)
    world.pods("other", 20, waiting=True, foreign_gate="example.com/later")
    world.decide(now=0)
    world.decide(now=100_000)
    world.quota("team", max=5, over_max_delay=7_000)
    assert world.decide(now=100_001).evictions == ()
    assert len(world.decide(now=107_001).evictions) == 15


def test_an_owner_still_gets_its_min_from_a_quota_that_is_over_its_max() -> None:
    world = lowered(NOT_EVER)
    world.quota("owner", min=40)
    world.pods("owner", 22, waiting=True)
    world.decide(now=0)
    assert len(world.decide(now=GRACE).evictions) == 2


def test_the_nodes_of_a_tree_are_a_limit_in_any_case() -> None:
    world = lowered(NOT_EVER)
    world.decide(now=0)
    for name in ("node-1", "node-2", "node-3", "node-4"):
        world.ledger.delete_node(name)
    world.decide(now=1)
    assert len(world.decide(now=DELAY + 1).evictions) > 0


def test_no_fair_share_is_reclaimed_from_a_queue_of_yunikorn() -> None:
    for kept_for, evicts in (("", True), (names.YUNIKORN, False)):
        world = World(nodes=5, cpu=8)
        world.quota("team-a", kept_for=kept_for)
        world.quota("team-b")
        world.pods("team-a", 40)
        world.pods("team-b", 20, waiting=True)
        world.decide(now=0)
        assert bool(world.decide(now=DELAY).evictions) == evicts


def test_a_pod_that_is_evicted_last_stays_while_others_are_enough() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10)
    world.quota("team-b", min=20)
    important = world.pods("team-a", 20, priority=9)
    world.pods("team-a", 20, evict_last=True)
    world.pods("team-b", 20, waiting=True)
    world.decide(now=0)
    assert {each.uid for each in world.decide(now=GRACE).evictions} == {
        pod.uid for pod in important
    }


def test_it_is_no_guarantee_to_be_evicted_last() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10)
    world.quota("team-b", min=30)
    world.pods("team-a", 40, evict_last=True)
    world.pods("team-b", 30, waiting=True)
    world.decide(now=0)
    assert evicted_of(world.decide(now=GRACE)) == {"team-a"}


def test_an_edit_of_a_policy_counts_in_the_next_cycle() -> None:
    world = two_departments(lone=names.DISABLED, greedy=names.DISABLED)
    assert decided(world).evictions == ()
    key = Key("teams", "greedy")
    world.ledger.upsert_quota(replace(world.ledger.quotas[key], preemption="", min=amounts(cpu=0)))
    assert evicted_of(world.decide(now=GRACE + 1)) == {"greedy"}
