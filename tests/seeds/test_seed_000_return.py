"""Seed 000, multi-hierarchy quotas: how lent resources return, and which pods are admitted."""

from elasticquota import names, structs
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.scheduling.inputs.policy import Policy
from worlds import World


GRACE = Policy().grace
DELAY = Policy().delay


def figures(decisions: Decisions) -> dict[str, tuple[int, int]]:
    """(used, runtime) in whole cpus of the quotas A and B."""
    return {
        status.key.name: (status.used.get("cpu", 0) // 1000, status.runtime["cpu"] // 1000)
        for status in decisions.statuses
        if status.key.name in {"A", "B"}
    }


def at_t1() -> World:
    """A has borrowed everything, then B asks for its own 50 and more."""
    world = World(nodes=1, cpu=100)
    world.quota("A", min=50, max=100)
    world.quota("B", min=50, max=100)
    world.pods("A", 100)
    world.pods("B", 100, waiting=True)
    return world


def test_seed_000_min_guarantee_t0_a_alone_uses_100_of_100() -> None:
    world = World(nodes=1, cpu=100)
    world.quota("A", min=50, max=100)
    world.quota("B", min=50, max=100)
    world.pods("A", 100)
    decisions = world.decide()
    assert figures(decisions) == {"A": (100, 100), "B": (0, 0)}
    assert decisions.evictions == ()


def test_seed_000_min_guarantee_t1_runtime_is_50_and_50_but_a_still_uses_100() -> None:
    decisions = at_t1().decide()
    assert figures(decisions) == {"A": (100, 50), "B": (0, 50)}
    assert decisions.releases == ()


def test_seed_000_min_guarantee_a_returns_until_used_is_within_runtime() -> None:
    """Only if over-use "continues": not at once, and then exactly 50."""
    world = at_t1()
    assert world.decide(0).evictions == ()
    first = world.decide(GRACE)
    assert len(first.evictions) == 50
    world.carry_out_evictions(first)
    second = world.decide(GRACE)
    world.carry_out_releases(second)
    last = world.decide(10 * DELAY)
    assert figures(last) == {"A": (50, 50), "B": (50, 50)}
    assert last.evictions == ()


def test_seed_000_min_guarantee_priority_goes_from_low_to_high() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("A", max=4)
    world.quota("B", min=2, max=4)
    low, high, middle, highest = (
        world.pods("A", priority=priority)[0] for priority in (1, 3, 2, 4)
    )
    world.pods("B", 2, waiting=True)
    world.decide(now=0)
    evicted = [eviction.uid for eviction in world.decide(now=GRACE).evictions]
    assert evicted == [low.uid, middle.uid]
    assert not {high.uid, highest.uid} & set(evicted)


def test_seed_000_min_guarantee_pods_that_never_go_stay_within_min() -> None:
    """Such pods "can only use resource up to min"; the others may use runtime."""
    world = World(nodes=1, cpu=10)
    world.quota("A", min=3, max=10)
    world.pods("A", 5, waiting=True, preemptible=False)
    world.pods("A", 5, waiting=True)
    released = {release.uid for release in world.decide().releases}
    pods = [pod for pod in world.ledger.pods.values() if pod.uid in released]
    assert sum(not pod.preemptible for pod in pods) == 3
    assert sum(pod.preemptible for pod in pods) == 5


def test_seed_000_min_guarantee_priority_counts_for_nothing_across_quotas() -> None:
    """Seed: "The priorities of different quota groups are not comparable": B's own pod goes."""
    world = World(nodes=1, cpu=10)
    world.quota("A", min=5, max=10)
    world.quota("B", min=5, max=10)
    world.pods("A", 5, priority=0)
    world.pods("B", 5, priority=0)
    world.pods("B", waiting=True, priority=1_000_000)
    world.decide(now=0)
    decisions = world.decide(now=10 * DELAY)
    assert [eviction.quota for eviction in decisions.evictions] == ["B"]
    assert decisions.releases == ()


def test_seed_000_min_guarantee_only_what_exceeds_min_may_be_taken() -> None:
    """Seed: the "part exceeding" min may be recycled, and so never the rest."""
    world = World(nodes=1, cpu=10)
    world.quota("A", min=4, max=10)
    world.quota("B", min=6, max=10)
    world.pods("A", 10)
    world.pods("B", 10, waiting=True)
    world.decide(now=0)
    assert len(world.decide(now=10 * DELAY).evictions) == 6


def test_seed_000_default_group_takes_pods_that_match_no_quota() -> None:
    """Without limits at first; "users can modify them on demand", here to max 2."""
    world = World(nodes=1, cpu=8)
    world.node("unpooled", cpu=8, pool="none")
    world.pods("", 4, waiting=True, namespace="elsewhere", prefix="stray")
    assert [release.quota for release in world.decide().releases] == [names.DEFAULT_QUOTA] * 4
    world.ledger.upsert_quota(
        Quota(
            key=Key("system", names.DEFAULT_QUOTA),
            uid="default",
            created=world.time(),
            parent=names.ROOT_QUOTA,
            max={"cpu": 2_000},
        )
    )
    assert len(world.decide().releases) == 2


def test_seed_000_associate_pods_by_label_before_namespace_before_default() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("test", namespace="test")
    world.quota("test1", allowed_namespaces=("test",))
    (labelled,) = world.pods("test1", waiting=True, namespace="test")
    (bare,) = world.pods("", waiting=True, namespace="test", prefix="bare")
    found = {release.uid: release.quota for release in world.decide().releases}
    assert found == {labelled.uid: "test1", bare.uid: "test"}


def test_seed_000_pre_filter_used_plus_request_stays_within_runtime() -> None:
    """5 of runtime 6 are used: a pod of 1 goes, a pod of 2 waits."""
    world = World(nodes=1, cpu=10)
    world.quota("A", max=6)
    world.pods("A", 5)
    (large,) = world.pods("A", cpu=2, waiting=True)
    assert world.decide().releases == ()
    world.ledger.upsert_pod(structs.replace(large, request={"cpu": 1_000, names.PODS: 1}))
    assert [release.uid for release in world.decide().releases] == [large.uid]
