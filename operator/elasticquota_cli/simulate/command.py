"""``simulate``: reads the files, runs cycles until nothing changes, applies the change, prints.

Only results go to standard output; notes and faults go to standard error. Exit codes: 0 done, 1
with ``--strict`` when something is refused, waits, is evicted or does not settle (with
``--what-if``: because of the change), 2 bad input.
"""

import gc
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from elasticquota_cli import json_text
from elasticquota_cli.simulate import (
    apply,
    difference,
    documents,
    outcome,
    settle,
    show_report,
    show_table,
    trial,
)
from elasticquota_cli.simulate.difference import Difference
from elasticquota_cli.simulate.outcome import Outcome


_NOT_SMOOTH: Final = 1

Format = Literal["table", "json", "yaml"]


@dataclass(frozen=True, slots=True)
class Request:
    """The command line's request."""

    files: Sequence[str]
    what_if: Sequence[str] = ()
    output: Format = "table"
    strict: bool = False
    config: Path | None = None


def run(request: Request) -> int:
    """Run the verb; returns the exit code, raises `Failure`."""
    # The search for reference cycles among a million values takes a third of the time for nothing.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _run(request)
    finally:
        if collecting:
            gc.enable()


def _run(request: Request) -> int:
    documents.check_standard_input([*request.files, *request.what_if])
    base, change = trial.read(request.files), trial.read(request.what_if)
    tried = trial.of(base, request.config)
    found: Outcome | Difference = tried.outcome
    notes = tried.notes
    if request.what_if:
        applied = apply.change(tried.world, change)
        after = outcome.of(settle.settle(tried.world), applied.refusals)
        found = difference.between(tried.outcome, after, tried.world.pods.keys())
        notes = [*notes, *applied.notes, *trial.skipped(change)]
    notes += trial.restless(found)
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    _show(found, notes, request.output)
    return _NOT_SMOOTH if request.strict and not found.is_smooth else 0


def _show(found: Outcome | Difference, notes: list[str], output: Format) -> None:
    if output == "table":
        if isinstance(found, Outcome):
            show_table.show_outcome(found)
        else:
            show_table.show_difference(found)
        return
    whole = (
        show_report.of_outcome(found, notes)
        if isinstance(found, Outcome)
        else show_report.of_difference(found, notes)
    )
    print(json_text.of(whole) if output == "json" else show_report.as_yaml(whole))
