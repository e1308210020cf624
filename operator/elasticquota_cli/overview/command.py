"""``pending``, ``top`` and ``history``: read, make the lines, and print them as kubectl would.

Only the lines go to standard output, notes to standard error. Exit codes: 0 done, 1 the user may
not read quotas, or there is no cluster, 2 bad input.
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from elasticquota.structs import Struct, field
from elasticquota_cli.failures import failure
from elasticquota_cli.overview import history, overview, pending, report, show, top
from elasticquota_cli.overview.overview import Overview, OverviewScope
from elasticquota_cli.printers import output, watch
from elasticquota_cli.printers.output import Form
from elasticquota_kube.client.credentials.login import Login


class OverviewOptions(Struct, frozen=True):
    """The command line's request."""

    output: Form = "table"
    all_namespaces: bool = False
    files: Sequence[str] = ()
    no_headers: bool = False
    watch: bool = False
    login: Login = field(default_factory=Login)


def run(
    verb: Literal["pending", "top", "history"], request: OverviewOptions, quota: str = ""
) -> int:
    """Run the verb; ``quota`` restricts a history. Returns the exit code, raises `Failure`."""
    once = partial(_show, verb, request, quota)
    return watch.repeat(once) if request.watch else once()


def _show(verb: str, request: OverviewOptions, quota: str) -> int:
    seen = overview.read(
        OverviewScope(
            request.login, request.all_namespaces, request.files, with_pods=verb == "pending"
        )
    )
    answer = _made(verb, seen, quota)
    failure.note(answer.notes)
    how = show.Columns(
        request.output == "wide", request.all_namespaces, headers=not request.no_headers
    )
    output.write(
        answer,
        request.output,
        lambda: show.tables(answer, seen.namespace, how),
        map(output.quota, show.quotas(answer)),
    )
    return 0


def _made(verb: str, seen: Overview, quota: str) -> report.Report:
    match verb:
        case "pending":
            return pending.of(seen)
        case "top":
            return top.of(seen)
        case _:
            return history.of(seen, quota)
