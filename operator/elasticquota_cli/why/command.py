"""``why``: reads a namespace or files, and prints why a pod or a workload waits, or of a quota
what it may use and which pods wait in it.

In a cluster the rights of a tenant are enough: it lists the pods and the quotas of one namespace,
and quotas of others as far as the user may. Only the answer goes to standard output. Exit codes: 0
done, 1 there is no such pod or workload, or no cluster, 2 bad input.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from elasticquota.model.key import Key
from elasticquota.structs import Struct, field, replace
from elasticquota_cli import failure, listing
from elasticquota_cli.arguments import resource
from elasticquota_cli.explain import show as facts
from elasticquota_cli.explain import tenant_view
from elasticquota_cli.failure import BAD_INPUT, Failure
from elasticquota_cli.printers import output
from elasticquota_cli.printers.output import Form
from elasticquota_cli.why import answer, namespace_pods, report, show
from elasticquota_cli.why.namespace_pods import NamespacePods
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.client.paths import PODS


KINDS: Final = ("pod", *resource.OWNERS, "job", "quota")


class Request(Struct, frozen=True):
    """The command line's request."""

    words: Sequence[str]
    """The object: NAME of a pod or workload, or as ``arguments.resource`` reads it."""
    files: Sequence[str] = ()
    output: Form = "text"
    login: Login = field(default_factory=Login)
    config: Path | None = None


def run(request: Request) -> int:
    """Run the verb; returns the exit code, raises `Failure`."""
    kind, key = _asked(request)
    if kind == "quota":
        _explain_quota(request)
        return 0
    seen, key = _namespace_pods(request, kind, key)
    found = _queued(request, seen, kind, key) or answer.of(seen, kind, key)
    failure.note(found.notes)
    first = [output.name_of(PODS, found.first.name)] if found.first else []
    output.write(found, request.output, lambda: _show(found, request.output), first)
    return 0


def _show(found: report.Why, form: Form) -> None:
    show.show(found)
    if form == "wide":
        facts.sums(found.path, found.evictions, None)


def _explain_quota(request: Request) -> None:
    from elasticquota_cli.explain import command  # noqa: PLC0415 - loaded for questions about quotas

    form: Form = "table" if request.output == "text" else request.output
    command.run(command.Request(request.words, request.files, form, request.login, request.config))


def _queued(request: Request, seen: NamespacePods, kind: str, key: Key) -> report.Why | None:
    """The answer about a job that is queued as a whole and has no pod; None: it is not one."""
    if request.files or kind == "pod" or answer.knows(seen, kind, key):
        return None
    from elasticquota_cli.why import queued  # noqa: PLC0415 - few questions are about one

    return queued.of(listing.Cluster(request.login), kind, key)


def _namespace_pods(request: Request, kind: str, key: Key) -> tuple[NamespacePods, Key]:
    if request.files:
        from elasticquota_cli.why import decided  # noqa: PLC0415 - loads the engine

        return decided.of(request.files, request.config, key)
    cluster = listing.Cluster(request.login)
    key = Key(key.namespace or cluster.namespace, key.name)
    view = tenant_view.read(cluster, key.namespace)
    sums = request.output == "wide"
    seen = namespace_pods.of_cluster(view, key.namespace, sums=sums)
    if kind != "pod" and not answer.knows(seen, kind, key):
        seen = _with_owners(cluster, seen, key.namespace)
    return seen, key


def _with_owners(cluster: listing.Cluster, seen: NamespacePods, namespace: str) -> NamespacePods:
    """The pods with the owners above those that the pods name."""
    from elasticquota_cli.why import owners  # noqa: PLC0415 - loads all kinds of jobs

    of = owners.above(
        cluster, namespace, (each.controller for each in seen.pods if each.controller)
    )
    pods = [
        each._replace(above=of[each.controller]) if each.controller else each for each in seen.pods
    ]
    return replace(seen, pods=pods)


def _asked(request: Request) -> tuple[str, Key]:
    """The kind, in small letters, or empty; and the key, maybe without a namespace."""
    words, namespace = list(request.words), request.login.namespace
    other = _other_kind(words)
    if other:
        return other, Key(*resource.read(words, (other,), namespace, known=other)[1:])
    if len(words) == 1 and words[0].count("/") < 2 and not _names_a_kind(words[0]):
        own, _, name = words[0].rpartition("/")
        if not name:
            raise Failure(f"'{words[0]}': must be NAME or NAMESPACE/NAME", BAD_INPUT)
        return "", Key(own or namespace, name)
    named = resource.read(words, KINDS, namespace)
    return named.kind, Key(named.namespace, named.name)


def _other_kind(words: Sequence[str]) -> str:
    """The kind that the words begin with, if it is one that the table of owners adds to `KINDS`."""
    written = words[0].partition("/")[0].lower().partition(".")[0]
    has_name = "/" in words[0] or len(words) > 1
    if not has_name or resource.kind_of(written) in KINDS:
        return ""
    from elasticquota_cli.why import owners  # noqa: PLC0415 - loads all kinds of jobs

    known = owners.names()
    return known.get(written) or known.get(resource.kind_of(written), "")


def _names_a_kind(word: str) -> bool:
    kind, slash, _ = word.partition("/")
    return bool(slash) and any(kind in (each, *resource.ALIASES[each]) for each in KINDS)
