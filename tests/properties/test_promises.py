"""Laws: whatever happens to quotas, nodes and pods, the promises hold, and then all comes to rest.

Worlds of ``event_worlds``, in parts for parallel workers: the same ones in CI, and new ones
elsewhere. More of them: ``python -m event_worlds --help``. The figures show that the worlds contain
what the promises are about, and the last tests that the oracles notice decisions that break them.
"""

import os
from random import Random

import pytest
from hypothesis import settings

import wrong_deciders
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, Release
from elasticquota.structs import replace
from event_worlds.description import NodePut, WorldSpec
from event_worlds.generation import world
from event_worlds.trial import Report, run
from virtual_cluster.controller import Decider


PARTS = 4
WORLDS = 30
"""In each part."""
APART = 10_000
"""Seeds from the start of one part to that of the next."""
LEAST = {
    "a due pod comes at rest": 2,
    "evictions: min": 2,
    "evictions: fair share": 1,
    "evictions: priority": 4,
    "releases of gangs": 4,
    "waits at rest": 20,
    "compared with a new ledger": 25,
}
"""In how many worlds of a part of CI it happens at least; other parts are as chance has it."""
EXAMPLES = settings().max_examples


def first(part: int) -> int:
    """The first seed of a part: of CI, or any."""
    return part * APART if os.environ.get("CI") else Random().randrange(10**9)


@pytest.mark.parametrize("part", range(PARTS))
def test_the_promises_hold_whatever_happens(part: int) -> None:
    report = Report()
    start = first(part)
    for seed in range(start, start + max(1, WORLDS * EXAMPLES // 40)):
        report.add(seed)
    told = list(report.in_words())
    assert not told, "\n".join(told)
    if os.environ.get("CI") and report.worlds >= WORLDS:
        seen = {fact: report.content[fact] for fact in LEAST}
        assert all(seen[fact] >= least for fact, least in LEAST.items()), seen


@pytest.mark.parametrize("seed", range(0, 69, 3))
def test_a_tree_with_one_pool_decides_as_without_pools(seed: int) -> None:
    """P10: of all that happens, with the resources of every node in the pool.

    So each node is in the tree: a pod on one that is not counts in no pool (``docs/pools.md``), as
    when its node leaves, or after its quota was missing and it went to any node.
    """
    spec = with_all_nodes(world(seed)._replace(faults=False))
    assert run(spec._replace(pool=True)).decisions == run(spec).decisions


def with_all_nodes(spec: WorldSpec) -> WorldSpec:
    """The world with each of its nodes in the tree."""
    nodes = tuple(node._replace(matches=True) for node in spec.nodes)
    events = tuple(
        (wait, NodePut(event.node._replace(matches=True)) if isinstance(event, NodePut) else event)
        for wait, event in spec.events
    )
    return spec._replace(nodes=nodes, events=events)


def without_the_taker(decisions: Decisions, ledger: Ledger) -> Decisions:
    """Only what is the first of its workload is ever released."""
    kept = tuple(each for each in decisions.releases if "-0-" in each.pod.name)
    return replace(decisions, releases=kept)


def releasing_half_of_a_gang(decisions: Decisions, ledger: Ledger) -> Decisions:
    kept = tuple(each for each in decisions.releases if "-1-" not in each.pod.name)
    return replace(decisions, releases=kept)


def evicting_half_of_a_gang(decisions: Decisions, ledger: Ledger) -> Decisions:
    kept = tuple(each for each in decisions.evictions if "-1-" not in each.pod.name)
    return replace(decisions, evictions=kept)


def releasing_all(decisions: Decisions, ledger: Ledger) -> Decisions:
    gated = [pod for pod in ledger.pods.values() if pod.gated]
    releases = [Release(pod.key, pod.uid, pod.quota_label, 0, "") for pod in gated]
    return replace(decisions, releases=tuple(releases))


BREAKS: dict[str, tuple[Decider, set[str]]] = {
    "no eviction": (wrong_deciders.Broken(wrong_deciders.without_evictions), {"P1", "P7", "P11"}),
    "one more victim": (wrong_deciders.Broken(wrong_deciders.with_another_victim), {"P3", "P4"}),
    "evictions without end": (wrong_deciders.Broken(wrong_deciders.evicting_always), {"P2"}),
    "the taker is not released": (wrong_deciders.Broken(without_the_taker), {"P1", "P3"}),
    "no release": (wrong_deciders.Broken(wrong_deciders.without_releases), {"P1", "idle"}),
    "all are released": (wrong_deciders.Broken(releasing_all), {"P5", "P6"}),
    "half a gang is released": (wrong_deciders.Broken(releasing_half_of_a_gang), {"P8"}),
    "half a gang is evicted": (wrong_deciders.Broken(evicting_half_of_a_gang), {"P8"}),
    "an owner waits for 100 s": (wrong_deciders.WithGrace(100_000), {"P11"}),
    "releases in every second decision": (
        wrong_deciders.EverySecond(wrong_deciders.without_releases),
        {"P9"},
    ),
    "evictions in every second decision": (
        wrong_deciders.EverySecond(wrong_deciders.without_evictions),
        {"P9"},
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_the_oracles_notice_what_breaks_a_promise(name: str) -> None:
    """The right decider keeps all promises in the smallest of these worlds."""
    decider, promises = BREAKS[name]
    found, right = Report(), Report()
    for seed in range(120):
        found.add(seed, decider)
        if promises <= found.broken:
            break
    assert promises <= found.broken
    broken = {each.seeds[0] for kind, each in found.failures.items() if kind[0] in promises}
    for seed in broken:
        right.add(seed)
    assert not right.failures
