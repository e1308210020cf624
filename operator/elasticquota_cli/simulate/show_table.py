"""Prints tables: the trees with their figures, then pods that wait, evictions, and refusals.

There is one line for each quota and resource. Figures are rounded, ``-`` is no limit. A difference
shows only lines with a change, and a figure that changes as ``before -> after``.
"""

from collections.abc import Iterator, Sequence

from elasticquota import names
from elasticquota.model.decision import Wait
from elasticquota.resources import Resources
from elasticquota.wire.codec import figures
from elasticquota_cli import amount, table
from elasticquota_cli.simulate.apply import Refusal
from elasticquota_cli.simulate.difference import Change, Difference
from elasticquota_cli.simulate.outcome import Outcome, ProfileFigures, QuotaFigures
from elasticquota_cli.simulate.settle import Reclaim


_FIGURES = ("MIN", "MAX", "REQUEST", "USED", "RUNTIME", "BORROWED", "LENT")
_HEAD = ("QUOTA", "NAMESPACE", "RESOURCE", *_FIGURES, "RUNNING", "WAITING", "VERDICT")
_ARROW = " -> "
_NO_ROW = ("",) * (1 + len(_FIGURES))


def show_outcome(found: Outcome) -> None:
    """Print the settled state."""
    lines = [line for quota, lead in _led(found.quotas) for line in _quota_lines(quota, lead)]
    if lines:
        table.show(_HEAD, lines)
    else:
        print("No ElasticQuota found.")
    _not_good(found.quotas, found.profiles)
    _section("WAITING", ("NAMESPACE", "POD", "WHY"), [_wait(wait) for wait in found.waiting])
    _tail(found.reclaims, found.refusals)


def show_difference(found: Difference) -> None:
    """Print what a change makes different."""
    lines = [line for change in found.quotas for line in _change_lines(change)]
    if lines:
        table.show(_HEAD, lines)
    else:
        print("No figure of a quota changes.")
    _not_good(
        [change.after for change in found.quotas if change.after is not None],
        [change.after for change in found.profiles if change.after is not None],
    )
    starts = [_wait(wait) for wait in found.starts_waiting]
    _section("STARTS TO WAIT", ("NAMESPACE", "POD", "WHY"), starts)
    _section(
        "WAITS NO LONGER",
        ("NAMESPACE", "POD", "QUOTA", "NOW"),
        [
            (*stopped.wait.pod, stopped.wait.quota, "runs" if stopped.runs else "gone")
            for stopped in found.stops_waiting
        ],
    )
    _tail(found.reclaims, found.refusals)


def _tail(reclaims: Sequence[Reclaim], refusals: Sequence[Refusal]) -> None:
    _section(
        "RECLAIMED",
        ("NAMESPACE", "POD", "AFTER", "THEN", "WHY"),
        [
            (
                *reclaim.eviction.pod,
                f"{reclaim.after / 1000:g}s",
                "re-created" if reclaim.returns else "gone",
                reclaim.eviction.message,
            )
            for reclaim in reclaims
        ],
    )
    _section("REFUSED", ("SOURCE", "WHY"), [(found.where, found.message) for found in refusals])


def _not_good(quotas: Sequence[QuotaFigures], profiles: Sequence[ProfileFigures]) -> None:
    rows = [(*quota.key, quota.message) for quota in quotas if not quota.good]
    _section("NOT ACCEPTED", ("NAMESPACE", "QUOTA", "WHY"), rows)
    rows = [(*profile.key, profile.message) for profile in profiles if not profile.good]
    _section("NOT READY", ("NAMESPACE", "PROFILE", "WHY"), rows)


def _section(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    table.section(f"{title} ({len(rows)})", head, rows)


def _wait(wait: Wait) -> tuple[str, str, str]:
    return (*wait.pod, wait.message)


def _led(quotas: Sequence[QuotaFigures]) -> Iterator[tuple[QuotaFigures, str]]:
    """Quotas in the order of their trees, with the branches drawn before their names."""
    last: dict[tuple[str, str], str] = {}
    for quota in quotas:
        last[quota.tree, quota.parent] = quota.key.name
    below: dict[str, str] = {}
    known = {quota.key.name for quota in quotas if quota.tree}
    for quota in quotas:
        name = quota.key.name
        if not quota.tree or quota.parent not in known:
            lead, below[name] = "", ""
        elif last[quota.tree, quota.parent] == name:
            lead, below[name] = below[quota.parent] + table.END, below[quota.parent] + "   "
        else:
            lead, below[name] = below[quota.parent] + table.FORK, below[quota.parent] + table.TRUNK
        yield quota, lead


def _quota_lines(quota: QuotaFigures, lead: str) -> Iterator[table.Line]:
    mood: table.Mood = "bad" if not quota.good else "waiting" if quota.waiting else "plain"
    name = (f"{lead}{quota.key.name}", quota.key.namespace)
    rows = [(resource, *_cells(quota, resource)) for resource in _resources(quota)]
    yield from _block(name, rows, _counts(quota), mood)


def _change_lines(change: Change[QuotaFigures]) -> Iterator[table.Line]:
    """The lines that differ; a new or deleted quota has all of its lines, and a sign."""
    sides = [found for found in (change.before, change.after) if found is not None]
    sign = "" if len(sides) == 2 else "+ " if change.after else "- "
    rows = []
    for resource in dict.fromkeys(key for found in sides for key in _resources(found)):
        cells = _together([_cells(found, resource) for found in sides])
        if sign or any(_ARROW in cell for cell in cells):
            rows.append((resource, *cells))
    key = sides[0].key
    counts = _together([_counts(found) for found in sides])
    yield from _block((f"{sign}{key.name}", key.namespace), rows or [_NO_ROW], counts, "plain")


def _block(
    name: tuple[str, str],
    rows: Sequence[tuple[str, ...]],
    counts: tuple[str, ...],
    mood: table.Mood,
) -> Iterator[table.Line]:
    """The lines of one quota; the first has its name, pods and verdict."""
    yield table.Line((*name, *rows[0], *counts), mood)
    for row in rows[1:]:
        yield table.Line(("", "", *row, "", "", ""), mood)


def _cells(quota: QuotaFigures, resource: str) -> tuple[str, ...]:
    """The figures of one resource, in the order of ``_FIGURES``; an unnamed limit is ``-``."""
    if not resource:
        return ("",) * len(_FIGURES)

    def figure(amounts: Resources) -> str:
        return figures.one(resource, amounts.get(resource, 0))

    return (
        figure(quota.min),
        figure(quota.max) if resource in quota.max else "-",
        figure(quota.request),
        figure(quota.used),
        figure(quota.runtime) if resource in quota.runtime else "-",
        figure(quota.borrowed),
        figure(quota.lent),
    )


def _counts(quota: QuotaFigures) -> tuple[str, str, str]:
    return str(quota.running), str(quota.waiting), quota.verdict


def _together(sides: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """One text if both sides are equal, else both."""
    return tuple(_ARROW.join(dict.fromkeys(values)) for values in zip(*sides, strict=True))


def _resources(quota: QuotaFigures) -> list[str]:
    """The resources that the quota names; cpu and memory come first."""
    named = quota.min.keys() | quota.max.keys() or quota.runtime.keys() - {names.PODS}
    return amount.ordered(named) or [""]
