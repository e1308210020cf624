"""Prints the answer on one screen."""

import time

from elasticquota.forecast import wording
from elasticquota.model import moments
from elasticquota_cli.explain import show as facts
from elasticquota_cli.printers import table
from elasticquota_cli.printers import wording as sentences
from elasticquota_cli.why import report


def show(found: report.Why) -> None:
    """Print the answer to standard output."""
    table.line(found.summary, "waiting" if found.waiting else "plain")
    if found.first is None:
        if found.reclaimable:
            facts.facts([("Reclaim", found.reclaimable)])
        return
    first = found.first
    place = f", position {first.place} of {first.length}" if first.place else ""
    print()
    facts.facts(
        [
            ("First", f"{first.name}{place}"),
            ("Waits", _ago(first.since)),
            ("Needs", facts.asked(first.request)),
            ("Why", first.message),
            ("To start", next(iter(first.starts), "")),
            (
                "Evicts",
                f"{sentences.counted(first.evicts, 'pod')}, if nothing changes"
                if first.evicts
                else "",
            ),
            ("Expected", _expected(found)),
        ]
    )
    print("\nYou can")
    for each in found.can_do:
        table.line(f"  - {each}")


def _ago(since: str) -> str:
    """How long ago a timestamp was; empty without one."""
    then = moments.read(since) if since else None
    return "" if then is None else wording.duration(max(0, int(time.time() * 1000) - then))


def _expected(found: report.Why) -> str:
    if not found.expected:
        return f"not known: {found.expected_because}" if found.expected_because else ""
    because = f"; {found.expected_because}" if found.expected_because else ""
    return f"{found.expected} from {found.expected_at} on{because}"
