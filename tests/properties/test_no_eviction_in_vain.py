"""Law of reclaim: the pods that room is made for are released, and no victim is superfluous.

Pods beyond a max or on too few nodes are evicted without such a gain
(``docs/decisions/0006-reclaim-only-where-it-helps.md``): cases in which a quota exceeds a
limit are left out. Preemption has its own law (``test_preemption_by_priority``).

Which pod fits depends on where the scheduler places those that are admitted: a small pod may take
the room of a large one. So no single victim is superfluous where all pods are equal, or where one
node has all the room, and for any pods and nodes some pod gains. Reclaim begins seconds after
admission, when the pods have nodes. Cases with a pod that no node takes are left out: it takes the
next room anywhere (``docs/reclaim.md``).
"""

from collections.abc import Iterable, Sequence

from hypothesis import assume, given

import law_content
from departments import POLICY, worlds
from elasticquota import names
from elasticquota.decisions import decide
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, Eviction, Release
from elasticquota.structs import replace
from worlds import TREE, World


def released_after(
    world: World, victims: Iterable[Eviction], now: int, *, kept: bool = False
) -> set[str]:
    """Uids of the pods that would be released if ``victims`` were gone and waited again.

    ``kept``: room that was made for pods is theirs. Otherwise pods released beyond a runtime, into
    idle room, are left out. The scheduler places each pod before the next cycle: a pod may wait
    until no unbound pod can lose its place to it (``scheduling.snapshot.unbound``).
    """
    gone = {victim.pod for victim in victims}
    ledger = Ledger()
    for node in world.ledger.nodes.values():
        ledger.upsert_node(node)
    for profile in world.ledger.profiles.values():
        ledger.upsert_profile(profile)
    for quota in world.ledger.quotas.values():
        ledger.upsert_quota(quota)
    for key, pod in world.ledger.pods.items():
        again = replace(pod, node_name="", gates=(names.GATE,), created=world.time())
        ledger.upsert_pod(again if key in gone else pod)
    if kept:
        ledger.remember(world.ledger.clocks)
    released: set[str] = set()
    while True:
        place_admitted(ledger)
        with law_content.aside():
            decisions = decide.decide(ledger, now, POLICY)
        ledger.remember(decisions.clocks)
        counted = decisions.releases if kept else _within_runtime(ledger, decisions)
        more = [each for each in counted if each.pod not in gone]
        if not more:
            return released
        for release in more:
            ledger.upsert_pod(replace(ledger.pods[release.pod], gates=()))
            released.add(release.uid)


def _within_runtime(ledger: Ledger, decisions: Decisions) -> list[Release]:
    """The releases of a cycle that are within the runtimes of their paths."""
    left = {s.key.name: s.runtime["cpu"] - s.admitted.get("cpu", 0) for s in decisions.statuses}
    found = []
    for release in decisions.releases:
        path = ledger.update(POLICY.accounting).forest.path(release.quota)
        for name in path:
            left[name] -= ledger.pods[release.pod].request["cpu"]
        if min(left[name] for name in path) >= 0:
            found.append(release)
    return found


def place_admitted(ledger: Ledger) -> None:
    """Do what the scheduler would do, the largest pod first, as far as the nodes have room."""
    free = {name: node.allocatable["cpu"] for name, node in ledger.nodes.items()}
    admitted = [pod for pod in ledger.pods.values() if not pod.gated]
    for pod in admitted:
        if pod.node_name:
            free[pod.node_name] -= pod.request["cpu"]
    for pod in sorted(admitted, key=lambda pod: -pod.request["cpu"]):
        fitting = [name for name, left in free.items() if left >= pod.request["cpu"]]
        if fitting and not pod.node_name:
            name = min(fitting, key=free.__getitem__)
            free[name] -= pod.request["cpu"]
            ledger.upsert_pod(replace(pod, node_name=name, started=pod.created))


def no_quota_exceeds_a_limit(world: World) -> bool:
    books = world.ledger.update(POLICY.accounting).trees[TREE]
    held = {name: amounts.get("cpu", 0) for name, amounts in books.admitted.items()}
    limits = [(quota.name, quota.max.get("cpu", 2**62)) for quota in world.ledger.quotas.values()]
    limits.append(("pool-root", books.available.get("cpu", 0)))
    return all(held[name] <= limit for name, limit in limits)


def all_gain(world: World, now: int) -> bool:
    """Whether every pod that room is made for is released when the victims are gone."""
    evictions = world.decide(now, POLICY).evictions
    takers = world.ledger.clocks.nominated.keys()
    return takers <= released_after(world, evictions, now, kept=True)


def no_victim_is_superfluous(world: World, now: int) -> bool:
    """Without any of them fewer pods start in the room made for them, or within their runtimes.

    For a fair share room is made for a whole pod, which may then be beyond its runtime. Where
    victims go for several rights at once, one for the first can be enough for the next.
    """
    evictions = world.decide(now, POLICY).evictions
    return len({each.right for each in evictions}) > 1 or all(
        _needs(world, evictions, spared, now, kept=True)
        or _needs(world, evictions, spared, now, kept=False)
        for spared in evictions
        if not _a_larger_one_of_its_quota_goes(world, spared, evictions)
    )


def _needs(
    world: World, victims: Sequence[Eviction], spared: Eviction, now: int, *, kept: bool
) -> bool:
    others = [each for each in victims if each is not spared]
    gain = released_after(world, victims, now, kept=kept)
    return not gain <= released_after(world, others, now, kept=kept)


def _a_larger_one_of_its_quota_goes(
    world: World, spared: Eviction, evictions: Iterable[Eviction]
) -> bool:
    """The limit that ``docs/limits.md`` states: such a larger victim may make it needless."""
    size = world.ledger.pods[spared.pod].request["cpu"]
    return any(
        each.quota == spared.quota and world.ledger.pods[each.pod].request["cpu"] > size
        for each in evictions
    )


@law_content.about(reclaims=1 / 5)
@given(worlds(one_node=True, may_preempt=False))
def test_every_single_victim_is_needed_for_a_pod_that_waits(world: World) -> None:
    """Admitted pods may have no node yet."""
    assume(no_quota_exceeds_a_limit(world))
    for now in (0, POLICY.grace, POLICY.delay):
        world.carry_out_releases(world.decide(now, POLICY))
        assert all_gain(world, now)
        assert no_victim_is_superfluous(world, now)


@law_content.about(reclaims=1 / 8)
@given(worlds(one_size=True, may_preempt=False))
def test_every_single_victim_is_needed_on_several_nodes(world: World) -> None:
    assume(no_quota_exceeds_a_limit(world))
    for now in (0, POLICY.grace, POLICY.delay):
        admit_and_place(world, now)
        assert all_gain(world, now)
        assert no_victim_is_superfluous(world, now)


@law_content.about(reclaims=1 / 4)
@given(worlds())
def test_victims_make_room_for_a_pod_whatever_the_sizes(world: World) -> None:
    assume(no_quota_exceeds_a_limit(world))
    for now in (0, POLICY.grace, POLICY.delay):
        admit_and_place(world, now)
        evictions = world.decide(now, POLICY).evictions
        takers = world.ledger.clocks.nominated.keys()
        assert not evictions or takers & released_after(world, evictions, now, kept=True)


def admit_and_place(world: World, now: int) -> None:
    """Carry out the releases as the scheduler does, and leave out pods that no node takes."""
    for release in world.decide(now, POLICY).releases:
        world.ledger.upsert_pod(replace(world.ledger.pods[release.pod], gates=()))
    place_admitted(world.ledger)
    assume(all(pod.gated or pod.bound for pod in world.ledger.pods.values()))
