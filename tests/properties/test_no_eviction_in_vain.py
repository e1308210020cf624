"""Law: each eviction lets another pod be released, and no victim is superfluous.

Pods beyond a max or on too few nodes are evicted without such a gain
(``docs/decisions/20261121-take-back-only-where-it-helps.md``): cases in which a quota exceeds a
limit are left out.
"""

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import assume, given

from departments import POLICY, worlds
from elasticquota import names
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Eviction
from elasticquota.model.key import Key
from elasticquota.scheduling import decide
from worlds import TREE, World


def released_after(world: World, victims: Iterable[Eviction]) -> set[str]:
    """Names of the pods that would be released now if ``victims`` were gone and waited again.

    Pods released beyond a runtime, into idle room, are left out: reclaim does not count on that
    room. The scheduler has placed the admitted pods by then, the largest first: a pod that may
    preempt is not released before (``scheduling.snapshot.unbound``), and reclaim need not wait.
    """
    gone = {victim.pod for victim in victims}
    nodes = placed(world, gone)
    ledger = Ledger()
    for node in world.ledger.nodes.values():
        ledger.upsert_node(node)
    for profile in world.ledger.profiles.values():
        ledger.upsert_profile(profile)
    for quota in world.ledger.quotas.values():
        ledger.upsert_quota(quota)
    for key, pod in world.ledger.pods.items():
        again = replace(pod, node_name="", gates=(names.GATE,), created=world.time())
        ledger.upsert_pod(again if key in gone else replace(pod, node_name=nodes.get(key, "")))
    decisions = decide.decide(ledger, 0, POLICY)
    left = {s.key.name: s.runtime["cpu"] - s.admitted.get("cpu", 0) for s in decisions.statuses}
    released: set[str] = set()
    for release in decisions.releases:
        path = ledger.update(POLICY.accounting).forest.path(release.quota)
        for name in path:
            left[name] -= ledger.pods[release.pod].request["cpu"]
        if min(left[name] for name in path) >= 0 and release.pod not in gone:
            released.add(release.pod.name)
    return released


def placed(world: World, gone: set[Key]) -> dict[Key, str]:
    """A node for each admitted pod that stays, as far as the nodes have room."""
    free = {node.name: dict(node.allocatable) for node in world.ledger.nodes.values()}
    found: dict[Key, str] = {}
    admitted = [pod for pod in world.ledger.pods.values() if not pod.gated and pod.key not in gone]
    for pod in sorted(admitted, key=lambda pod: (not pod.node_name, -pod.request["cpu"])):
        fitting = [name for name, left in free.items() if left["cpu"] >= pod.request["cpu"]]
        name = pod.node_name or next(iter(sorted(fitting, key=lambda name: free[name]["cpu"])), "")
        found[pod.key] = name
        if name in free:
            free[name]["cpu"] -= pod.request["cpu"]
    return found


def no_quota_exceeds_a_limit(world: World) -> bool:
    books = world.ledger.update(POLICY.accounting).trees[TREE]
    held = {name: amounts.get("cpu", 0) for name, amounts in books.admitted.items()}
    limits = [(quota.name, quota.max.get("cpu", 2**62)) for quota in world.ledger.quotas.values()]
    limits.append(("pool-root", books.available.get("cpu", 0)))
    return all(held[name] <= limit for name, limit in limits)


@given(worlds())
def test_every_single_victim_is_needed_for_a_pod_that_waits(world: World) -> None:
    assume(no_quota_exceeds_a_limit(world))
    for now in (0, POLICY.grace, POLICY.delay):
        world.carry_out_releases(world.decide(now, POLICY))
        evictions = world.decide(now, POLICY).evictions
        gain = released_after(world, evictions)
        for spared in evictions:
            others = [each for each in evictions if each is not spared]
            assert not gain <= released_after(world, others)
