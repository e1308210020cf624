"""``doctor``: reads a cluster or files, runs the rules, and prints what is wrong.

Findings go to standard output. What was not checked goes to standard error, and in JSON into the
report as well. Exit codes: 0 no finding of level error, 1 at least one, or no cluster, 2 bad input,
3 nothing could be checked.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from elasticquota.forest import wording
from elasticquota.structs import Struct, field
from elasticquota_cli.arguments import config
from elasticquota_cli.doctor import diagnosis, files, live
from elasticquota_cli.doctor.report import Level, Report
from elasticquota_cli.failures import failure
from elasticquota_cli.printers import output, table
from elasticquota_cli.printers.output import Form
from elasticquota_kube.client.credentials.login import Login


_ERRORS: Final = 1
_NOTHING: Final = 3
_STYLES: Final[dict[Level, table.Style]] = {
    "error": "bad",
    "warning": "waiting",
    "info": "plain",
}
_NOUNS: Final[dict[Level, str]] = {
    "error": "error",
    "warning": "warning",
    "info": "notice",
}


class DoctorOptions(Struct, frozen=True):
    """The command line's request."""

    namespace: str = ""
    files: Sequence[str] = ()
    operator: bool = False
    """Only the operator itself is checked."""
    output: Form = "text"
    login: Login = field(default_factory=Login)
    config: Path | None = None


def run(request: DoctorOptions) -> int:
    """Run the verb and return its exit code; raises `Failure`."""
    chosen = config.chosen(request.config)
    seen = (
        files.read(request.files, chosen)
        if request.files
        else live.read(request.login, request.namespace, chosen, operator=request.operator)
    )
    report = diagnosis.diagnose(seen, request.namespace, operator=request.operator)
    failure.note(report.notes)
    if seen.found.nothing:
        failure.note([_no_rights(request.namespace)])
    output.write(report, request.output, lambda: _show(report))
    if any(each.level == "error" for each in report.findings):
        return _ERRORS
    return _NOTHING if seen.found.nothing else 0


def _no_rights(namespace: str) -> str:
    where = f"in namespace {namespace}" if namespace else "in all namespaces; -n NAMESPACE asks one"
    return f"nothing was checked: you may read none of these kinds {where}"


def _show(report: Report) -> None:
    """Print a paragraph for each finding: the sentences are too long for the cells of a table."""
    for each in report.findings:
        table.line(f"{each.level.upper()}   {each.object}", _STYLES[each.level])
        table.line(f"   {each.message}")
        table.line(f"   -> {each.remedy}")
    numbers = Counter(each.level for each in report.findings)
    print(", ".join(wording.counted(numbers[level], noun) for level, noun in _NOUNS.items()))
