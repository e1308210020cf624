"""``why`` and its alias ``explain``: read what counts, and print the one answer about an object.

Only the answer goes to standard output. Notes go to standard error, and in JSON into the answer as
well. Exit codes: 0 done, 1 there is no such object, or no cluster, 2 bad input.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from elasticquota.structs import Struct, field
from elasticquota_cli.failures import failure
from elasticquota_cli.live import listing, readable, tenant_view
from elasticquota_cli.live.tenant_view import TenantView
from elasticquota_cli.printers import output
from elasticquota_cli.printers.output import Form
from elasticquota_cli.why import answer, show, subject
from elasticquota_cli.why.parts.known import Known
from elasticquota_cli.why.published import known as published
from elasticquota_cli.why.published import statuses
from elasticquota_cli.why.subject import AskedObject
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.login import Login


_PUBLISHED: Final[tuple[Form, ...]] = ("text", "name")
"""Forms for which what the controller has published is enough, so that they are fast."""
_NAMESPACE: Final = "default"
"""The namespace of objects in files that state none."""


class WhyOptions(Struct, frozen=True):
    """What the command line asks for."""

    words: Sequence[str]
    """The object, as ``subject`` reads it."""
    files: Sequence[str] = ()
    output: Form = "text"
    login: Login = field(default_factory=Login)
    config: Path | None = None


def run(options: WhyOptions) -> int:
    """Run the verb; returns the exit code, raises `Failure`."""
    asked = subject.of(options.words, options.login.namespace)
    if options.files:
        from elasticquota_cli.why.computed import known  # noqa: PLC0415 - loads the engine

        asked = asked.within(_NAMESPACE)
        seen = known.of_files(options.files, options.config, asked.key.namespace)
    else:
        cluster = listing.Cluster(options.login)
        asked = asked.within(cluster.namespace)
        # Of a quota without one it is where a user looks who may not look everywhere.
        namespace = asked.key.namespace or cluster.namespace
        seen = cluster.read(lambda api: _of_cluster(api, asked, namespace, options))
    explanation = answer.of(seen, asked)
    failure.note(explanation.notes)
    wide = options.output == "wide"
    output.write(
        explanation,
        options.output,
        lambda: show.show(explanation, wide=wide),
        show.names(explanation),
    )
    return 0


async def _of_cluster(api: Api, asked: AskedObject, namespace: str, options: WhyOptions) -> Known:
    """What is computed if all may be read and is wanted, or else what is published."""
    whole = asked.kind == "quota" or options.output not in _PUBLISHED
    read = await (readable.of(api, namespace) if whole else tenant_view.read(api, namespace))
    if not isinstance(read, TenantView):
        from elasticquota_cli.why.computed import known  # noqa: PLC0415 - loads the engine

        return await _completed(
            api, await known.of_cluster(api, read, options.config, namespace), asked
        )
    if asked.kind != "quota":
        statuses.readable(read, namespace)
    return await _completed(api, published.of(read, sums=whole), asked)


async def _completed(api: Api, found: Known, asked: AskedObject) -> Known:
    """With what else may be meant: the owners above those that the pods name, and then jobs."""
    if asked.kind in ("quota", "pod") or found.knows(*asked):
        return found
    from elasticquota_cli.why import owners  # noqa: PLC0415 - loads all kinds of jobs

    found = await owners.added(api, found, asked.key.namespace)
    if found.knows(*asked):
        return found
    return await published.with_units(api, found, asked.key.namespace)
