"""Parts of an explanation on a terminal: facts one below the other, and titled tables."""

from collections.abc import Sequence
from typing import Final

from elasticquota import names
from elasticquota_cli import amount, table
from elasticquota_cli.explain import report


_MOST: Final = 20
"""Rows that a person looks at; programs get all of them."""


def facts(rows: Sequence[tuple[str, str]]) -> None:
    """Names and what they are; a fact without a text is left out, and so is a repeated name."""
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        if text:
            print(f"{name.ljust(width)}   {text}")


def section(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table with its title, cut where it gets too long; nothing at all without rows."""
    if not rows:
        return
    print(f"\n{title}")
    table.show(head, [table.Line(tuple(row)) for row in rows[:_MOST]])
    if len(rows) > _MOST:
        print(f"({len(rows) - _MOST} more)")


def evictions(title: str, found: Sequence[report.Eviction]) -> None:
    rows = [(gone.namespace, gone.name, asked(gone.request), gone.message) for gone in found]
    section(f"{title} ({len(rows)})", ("NAMESPACE", "POD", "HOLDS", "WHY"), rows)


def asked(request: report.Amounts) -> str:
    """``cpu 2, memory 4Gi``; that a pod is one pod, and a job one job, goes without saying."""
    unsaid = {names.MAX_JOBS} if names.MAX_JOBS in request else {names.PODS}
    keys = amount.ordered(request.keys() - unsaid)
    return ", ".join(f"{key} {amount.short(key, request[key])}" for key in keys) or "nothing"


def verdict(found: report.Verdict | None) -> str:
    if found is None:
        return ""
    return "accepted" if found.accepted else f"not accepted: {found.reason}: {found.message}"
