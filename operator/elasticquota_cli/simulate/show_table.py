"""Prints tables: the trees with their figures, then pods that wait, evictions, and refusals.

There is one line for each quota and resource. Figures are rounded, ``-`` is no limit. A difference
shows only lines with a change, and a figure that changes as ``before -> after``.
"""

from collections.abc import Callable, Iterator, Sequence

from elasticquota import names
from elasticquota.model.decision import Wait
from elasticquota.resources import Resources
from elasticquota.wire.codec import figures
from elasticquota_cli import table
from elasticquota_cli.simulate.apply import Refusal
from elasticquota_cli.simulate.difference import Difference, QuotaChange
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
    _verdicts([quota for quota in found.quotas if not quota.accepted])
    _profiles([profile for profile in found.profiles if not profile.ready])
    _section("WAITING", ("NAMESPACE", "POD", "WHY"), [_wait(wait) for wait in found.waiting])
    _tail(found.reclaims, found.refusals)


def show_difference(found: Difference) -> None:
    """Print what a change makes different."""
    lines = [line for change in found.quotas for line in _change_lines(change)]
    if lines:
        table.show(_HEAD, lines)
    else:
        print("No figure of a quota changes.")
    _verdicts([c.after for c in found.quotas if c.after is not None and not c.after.accepted])
    _profiles([c.after for c in found.profiles if c.after is not None and not c.after.ready])
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


def _verdicts(refused: Sequence[QuotaFigures]) -> None:
    rows = [(quota.key.namespace, quota.key.name, quota.message) for quota in refused]
    _section("NOT ACCEPTED", ("NAMESPACE", "QUOTA", "WHY"), rows)


def _profiles(broken: Sequence[ProfileFigures]) -> None:
    rows = [(profile.key.namespace, profile.key.name, profile.message) for profile in broken]
    _section("NOT READY", ("NAMESPACE", "PROFILE", "WHY"), rows)


def _section(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    if rows:
        print(f"\n{title} ({len(rows)})")
        table.show(head, [table.Line(tuple(row)) for row in rows])


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
    mood: table.Mood = "bad" if not quota.accepted else "waiting" if quota.waiting else "plain"
    name = (f"{lead}{quota.key.name}", quota.key.namespace)
    rows = [(resource, *_cells(quota, resource)) for resource in _resources(quota)]
    yield from _block(name, rows, _counts(quota), mood)


def _change_lines(change: QuotaChange) -> Iterator[table.Line]:
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
    return tuple(figure(quota, resource) for figure in _COLUMNS)


def _counts(quota: QuotaFigures) -> tuple[str, str, str]:
    return str(quota.running), str(quota.waiting), quota.verdict


def _together(sides: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """One text if both sides are equal, else both."""
    return tuple(_ARROW.join(dict.fromkeys(values)) for values in zip(*sides, strict=True))


def _resources(quota: QuotaFigures) -> list[str]:
    """The resources that the quota names; cpu and memory come first."""
    named = quota.min.keys() | quota.max.keys() or quota.runtime.keys() - {names.PODS}
    first = [key for key in (names.CPU, names.MEMORY) if key in named]
    return [*first, *sorted(named - set(first))] or [""]


def _amount(amounts: Callable[[QuotaFigures], Resources]) -> Callable[[QuotaFigures, str], str]:
    def figure(quota: QuotaFigures, resource: str) -> str:
        return figures.one(resource, amounts(quota).get(resource, 0)) if resource else ""

    return figure


def _limit(amounts: Callable[[QuotaFigures], Resources]) -> Callable[[QuotaFigures, str], str]:
    """A resource that a limit does not name is unlimited."""

    def figure(quota: QuotaFigures, resource: str) -> str:
        found = amounts(quota).get(resource)
        if not resource:
            return ""
        return "-" if found is None else figures.one(resource, found)

    return figure


_COLUMNS: tuple[Callable[[QuotaFigures, str], str], ...] = (
    _amount(lambda quota: quota.min),
    _limit(lambda quota: quota.max),
    _amount(lambda quota: quota.request),
    _amount(lambda quota: quota.used),
    _limit(lambda quota: quota.runtime),
    _amount(lambda quota: quota.borrowed),
    _amount(lambda quota: quota.lent),
)
