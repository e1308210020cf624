"""The difference that a change makes: the two settled states compared.

Reclaims and refusals are those of the change itself, which was applied to the settled state.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from elasticquota.model.decision import Wait
from elasticquota.model.key import Key
from elasticquota_cli.simulate.apply import Refusal
from elasticquota_cli.simulate.outcome import Outcome, ProfileFigures, QuotaFigures
from elasticquota_cli.simulate.settle import Reclaim


Figures = TypeVar("Figures", bound=QuotaFigures | ProfileFigures)


class Change(NamedTuple, Generic[Figures]):
    """A quota or a profile before and after the change; one is None if it is new or gone."""

    before: Figures | None
    after: Figures | None

    @property
    def is_worse(self) -> bool:
        """Whether what is wrong with it afterwards was not wrong before."""
        was_good = self.before is None or self.before.good
        return self.after is not None and not self.after.good and was_good


@dataclass(frozen=True, slots=True)
class NoLonger:
    """A pod that waited before; ``runs`` is False when it is gone."""

    wait: Wait
    runs: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """All differences."""

    settled: bool
    rounds: int
    elapsed: int
    """Milliseconds from the change until nothing changed any more."""
    profiles: tuple[Change[ProfileFigures], ...]
    quotas: tuple[Change[QuotaFigures], ...]
    """In the order of the trees; quotas that are gone come last."""
    starts_waiting: tuple[Wait, ...]
    stops_waiting: tuple[NoLonger, ...]
    reclaims: tuple[Reclaim, ...]
    refusals: tuple[Refusal, ...]

    @property
    def is_smooth(self) -> bool:
        """Whether nothing is refused, and no pod starts to wait or is evicted."""
        return self.settled and not (
            any(change.is_worse for change in self.quotas)
            or any(change.is_worse for change in self.profiles)
            or self.starts_waiting
            or self.reclaims
            or self.refusals
        )


def between(before: Outcome, after: Outcome, pods: Collection[Key]) -> Difference:
    """Compare; ``pods`` are those that exist after the change."""
    waited = {wait.pod: wait for wait in before.waiting}
    waits = {wait.pod for wait in after.waiting}
    return Difference(
        settled=after.settled,
        rounds=after.rounds,
        elapsed=after.elapsed,
        profiles=_changes(before.profiles, after.profiles),
        quotas=_changes(before.quotas, after.quotas),
        starts_waiting=tuple(wait for wait in after.waiting if wait.pod not in waited),
        stops_waiting=tuple(
            NoLonger(wait, pod in pods) for pod, wait in waited.items() if pod not in waits
        ),
        reclaims=after.reclaims,
        refusals=after.refusals,
    )


def _changes(before: Sequence[Figures], after: Sequence[Figures]) -> tuple[Change[Figures], ...]:
    """What differs, in the order of ``after``; what is gone comes last."""
    old = {found.key: found for found in before}
    new = {found.key: found for found in after}
    return tuple(
        Change(old.get(key), new.get(key))
        for key in dict.fromkeys((*new, *old))
        if old.get(key) != new.get(key)
    )
