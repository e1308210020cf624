"""``explain``: reads a cluster or files, decides as the controller does, and prints one object.

Only results go to standard output. Notes go to standard error, and in JSON into the report as well.
Exit codes: 0 done, 1 there is no such object or no cluster, 2 bad input.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from elasticquota.model.key import Key
from elasticquota.structs import Struct, field
from elasticquota_cli import failure, listing
from elasticquota_cli.arguments import resource
from elasticquota_cli.explain import lists, message_text, published, readable, report, show
from elasticquota_cli.explain.parts.asked import Asked, Explain
from elasticquota_cli.explain.tenant_view import TenantView
from elasticquota_cli.failure import BAD_INPUT, Failure
from elasticquota_cli.printers import output
from elasticquota_cli.printers.output import Form
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.login import Login


if TYPE_CHECKING:
    from elasticquota_config.model import Configuration

_KINDS: Final = ("pod", "job", "quota")


class Request(Struct, frozen=True):
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
    asked, chosen = _asked(request), _chosen(request.config)
    if request.files:
        from elasticquota_cli.explain import computed  # noqa: PLC0415 - loads the engine

        return computed.of_files(request.files, asked, chosen)()
    cluster = listing.Cluster(request.login)
    asked = asked.within(cluster.namespace)
    # Of a quota without one it is where a user looks who may not look everywhere.
    namespace = asked.key.namespace or cluster.namespace
    return lists.run(cluster, lambda api: _of_cluster(api, namespace, asked, chosen))()


def _chosen(file: Path | None) -> "Configuration | None":
    if file is None:
        return None
    from elasticquota_cli import config  # noqa: PLC0415 - loads the configuration

    return config.chosen(file)


async def _of_cluster(
    api: Api, namespace: str, asked: Asked, chosen: "Configuration | None"
) -> Explain:
    found = await readable.of(api, namespace)
    if isinstance(found, TenantView):
        return lambda: _published(found, asked)
    from elasticquota_cli.explain import computed  # noqa: PLC0415 - loads the engine

    return await computed.of_cluster(api, found, asked, chosen)


def _published(view: TenantView, asked: Asked) -> report.Report:
    if asked.what == "job":
        raise published.unseen_job(view, asked.key)
    if asked.what == "quota":
        return published.quota(view, asked.key)
    found = published.pod(view, asked.key)
    found.message = message_text.without_pointer(found.message)
    return found


def _asked(request: Request) -> Asked:
    words, kind = list(request.words), ""
    if len(words) == 2 and words[1].count("/") == 2:  # one of two jobs, by its kind
        kind, _, words[1] = words[1].partition("/")
    named = resource.read(words, _KINDS, request.login.namespace)
    if kind and named.kind != "job":
        raise Failure(f"'{request.words[1]}': must be NAME or NAMESPACE/NAME", BAD_INPUT)
    return Asked(named.kind, kind, Key(named.namespace, named.name))
