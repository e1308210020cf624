"""Law: nobody is evicted unless somebody gains by it, and no one more than that takes.

What exceeds a max or too few nodes goes without anybody gaining (docs/decisions, take back only
where it helps): worlds in which somebody does are left out.
"""

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import assume, given

from departments import POLICY, worlds
from elasticquota import names
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Eviction
from elasticquota.scheduling import decide
from worlds import TREE, World


def released_after(world: World, victims: Iterable[Eviction]) -> set[str]:
    """Names of the pods that would be released now if ``victims`` were gone and waited again.

    Without those that idle room is given to: a wave does not count on it.
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
    decisions = decide.decide(ledger, 0, POLICY)
    left = {s.key.name: s.runtime["cpu"] - s.admitted.get("cpu", 0) for s in decisions.statuses}
    released: set[str] = set()
    for release in decisions.releases:
        path = ledger.balance(POLICY.accounting).forest.path(release.quota)
        for name in path:
            left[name] -= ledger.pods[release.pod].request["cpu"]
        if min(left[name] for name in path) >= 0 and release.pod not in gone:
            released.add(release.pod.name)
    return released


def nobody_exceeds_a_limit(world: World) -> bool:
    books = world.ledger.balance(POLICY.accounting).trees[TREE]
    held = {name: amounts.get("cpu", 0) for name, amounts in books.admitted.items()}
    limits = [(quota.name, quota.max.get("cpu", 2**62)) for quota in world.ledger.quotas.values()]
    limits.append(("pool-root", books.available.get("cpu", 0)))
    return all(held[name] <= limit for name, limit in limits)


@given(worlds())
def test_every_single_victim_is_needed_for_somebody_who_waits(world: World) -> None:
    assume(nobody_exceeds_a_limit(world))
    for now in (0, POLICY.grace, POLICY.delay):
        world.carry_out_releases(world.decide(now, POLICY))
        evictions = world.decide(now, POLICY).evictions
        gain = released_after(world, evictions)
        for spared in evictions:
            others = [each for each in evictions if each is not spared]
            assert not gain <= released_after(world, others)
