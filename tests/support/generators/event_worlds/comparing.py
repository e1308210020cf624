"""P9: a ledger that is rebuilt decides the same, at any moment."""

from collections.abc import Callable
from random import Random
from typing import Any

from elasticquota.decisions import decide
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota.scheduling.inputs.policy import Policy
from virtual_cluster.controller import Decider


class Comparing:
    """A decider that compares one of seven decisions with that of a new ledger."""

    def __init__(self, decider: Decider | None, dice: Random) -> None:
        self._decider = decider
        self._dice = dice
        self._cycles = 0
        self.compared = 0
        self.different: list[tuple[str, str]] = []
        """Of each decision that differs: in what sort of things, and in which fields."""

    def __call__(self, ledger: Ledger, now: int, policy: Policy, cache: CycleCache) -> Decisions:
        self._cycles += 1
        if self._cycles % 7:
            return self._decide(ledger, now, policy, cache)
        fresh = rebuilt(ledger, self._dice)
        decisions = self._decide(ledger, now, policy, cache)
        others = self._decide(fresh, now, policy, CycleCache())
        self.compared += 1
        if others != decisions:
            fields = [
                name
                for name in decisions.__struct_fields__
                if getattr(decisions, name) != getattr(others, name)
            ]
            sort = "does" if {"releases", "evictions"} & set(fields) else "says"
            self.different.append((sort, f"cycle {self._cycles}: {', '.join(fields)}"))
        return decisions

    def _decide(self, ledger: Ledger, now: int, policy: Policy, cache: CycleCache) -> Decisions:
        return (self._decider or decide.decide)(ledger, now, policy, cache)


def rebuilt(ledger: Ledger, dice: Random) -> Ledger:
    """A ledger with the same objects, in another order, and the same expectations and clocks."""
    fresh = Ledger()
    steps: list[tuple[Callable[[Any], None], Any]] = [
        *((fresh.upsert_pod, each) for each in ledger.pods.values()),
        *((fresh.upsert_quota, each) for each in ledger.quotas.values()),
        *((fresh.upsert_node, each) for each in ledger.nodes.values()),
        *((fresh.upsert_profile, each) for each in ledger.profiles.values()),
        *((fresh.upsert_group_object, each) for each in ledger.group_objects.values()),
        *((fresh.follow_group_kind, each) for each in sorted(ledger.group_kinds)),
    ]
    dice.shuffle(steps)
    for put, thing in steps:
        put(thing)
    for uid in sorted(ledger.releasing):
        fresh.expect_release(uid)
    for uid in sorted(ledger.evicting):
        fresh.expect_eviction(uid)
    for uid in sorted(ledger.withheld):
        fresh.withhold(uid)
    for uid, refusal in ledger.refused.items():
        fresh.refused[uid] = refusal
    fresh.set_time(ledger.time)
    fresh.remember(ledger.clocks)
    return fresh
