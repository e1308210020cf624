"""``explain``: reads a cluster or files, decides as the controller does, and prints one object.

Only results go to standard output. Notes go to standard error, and in JSON into the report as well.
Exit codes: 0 done, 1 there is no such object or no cluster, 2 bad input.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from elasticquota.model.key import Key
from elasticquota_cli import config, failure, listing
from elasticquota_cli.arguments import resource
from elasticquota_cli.explain import (
    files,
    job,
    live,
    message_text,
    moment,
    pod,
    published,
    quota,
    report,
    show,
)
from elasticquota_cli.explain.moment import Inputs
from elasticquota_cli.explain.tenant_view import TenantView
from elasticquota_cli.failure import BAD_INPUT, Failure
from elasticquota_cli.printers import output
from elasticquota_cli.printers.output import Form
from elasticquota_kube.client import paths
from elasticquota_kube.client.login import Login


_KINDS: Final = ("pod", "job", "quota")


class _Asked(NamedTuple):
    what: str
    kind: str
    """The kind of a job, if it was given."""
    key: Key

    def within(self, namespace: str) -> "_Asked":
        """The same in the namespace, if none was given; names of quotas need none."""
        if self.key.namespace or self.what == "quota":
            return self
        return self._replace(key=Key(namespace, self.key.name))


@dataclass(frozen=True, slots=True)
class Request:
    """The command line's request."""

    words: Sequence[str]
    """The object, as ``arguments.resource`` reads it."""
    files: Sequence[str] = ()
    output: Form = "table"
    login: Login = field(default_factory=Login)
    config: Path | None = None


def run(request: Request) -> None:
    """Run the verb; raises `Failure`."""
    found = _explanation(request)
    failure.note(found.notes)
    output.write(found, request.output, lambda: _show(found, request.output), [_name(found)])


def _show(found: report.Report, form: Form) -> None:
    most = None if form == "wide" else show.MOST
    if isinstance(found, report.PodExplanation):
        show.pod(found, most)
    else:
        show.quota(found, most)


def _name(found: report.Report) -> str:
    if isinstance(found, report.QuotaExplanation):
        return output.quota(found.name)
    if found.job:
        kind, _, rest = found.job.partition(" ")
        return f"{kind.lower()}/{rest.rpartition('/')[2]}"
    return output.name_of(paths.PODS, found.name)


def _explanation(request: Request) -> report.Report:
    asked = _asked(request)
    chosen = config.chosen(request.config)
    inputs: Inputs | TenantView
    if request.files:
        asked = asked.within(files.NAMESPACE)
        inputs = files.read(request.files, chosen)
    else:
        cluster = listing.Cluster(request.login)
        asked = asked.within(cluster.namespace)
        # Of a quota without one it is where a user looks who may not look everywhere.
        inputs = live.read(cluster, asked.key.namespace or cluster.namespace, chosen)
    if isinstance(inputs, TenantView):
        return _published(inputs, asked)
    if asked.what == "quota":
        return quota.explain(inputs, moment.of(inputs), asked.key)
    key = job.find(inputs.ledger, asked.kind, asked.key) if asked.what == "job" else asked.key
    return pod.explain(inputs, moment.of(inputs), key)


def _published(view: TenantView, asked: _Asked) -> report.Report:
    if asked.what == "job":
        raise Failure(job.unseen(asked.key, view.closed))
    if asked.what == "quota":
        return published.quota(view, asked.key)
    found = published.pod(view, asked.key)
    found.message = message_text.without_pointer(found.message)
    return found


def _asked(request: Request) -> _Asked:
    words, kind = list(request.words), ""
    if len(words) == 2 and words[1].count("/") == 2:  # one of two jobs, by its kind
        kind, _, words[1] = words[1].partition("/")
    named = resource.read(words, _KINDS, request.login.namespace)
    if kind and named.kind != "job":
        raise Failure(f"'{request.words[1]}': must be NAME or NAMESPACE/NAME", BAD_INPUT)
    return _Asked(named.kind, kind, Key(named.namespace, named.name))
