"""Law: in small worlds the promises hold at every decision and at rest.

A pinned sample of the worlds that ``small_worlds.enumeration`` lists, in parts for parallel
workers. All of them: ``python -m small_worlds --help``. The figures show that the sample contains
what the promises are about, and the last tests that the oracles notice decisions that break them.
"""

from collections.abc import Callable
from itertools import islice

import pytest

import wrong_deciders
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, Release
from elasticquota.model.pod import Pod
from elasticquota.scheduling.preemption.clearing import Clearing
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.structs import replace
from small_worlds import enumeration, trial, wanted
from small_worlds.families import FAMILIES
from small_worlds.trial import Report, Trial
from small_worlds.world import Decider, World


PARTS = 32
WORLDS = 2_000
"""In each part."""
APART = 40 * len(FAMILIES)
"""Blocks of indexes from the start of one part to that of the next."""
LEAST = {
    "a due pod comes at rest": 500,
    "evictions: min": 120,
    "evictions: fair share": 60,
    "evictions: limit": 20,
    "evictions: priority": 1,
    "evictions of gangs": 1,
    "releases of gangs": 50,
    "releases of pods that are not preemptible": 20,
    "waits at rest": 1_200,
    "compared with a new ledger": 70,
}
"""In how many worlds of a part it happens at least."""


@pytest.mark.parametrize("part", range(PARTS))
def test_the_promises_hold_in_64_000_small_worlds(part: int) -> None:
    found = Trial()
    for index, spec in islice(trial.worlds(part * APART), WORLDS):
        found.add(index, spec)
    report = found.report
    assert not report.failures, "\n".join(report.in_words())
    seen = {fact: report.content[fact] for fact in LEAST}
    assert all(seen[fact] >= least for fact, least in LEAST.items()), seen
    assert len({each.name for each in FAMILIES if not report.content[f"family: {each.name}"]}) <= 1


def test_no_world_comes_twice() -> None:
    specs = [spec for _, spec in islice(trial.worlds(), 5_000)]
    assert len(set(specs)) == len(specs)


def test_quotas_that_could_change_places_come_in_one_order_only() -> None:
    other = {"a": "b", "b": "a"}
    for index, spec in islice(trial.worlds(), 1_000):
        shape = enumeration.family_of(index).shape
        if [name for name, _ in shape.leaves] == ["a", "b"] and spec.lowered is None:
            quotas = [each._replace(name=other.get(each.name, each.name)) for each in spec.quotas]
            pods = [pod._replace(quota=other[pod.quota]) for pod in spec.pods]
            mirrored = spec._replace(quotas=tuple(quotas), pods=tuple(pods))
            assert not wanted.is_first_of_its_kind(shape, mirrored)


def test_what_begins_as_the_world_before_ends_as_alone() -> None:
    together = Trial()
    for index, spec in islice(trial.worlds(7), 300):
        together.add(index, spec)
    alone = Report()
    for index, spec in islice(trial.worlds(7), 300):
        judge = trial.judge_of(index)
        world = World(spec, judge)
        trial.run(index, world, judge)
        alone.add(index, spec, world, judge.facts)
    assert together.report.replayed > 300
    assert together.report.cycles == alone.cycles
    compared = "compared with a new ledger"
    del together.report.content[compared], alone.content[compared]
    assert together.report.content == alone.content


def without_the_taker(decisions: Decisions, ledger: Ledger) -> Decisions:
    """What is not the first of its quota is never released."""
    kept = tuple(each for each in decisions.releases if each.pod.name.endswith(("0", "1")))
    return replace(decisions, releases=kept)


def releasing_half_of_a_gang(decisions: Decisions, ledger: Ledger) -> Decisions:
    kept = tuple(each for each in decisions.releases if not each.pod.name.endswith("y"))
    return replace(decisions, releases=kept)


def evicting_half_of_a_gang(decisions: Decisions, ledger: Ledger) -> Decisions:
    kept = tuple(each for each in decisions.evictions if "y" not in each.pod.name)
    return replace(decisions, evictions=kept)


def releasing(which: Callable[[Pod], bool]) -> Decider:
    """Releases more waiting pods, whatever room there is."""

    def change(decisions: Decisions, ledger: Ledger) -> Decisions:
        named = {each.pod for each in decisions.releases}
        gated = [pod for pod in ledger.pods.values() if pod.gated and pod.key not in named]
        more = [Release(pod.key, pod.uid, pod.quota_label, 0, "") for pod in gated if which(pod)]
        return replace(decisions, releases=(*decisions.releases, *more))

    return wrong_deciders.Broken(change)


NOT_ON_NODES = (Clearing, "spare", lambda _: None)
NOT_IN_A_SEARCH = (PreemptionTargets, "spare_if", lambda *_: None)
NOT_AT_THE_END = (PreemptionTargets, "_may_stay", lambda *_: False)
"""Victims that are not needed stay on the list; what one place keeps, another may spare."""

BREAKS: dict[str, tuple[Decider, set[str]]] = {
    "no eviction": (wrong_deciders.Broken(wrong_deciders.without_evictions), {"P1", "P5", "P7"}),
    "one more victim": (wrong_deciders.Broken(wrong_deciders.with_another_victim), {"P3", "P4"}),
    "one more victim of its quota": (
        wrong_deciders.Broken(wrong_deciders.with_another_of_its_quota),
        {"P3"},
    ),
    "no victim is spared on its node": (
        wrong_deciders.Patched(NOT_AT_THE_END, NOT_ON_NODES),
        {"P3"},
    ),
    "no victim is spared beyond nodes": (
        wrong_deciders.Patched(NOT_AT_THE_END, NOT_IN_A_SEARCH),
        {"P3"},
    ),
    "evictions in every second decision": (
        wrong_deciders.EverySecond(wrong_deciders.without_evictions),
        {"P5", "P9", "P11"},
    ),
    "evictions without end": (wrong_deciders.Broken(wrong_deciders.evicting_always), {"P2"}),
    "the taker is not released": (wrong_deciders.Broken(without_the_taker), {"P1", "P3"}),
    "no release": (wrong_deciders.Broken(wrong_deciders.without_releases), {"P1", "idle"}),
    "all are released": (releasing(bool), {"P5"}),
    "what is not preemptible is released": (releasing(lambda pod: not pod.preemptible), {"P6"}),
    "what is important is released": (releasing(lambda pod: pod.priority > 0), {"room"}),
    "half a gang is released": (wrong_deciders.Broken(releasing_half_of_a_gang), {"P8"}),
    "half a gang is evicted": (wrong_deciders.Broken(evicting_half_of_a_gang), {"P8"}),
    "an owner waits for a minute": (wrong_deciders.WithGrace(60_000), {"P11"}),
}


@pytest.mark.parametrize("name", BREAKS)
def test_the_oracles_notice_what_breaks_a_promise(name: str) -> None:
    """The right decider keeps all promises in the smallest of these worlds."""
    decider, promises = BREAKS[name]
    found, right = Trial(decider), Trial()
    for index, spec in islice(trial.worlds(), 0, 8_000, 8):
        found.add(index, spec)
        if promises <= found.report.broken:
            break
    assert promises <= found.report.broken
    failures = found.report.failures
    for number in {each.examples[0] for kind, each in failures.items() if kind[0] in promises}:
        smallest = enumeration.world(number)
        assert smallest is not None
        right.add(number, smallest)
    assert not right.report.failures
