"""``explain``: reads a cluster or files, decides as the controller does, and prints one object.

Only results go to standard output. Notes go to standard error, and in JSON into the report as well.
Exit codes: 0 done, 1 there is no such object or no cluster, 2 bad input.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple

from elasticquota.model.key import Key
from elasticquota_cli import config, failure, json_text
from elasticquota_cli.explain import (
    files,
    job,
    live,
    moment,
    pod,
    published,
    quota,
    report,
    show,
)
from elasticquota_cli.explain.live import Glimpse
from elasticquota_cli.failure import BAD_INPUT, Failure
from elasticquota_config.model import Configuration
from elasticquota_kube.client.login import Login


_WANTED: Final = {
    "pod": "NAMESPACE/NAME",
    "job": "NAMESPACE/NAME or KIND/NAMESPACE/NAME",
    "quota": "NAME or NAMESPACE/NAME",
}


class _Asked(NamedTuple):
    kind: str
    """The kind of a job, if it was given."""
    key: Key


@dataclass(frozen=True, slots=True)
class Request:
    """The command line's request."""

    what: Literal["pod", "job", "quota"]
    name: str
    files: Sequence[str] = ()
    output: Literal["table", "json"] = "table"
    login: Login = field(default_factory=Login)
    config: Path | None = None


def run(request: Request) -> None:
    """Run the verb; raises `Failure`."""
    found = _explanation(request)
    failure.note(found.notes)
    if request.output == "json":
        print(json_text.of(found))
    elif isinstance(found, report.PodExplanation):
        show.pod(found)
    else:
        show.quota(found)


def _explanation(request: Request) -> report.Report:
    asked = _asked(request)
    chosen = config.chosen(request.config)
    inputs = (
        files.read(request.files, chosen)
        if request.files
        else live.read(request.login, asked.key.namespace, chosen or Configuration())
    )
    if isinstance(inputs, Glimpse):
        return _published(request, inputs, asked)
    if request.what == "quota":
        return quota.explain(inputs, moment.of(inputs), asked.key)
    key = job.find(inputs.ledger, asked.kind, asked.key) if request.what == "job" else asked.key
    return pod.explain(inputs, moment.of(inputs), key)


def _published(request: Request, glimpse: Glimpse, asked: _Asked) -> report.Report:
    if request.what == "job":
        raise Failure(job.unseen(asked.key, glimpse.closed))
    return (published.pod if request.what == "pod" else published.quota)(glimpse, asked.key)


def _asked(request: Request) -> _Asked:
    kind, _, rest = request.name.partition("/")
    if request.what != "job" or "/" not in rest:
        kind, rest = "", request.name
    namespace, _, name = rest.rpartition("/")
    if not name or "/" in namespace or (request.what != "quota" and not namespace):
        raise Failure(f"'{request.name}': must be {_WANTED[request.what]}", BAD_INPUT)
    return _Asked(kind, Key(namespace, name))
