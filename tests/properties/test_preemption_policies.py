"""Laws of preemption policies, for all small worlds: fences, disabled quotas, and delays of max."""

import random

from hypothesis import given
from hypothesis import strategies as st

import law_content
import levels
from departments import POLICY, worlds
from elasticquota import names
from elasticquota.forest import preemption_policy
from elasticquota.model.clocks import Clocks
from elasticquota.model.decision import Decisions
from elasticquota.model.quota import NOT_EVER, Quota
from elasticquota.structs import replace
from worlds import World


ALL = ("", names.DEFAULT, names.FENCE, names.DISABLED)
MOMENTS = (0, POLICY.grace, POLICY.delay)


@st.composite
def lent_out(draw: st.DrawFn) -> World:
    """All nodes are used by quotas without a min, and pods within the min of others wait."""
    world = World(nodes=4, cpu=8)
    world.quota("dept", min=16, is_parent=True)
    for name, parent in (("a", "dept"), ("b", "dept"), ("c", "pool-root"), ("d", "pool-root")):
        world.quota(name, min=draw(st.sampled_from((0, 0, 4, 8))), parent=parent)
    for index in range(32):
        world.pods(draw(st.sampled_from("abcd")), node=f"node-{index % 4}")
    for name in "abcd":
        world.pods(name, draw(st.integers(0, 6)), cpu=draw(st.integers(1, 3)), waiting=True)
    return world


def with_policies(world: World, policies: list[str]) -> World:
    teams = [quota for quota in world.ledger.quotas.values() if not quota.is_root]
    for quota, policy in zip(teams, policies, strict=False):
        world.ledger.upsert_quota(replace(quota, preemption=policy))
    return world


@law_content.about(evictions=1 / 6)
@given(worlds(), st.lists(st.sampled_from(ALL), min_size=5, max_size=5))
def test_no_running_pod_of_a_disabled_quota_is_evicted(world: World, policies: list[str]) -> None:
    with_policies(world, policies)
    for now in MOMENTS:
        decisions = world.decide(now, POLICY)
        cluster = world.ledger.update(POLICY.accounting)
        for each in decisions.evictions:
            stuck = each.pod in cluster.account(each.quota).stuck
            assert stuck or not preemption_policy.is_disabled(cluster.forest, each.quota)
        world.carry_out_evictions(decisions)


@law_content.about(reclaims=1 / 3)
@given(lent_out(), st.lists(st.sampled_from(("", names.FENCE)), min_size=5, max_size=5))
def test_no_pod_leaves_for_an_owner_whose_fence_it_is_outside_of(
    world: World, policies: list[str]
) -> None:
    with_policies(world, policies)
    for now in MOMENTS:
        decisions = world.decide(now, POLICY)
        forest = world.ledger.update(POLICY.accounting).forest
        for each in decisions.evictions:
            fence = preemption_policy.fence(forest, each.owner) if each.owner else ""
            assert not fence or fence in forest.path(each.quota)
        world.carry_out_evictions(decisions)


@law_content.about(limits=1 / 4)
@given(worlds(), levels.DICE)
def test_without_a_waiting_pod_no_lowered_max_evicts_where_the_delay_never_ends(
    world: World, dice: random.Random
) -> None:
    """The nodes stay a limit, so the tree has enough of them."""
    for index in range(20):
        world.node(f"more-{index}", cpu=8)
    for pod in [pod for pod in world.ledger.pods.values() if pod.gated]:
        world.ledger.delete_pod(pod.key)
    for quota in [quota for quota in world.ledger.quotas.values() if not quota.is_root]:
        world.ledger.upsert_quota(lowered(quota, dice))
        account = world.ledger.update(POLICY.accounting).account(quota.name)
        if account.admitted.get("cpu", 0) > world.ledger.quotas[quota.key].max["cpu"]:
            law_content.note("limits")
    for now in MOMENTS:
        assert world.decide(now, POLICY).evictions == ()


@law_content.about(evictions=1 / 4)
@given(worlds(), st.lists(st.sampled_from(ALL), min_size=5, max_size=5))
def test_a_policy_that_is_no_fence_and_disables_nothing_changes_no_decision(
    world: World, policies: list[str]
) -> None:
    plain = [decided(world, now) for now in MOMENTS]
    with_policies(world, [names.DEFAULT if policy else "" for policy in policies])
    world.ledger.remember(Clocks())
    assert [decided(world, now) for now in MOMENTS] == plain


def decided(world: World, now: int) -> tuple[object, ...]:
    decisions: Decisions = world.decide(now, POLICY)
    return decisions.releases, decisions.evictions


def lowered(quota: Quota, dice: random.Random) -> Quota:
    most = {"cpu": dice.randint(0, 6) * 1_000}
    return replace(quota, min={}, max=most, over_max_delay=NOT_EVER)
