"""``plan``: reads a cluster or a report, tries a change on it, and prints what would follow.

Only the plan goes to standard output; notes and faults go to standard error, and in markdown the
notes are part of the plan. Exit codes: 0 done, 1 the change is refused or there is no cluster, 2
bad input, 3 a pod would be evicted.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from elasticquota.structs import Struct, field
from elasticquota_cli.arguments import config
from elasticquota_cli.failures import failure
from elasticquota_cli.live import listing
from elasticquota_cli.plan import assessment, live, published, report, show_markdown, show_text
from elasticquota_cli.plan.live import Closed
from elasticquota_cli.printers import output
from elasticquota_cli.printers.output import Form
from elasticquota_cli.simulate import documents, trial
from elasticquota_cli.simulate.objects import Objects
from elasticquota_config.model import Configuration
from elasticquota_kube.client.credentials.login import Login


_REFUSED: Final = 1
_EVICTS: Final = 3


class PlanOptions(Struct, frozen=True):
    """The command line's request."""

    files: Sequence[str]
    report: Sequence[str] = ()
    """Files with the state of the cluster; none: the cluster itself is read."""
    output: Form = "text"
    login: Login = field(default_factory=Login)
    config: Path | None = None


def run(request: PlanOptions) -> int:
    """Run the verb; returns the exit code, raises `Failure`."""
    plan = _plan(request)
    failure.note(plan.notes)
    shown = show_markdown.show if request.output == "markdown" else show_text.show
    output.write(plan, request.output, lambda: shown(plan))
    if plan.refused:
        return _REFUSED
    return _EVICTS if plan.evictions else 0


def _plan(request: PlanOptions) -> report.Plan:
    documents.check_input([*request.report, *request.files])
    chosen = config.chosen(request.config)
    cluster = None if request.report else listing.Cluster(request.login)
    required = request.login.namespace
    usual = required if cluster is None else cluster.namespace

    def change_by(configuration: Configuration | None) -> Objects:
        return trial.read(request.files, configuration, usual, required)

    # A fault in the change is found before a cluster is read.
    change = change_by(chosen)
    if cluster is None:
        base = trial.read(request.report, chosen)
    else:
        objects = live.read(cluster, chosen)
        if isinstance(objects, Closed):
            return published.of(cluster, objects, change)
        base = objects
    if chosen is None and base.configuration is not None:
        # How pod groups and jobs are read depends on the configuration.
        change = change_by(base.configuration)
    return assessment.of(trial.of(base, request.config), change)
