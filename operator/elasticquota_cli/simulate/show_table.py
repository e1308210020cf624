"""Prints tables: the trees with their figures, then pods that wait, evictions, and refusals.

There is one line for each quota and resource. Figures are rounded, ``-`` is no limit. A difference
shows only lines with a change, and a figure that changes as ``before -> after``. On a narrow
terminal columns are left out, unless all are asked for.
"""

from collections.abc import Iterator, Sequence

from elasticquota import names, quantity
from elasticquota.wire.codec import figures
from elasticquota_cli.printers import amount, table
from elasticquota_cli.simulate import report


_FIGURES = ("MIN", "MAX", "REQUEST", "USED", "RUNTIME", "BORROWED", "LENT")
_HEAD = ("QUOTA", "NAMESPACE", "RESOURCE", *_FIGURES, "RUNNING", "WAITING", "VERDICT")
_SPARED = ("LENT", "BORROWED", "VERDICT", "NAMESPACE", "REQUEST", "RUNNING", "MAX")
"""What a narrow terminal has no room for, the first first; quotas not accepted have a table."""
_ARROW = " -> "
_NO_ROW = ("",) * (1 + len(_FIGURES))


def show(result: report.Report, *, wide: bool = False) -> None:
    """Print the settled state, or what a change makes different; ``wide``: in all columns."""
    if isinstance(result, report.Simulation):
        lines = [line for quota, lead in _led(result.quotas) for line in _quota_lines(quota, lead)]
        quotas, profiles, nothing = result.quotas, result.profiles, "No ElasticQuota found."
    else:
        lines = [line for change in result.quotas for line in _change_lines(change)]
        quotas = [change.after for change in result.quotas if change.after]
        profiles = [change.after for change in result.profiles if change.after]
        nothing = "No figure of a quota changes."
    if lines:
        table.show(_HEAD, lines, spared=() if wide else _SPARED)
    else:
        print(nothing)
    rows = [(*quota.key, quota.message) for quota in quotas if not quota.accepted]
    _section("NOT ACCEPTED", ("NAMESPACE", "QUOTA", "WHY"), rows)
    rows = [(*profile.key, profile.message) for profile in profiles if not profile.ready]
    _section("NOT READY", ("NAMESPACE", "PROFILE", "WHY"), rows)
    if isinstance(result, report.Simulation):
        _waiting("WAITING", result.waiting)
    else:
        _waiting("STARTS TO WAIT", result.starts_waiting)
        stops = [
            (*pod.key, pod.quota, "runs" if pod.runs else "gone") for pod in result.stops_waiting
        ]
        _section("WAITS NO LONGER", ("NAMESPACE", "POD", "QUOTA", "NOW"), stops)
    _section(
        "RECLAIMED",
        ("NAMESPACE", "POD", "AFTER", "THEN", "WHY"),
        [
            (
                *pod.key,
                f"{pod.after_milliseconds / 1000:g}s",
                "re-created" if pod.returns else "gone",
                pod.message,
            )
            for pod in result.reclaims
        ],
    )
    _section("REFUSED", ("SOURCE", "WHY"), [(each.source, each.message) for each in result.refused])


def _waiting(title: str, pods: Sequence[report.Waiting]) -> None:
    _section(title, ("NAMESPACE", "POD", "WHY"), [(*pod.key, pod.message) for pod in pods])


def _section(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    table.section(f"{title} ({len(rows)})", head, rows)


def _led(quotas: Sequence[report.Quota]) -> Iterator[tuple[report.Quota, str]]:
    """Quotas in the order of their trees, with the branches drawn before their names."""
    last: dict[tuple[str, str], str] = {}
    for quota in quotas:
        last[quota.tree, quota.parent] = quota.name
    below: dict[str, str] = {}
    known = {quota.name for quota in quotas if quota.tree}
    for quota in quotas:
        name = quota.name
        if not quota.tree or quota.parent not in known:
            lead, below[name] = "", ""
        elif last[quota.tree, quota.parent] == name:
            lead, below[name] = below[quota.parent] + table.END, below[quota.parent] + "   "
        else:
            lead, below[name] = below[quota.parent] + table.FORK, below[quota.parent] + table.TRUNK
        yield quota, lead


def _quota_lines(quota: report.Quota, lead: str) -> Iterator[table.Line]:
    style: table.Style = (
        "bad" if not quota.accepted else "waiting" if quota.pods.waiting else "plain"
    )
    name = (f"{lead}{quota.name}", quota.namespace)
    rows = [(resource, *_cells(quota, resource)) for resource in _resources(quota)]
    yield from _block(name, rows, _counts(quota), style)


def _change_lines(change: report.QuotaChange) -> Iterator[table.Line]:
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
    style: table.Style,
) -> Iterator[table.Line]:
    """The lines of one quota; the first has its name, pods and verdict."""
    yield table.Line((*name, *rows[0], *counts), style)
    for row in rows[1:]:
        yield table.Line(("", "", *row, "", "", ""), style)


def _cells(quota: report.Quota, resource: str) -> tuple[str, ...]:
    """The figures of one resource, in the order of ``_FIGURES``; an unnamed limit is ``-``."""
    if not resource:
        return ("",) * len(_FIGURES)

    def figure(amounts: report.Amounts, absent: str = "0") -> str:
        text = amounts.get(resource)
        return figures.one(resource, quantity.amount(resource, text)) if text else absent

    return (
        figure(quota.min),
        figure(quota.max, "-"),
        figure(quota.request),
        figure(quota.used),
        figure(quota.runtime, "-"),
        figure(quota.borrowed),
        figure(quota.lent),
    )


def _counts(quota: report.Quota) -> tuple[str, str, str]:
    return str(quota.pods.running), str(quota.pods.waiting), quota.reason


def _together(sides: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """One text if both sides are equal, else both."""
    return tuple(_ARROW.join(dict.fromkeys(values)) for values in zip(*sides, strict=True))


def _resources(quota: report.Quota) -> list[str]:
    """The resources that the quota names; cpu and memory come first."""
    named = quota.min.keys() | quota.max.keys() or quota.runtime.keys() - {names.PODS}
    return amount.ordered(named) or [""]
