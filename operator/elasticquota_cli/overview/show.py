"""Prints reports about many quotas as tables."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from elasticquota import names, quantity
from elasticquota_cli.overview import report
from elasticquota_cli.printers import amount, table


_PENDING: Final = (
    *("NAMESPACE", "QUOTA", "WAITING", "NEEDS", "OLDEST", "REASON", "EXPECTED"),
    *("HEAD", "MESSAGE"),
)
_HISTORY: Final = ("TIME", "FROM", "FOR", "WORKLOAD", "RIGHT", "PODS", "HELD", "SINCE")
_SPARED: Final = ("HELD", "OLDEST", "RIGHT", "NEEDS")
"""Columns that a narrow terminal has no room for, the first of them first; wide shows all."""


def quotas(answer: report.Report) -> Sequence[str]:
    """The names of the quotas that it is about."""
    if isinstance(answer, report.History):
        return [each.evicted_from for each in answer.items]
    return [each.quota for each in answer.items]


class Columns(NamedTuple):
    """What of a report is printed."""

    wide: bool = False
    """All that it says."""
    namespaces: bool = False
    headers: bool = True
    """The titles of the columns."""


def tables(answer: report.Report, namespace: str, how: Columns) -> None:
    """Print the report to standard output.

    ``namespace`` is the only one that was read, and empty for all: of others nothing is said.
    """
    where = f" in namespace {namespace} (-A for all)" if namespace else ""
    if isinstance(answer, report.PendingList):
        rows = [_pending(each, how) for each in answer.items]
        _table(_PENDING, rows, f"No pod waits for a quota{where}.", how)
    elif isinstance(answer, report.History):
        rows = [_cause(each, how) for each in answer.items]
        _table(_HISTORY, rows, f"No pod was evicted in the last 24 hours{where}.", how)
    else:
        _top(answer, how)


def _table(
    head: Sequence[str], rows: Sequence[tuple[str, ...]], nothing: str, how: Columns
) -> None:
    if rows:
        spared = () if how.wide else [title for title in _SPARED if title in head]
        lines = [table.Line(row) for row in rows]
        table.show(head, lines, headers=how.headers, spared=spared)
    else:
        print(nothing)


def _pending(each: report.Pending, how: Columns) -> tuple[str, ...]:
    return (
        each.namespace if how.namespaces else "",
        each.quota or "(none that you may read)",
        str(each.waiting),
        _listed(each.needs),
        amount.ago(each.oldest),
        each.reason,
        each.expected,
        each.head if how.wide else "",
        each.message if how.wide else "",
    )


def _cause(each: report.EvictionCause, how: Columns) -> tuple[str, ...]:
    return (
        each.time,
        each.evicted_from,
        each.reclaimed_for or "(a limit)",
        each.workload,
        each.right,
        str(each.pods),
        _listed(each.amounts),
        each.since if how.wide else "",
    )


def _top(top: report.Top, how: Columns) -> None:
    def rows(side: str) -> list[tuple[str, ...]]:
        kept = [(each, getattr(each, side)) for each in top.items if getattr(each, side)]
        # The largest first, by the first resource that people look at.
        return [
            (each.namespace if how.namespaces or how.wide else "", each.quota, _shown(value))
            for each, value in sorted(kept, key=lambda pair: _size(pair[1]), reverse=True)
        ]

    head = ("NAMESPACE", "QUOTA")
    sections: list[tuple[str, Sequence[str], list[tuple[str, ...]]]] = [
        ("BORROWERS", (*head, "ABOVE MIN"), rows("borrowed")),
        ("LENDERS", (*head, "UNUSED MIN"), rows("lent")),
        ("VICTIMS", (*head, "EVICTED"), rows("evicted")),
        ("GAINERS", (*head, "RECLAIMED"), rows("reclaimed")),
    ]
    hours: list[tuple[str, ...]] = [
        (each.hour, str(each.evicted), _counts(each.victims), _counts(each.gainers))
        for each in top.hours
    ]
    sections.append(("BY HOUR", ("HOUR", "EVICTED", "FROM", "FOR"), hours))
    if not any(lines for _, _, lines in sections):
        print("No quota borrows or lends, and no pod was evicted in the last 24 hours.")
    for title, titles, lines in sections:
        table.section(title, titles, lines, headers=how.headers)


def _size(value: report.Amounts | int) -> tuple[int, ...]:
    if isinstance(value, int):
        return (value,)
    return tuple(quantity.amount(key, value[key]) for key in amount.ordered(value))


def _shown(value: report.Amounts | int) -> str:
    return _listed(value) if isinstance(value, dict) else str(value)


def _listed(amounts: report.Amounts) -> str:
    return amount.written(amounts, (names.PODS,))


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
