"""``simulate``: reads the files, runs cycles until nothing changes, applies the change, prints.

Only results go to standard output; notes and faults go to standard error. Exit codes: 0 done, 1
with ``--strict`` when something is refused, waits, is evicted or does not settle (with
``--what-if``: because of the change), 2 bad input.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from elasticquota.structs import Struct
from elasticquota_cli.arguments import config
from elasticquota_cli.failures import failure
from elasticquota_cli.printers import output
from elasticquota_cli.printers.output import Form
from elasticquota_cli.simulate import (
    apply,
    difference,
    documents,
    outcome,
    settle,
    show_table,
    trial,
)
from elasticquota_cli.simulate.report import Report


_NOT_SMOOTH: Final = 1


class SimulateOptions(Struct, frozen=True):
    """The command line's request."""

    files: Sequence[str]
    what_if: Sequence[str] = ()
    output: Form = "table"
    strict: bool = False
    config: Path | None = None


def run(request: SimulateOptions) -> int:
    """Run the verb; returns the exit code, raises `Failure`."""
    documents.check_input([*request.files, *request.what_if])
    chosen = config.chosen(request.config)
    base = trial.read(request.files, chosen)
    change = trial.read(request.what_if, chosen or base.configuration)
    tried = trial.of(base, request.config)
    report: Report = tried.outcome
    notes = tried.notes
    if request.what_if:
        applied = apply.change(tried.world, change)
        after = outcome.of(settle.settle(tried.world), applied.refused)
        report = difference.between(tried.outcome, after, tried.world.pods.keys())
        notes = [
            *notes,
            *applied.notes,
            *trial.warnings(applied),
            *trial.passed_over(change),
            *trial.skipped(change),
        ]
    report.notes = [*notes, *trial.unsettled(report)]
    failure.note(report.notes)
    wide = request.output == "wide"
    output.write(report, request.output, lambda: show_table.show(report, wide=wide))
    return _NOT_SMOOTH if request.strict and not report.is_smooth else 0
