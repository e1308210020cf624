"""Prints parts of an explanation: facts one below the other, and tables with a title."""

from collections.abc import Sequence
from typing import Final

from elasticquota import names
from elasticquota_cli import amount, table
from elasticquota_cli.explain import report


_MOST: Final = 20
"""Most rows on a terminal; programs get all of them."""


def facts(rows: Sequence[tuple[str, str]]) -> None:
    """Print names with their texts; a fact without a text is left out."""
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        if text:
            print(f"{name.ljust(width)}   {text}")


def section(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table with its title, cut after ``_MOST`` rows; nothing without rows."""
    table.section(title, head, rows, _MOST)


def evictions(title: str, found: Sequence[report.Eviction]) -> None:
    """Print a table of evictions."""
    rows = [(gone.namespace, gone.name, asked(gone.request), gone.message) for gone in found]
    section(f"{title} ({len(rows)})", ("NAMESPACE", "POD", "HOLDS", "WHY"), rows)


def asked(request: report.Amounts) -> str:
    """A request as ``cpu 2, memory 4Gi``, without the count of the pod or job itself."""
    hidden = {names.MAX_JOBS} if names.MAX_JOBS in request else {names.PODS}
    keys = amount.ordered(request.keys() - hidden)
    return ", ".join(f"{key} {amount.short(key, request[key])}" for key in keys) or "nothing"


def verdict(found: report.Verdict | None) -> str:
    """The verdict in words; empty when there is none."""
    if found is None:
        return ""
    return "accepted" if found.accepted else f"not accepted: {found.reason}: {found.message}"
