"""Deciders that decide as ``decide`` does, and then wrongly: oracles must notice them."""

from collections.abc import Callable
from typing import Any

import pytest

from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.decisions.decide import decide
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, Eviction
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace


class Broken:
    """Changes each decision."""

    def __init__(self, change: Callable[[Decisions, Ledger], Decisions]) -> None:
        self._change = change

    def __call__(self, ledger: Ledger, now: int, policy: Policy, cache: CycleCache) -> Decisions:
        return self._change(decide(ledger, now, policy, cache), ledger)


class EverySecond:
    """Changes every second decision."""

    def __init__(self, change: Callable[[Decisions, Ledger], Decisions]) -> None:
        self._change = change
        self._decisions = 0

    def __call__(self, ledger: Ledger, now: int, policy: Policy, cache: CycleCache) -> Decisions:
        self._decisions += 1
        decisions = decide(ledger, now, policy, cache)
        return decisions if self._decisions % 2 else self._change(decisions, ledger)


class Patched:
    """Decides while methods of the product do something else."""

    def __init__(self, *changes: tuple[type, str, Callable[..., Any]]) -> None:
        self._changes = changes

    def __call__(self, ledger: Ledger, now: int, policy: Policy, cache: CycleCache) -> Decisions:
        with pytest.MonkeyPatch.context() as patch:
            for owner, name, wrong in self._changes:
                patch.setattr(owner, name, wrong)
            return decide(ledger, now, policy, cache)


class WithGrace:
    """Lets owners wait for so many milliseconds."""

    def __init__(self, grace: int) -> None:
        self._grace = grace

    def __call__(self, ledger: Ledger, now: int, policy: Policy, cache: CycleCache) -> Decisions:
        return decide(ledger, now, replace(policy, grace=self._grace), cache)


def without_evictions(decisions: Decisions, ledger: Ledger) -> Decisions:
    return replace(decisions, evictions=())


def with_another_victim(decisions: Decisions, ledger: Ledger) -> Decisions:
    """Whenever a pod is evicted, so is one more, of any quota."""
    return _with_another(decisions, ledger, lambda _quota, _victim: True)


def with_another_of_its_quota(decisions: Decisions, ledger: Ledger) -> Decisions:
    """Whenever a pod is evicted, so is one more of its quota."""
    return _with_another(decisions, ledger, lambda quota, victim: quota == victim.quota)


def _with_another(
    decisions: Decisions, ledger: Ledger, may_go: Callable[[str, Eviction], bool]
) -> Decisions:
    named = {each.pod for each in decisions.evictions}
    for first in decisions.evictions[:1]:
        for pod in ledger.pods.values():
            quota = pod.quota_label
            runs = pod.bound and not pod.deleting and pod.key not in named
            if runs and quota and may_go(quota, first):
                more = replace(first, pod=pod.key, uid=pod.uid, quota=quota)
                return replace(decisions, evictions=(*decisions.evictions, more))
    return decisions


def evicting_always(decisions: Decisions, ledger: Ledger) -> Decisions:
    running = [pod for pod in ledger.pods.values() if pod.bound and not pod.deleting]
    evictions = [
        Eviction(pod.key, pod.uid, pod.quota_label, pod.request, "", right="min")
        for pod in running[:1]
    ]
    return replace(decisions, evictions=tuple(evictions))


def without_releases(decisions: Decisions, ledger: Ledger) -> Decisions:
    return replace(decisions, releases=())
