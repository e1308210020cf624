"""The difference that a change makes: the two settled states compared.

Reclaims and refusals are those of the change itself, which was applied to the settled state.
"""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from elasticquota.model.key import Key
from elasticquota_cli.simulate import report


F = TypeVar("F", bound=report.Quota | report.Profile)
C = TypeVar("C")


def between(
    before: report.Simulation, after: report.Simulation, pods: Collection[Key]
) -> report.Difference:
    """Compare; ``pods`` are those that exist after the change. Quotas that are gone come last."""
    waited = {wait.key: wait for wait in before.waiting}
    waits = {wait.key for wait in after.waiting}
    return report.Difference(
        api_version=report.API_VERSION,
        settled=after.settled,
        elapsed_milliseconds=after.elapsed_milliseconds,
        profiles=_changes(before.profiles, after.profiles, report.ProfileChange),
        quotas=_changes(before.quotas, after.quotas, report.QuotaChange),
        starts_waiting=[wait for wait in after.waiting if wait.key not in waited],
        stops_waiting=[
            report.StopsWaiting(*pod, quota=wait.quota, runs=pod in pods)
            for pod, wait in waited.items()
            if pod not in waits
        ],
        reclaims=after.reclaims,
        refused=after.refused,
        notes=[],
    )


def _changes(
    before: Sequence[F], after: Sequence[F], change: Callable[[F | None, F | None], C]
) -> list[C]:
    """What differs, in the order of ``after``; what is gone comes last."""
    old = {found.key: found for found in before}
    new = {found.key: found for found in after}
    return [
        change(old.get(key), new.get(key))
        for key in dict.fromkeys((*new, *old))
        if old.get(key) != new.get(key)
    ]
