"""The difference that a change makes: the two settled states compared.

Reclaims and refusals are those of the change itself, which was applied to the settled state.
"""

from collections.abc import Collection
from dataclasses import dataclass

from elasticquota.model.decision import Wait
from elasticquota.model.key import Key
from elasticquota_cli.simulate.apply import Refusal
from elasticquota_cli.simulate.outcome import Outcome, ProfileFigures, QuotaFigures
from elasticquota_cli.simulate.settle import Reclaim


@dataclass(frozen=True, slots=True)
class QuotaChange:
    """A quota before and after the change."""

    before: QuotaFigures | None
    after: QuotaFigures | None
    """One of them is None for a quota that is new or gone."""


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """A profile before and after the change; one is None if it is new or gone."""

    before: ProfileFigures | None
    after: ProfileFigures | None


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
    profiles: tuple[ProfileChange, ...]
    quotas: tuple[QuotaChange, ...]
    starts_waiting: tuple[Wait, ...]
    stops_waiting: tuple[NoLonger, ...]
    reclaims: tuple[Reclaim, ...]
    refusals: tuple[Refusal, ...]

    @property
    def is_smooth(self) -> bool:
        """Whether nothing is refused, and no pod starts to wait or is evicted."""
        worse_quotas = any(
            change.after is not None
            and not change.after.accepted
            and (change.before is None or change.before.accepted)
            for change in self.quotas
        )
        worse_profiles = any(
            change.after is not None
            and not change.after.ready
            and (change.before is None or change.before.ready)
            for change in self.profiles
        )
        return self.settled and not (
            worse_quotas or worse_profiles or self.starts_waiting or self.reclaims or self.refusals
        )


def between(before: Outcome, after: Outcome, pods: Collection[Key]) -> Difference:
    """Compare; ``pods`` are those that exist after the change."""
    waited = {wait.pod: wait for wait in before.waiting}
    waits = {wait.pod for wait in after.waiting}
    return Difference(
        settled=after.settled,
        rounds=after.rounds,
        elapsed=after.elapsed,
        profiles=_profiles(before, after),
        quotas=_quotas(before, after),
        starts_waiting=tuple(wait for wait in after.waiting if wait.pod not in waited),
        stops_waiting=tuple(
            NoLonger(wait, pod in pods) for pod, wait in waited.items() if pod not in waits
        ),
        reclaims=after.reclaims,
        refusals=after.refusals,
    )


def _quotas(before: Outcome, after: Outcome) -> tuple[QuotaChange, ...]:
    """In the order of the trees; quotas that are gone come last."""
    old = {found.key: found for found in before.quotas}
    new = {found.key: found for found in after.quotas}
    return tuple(
        QuotaChange(old.get(key), new.get(key))
        for key in dict.fromkeys((*new, *old))
        if old.get(key) != new.get(key)
    )


def _profiles(before: Outcome, after: Outcome) -> tuple[ProfileChange, ...]:
    old = {found.key: found for found in before.profiles}
    new = {found.key: found for found in after.profiles}
    return tuple(
        ProfileChange(old.get(key), new.get(key))
        for key in dict.fromkeys((*new, *old))
        if old.get(key) != new.get(key)
    )
