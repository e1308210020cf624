"""The verbs that write: what each changes, as one edit of one object."""

from collections.abc import Callable, Sequence

from elasticquota import names
from elasticquota.structs import Struct, field
from elasticquota_cli.arguments import resource
from elasticquota_cli.edit import edit, find
from elasticquota_cli.edit.edit import Consent, Edit
from elasticquota_cli.live.listing import Cluster
from elasticquota_cli.printers.output import Form
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Document
from elasticquota_kube.client.credentials.login import Login


class EditOptions(Struct, frozen=True):
    """What all writing verbs are given."""

    words: Sequence[str]
    yes: bool = False
    dry_run: bool = False
    output: Form = "text"
    login: Login = field(default_factory=Login)


def pause(request: EditOptions, *, paused: bool) -> None:
    """Hold a quota or a tree, or resume it; raises `Failure`."""
    named = resource.read(request.words, ("quota", "tree"), request.login.namespace)

    def made(cluster: Cluster) -> Edit:
        finder = find.quota if named.kind == "quota" else find.root
        found = finder(cluster, named.name, named.namespace)
        done = "paused" if paused else "resumed"
        return _edited(found, {"spec": {"paused": True if paused else None}}, done)

    _carry_out(request, made)


def observe(request: EditOptions, *, observes: bool) -> None:
    """Set the mode of a tree on its root, or on the profile that it follows; raises `Failure`."""
    named = resource.read(_with_kind(request.words, "tree"), ("tree",), request.login.namespace)
    mode = {"enforcement": names.OBSERVE if observes else names.ENFORCE}
    done = "set to observe" if observes else "set to enforce"

    def made(cluster: Cluster) -> Edit:
        root = find.root(cluster, named.name, named.namespace)
        profile = find.label(root, names.PROFILE)
        if not profile:
            return _edited(root, {"spec": {"tree": mode}}, done)
        namespace = root["metadata"]["namespace"]
        stored = find.profile(cluster, profile, namespace)
        return Edit(paths.PROFILES, namespace, profile, {"spec": mode}, stored, done)

    _carry_out(request, made)


def _carry_out(request: EditOptions, made: Callable[[Cluster], Edit]) -> None:
    cluster = Cluster(request.login)
    consent = Consent(request.yes, request.dry_run)
    edit.carry_out(cluster, made(cluster), consent, _effect, request.output)


def _effect(cluster: Cluster, made: Edit, after: Document) -> str:
    from elasticquota_cli.edit import effect  # noqa: PLC0415 - --yes does not wait for it

    return effect.of(cluster, made, after)


def _edited(found: Document, patch: Document, done: str) -> Edit:
    meta = found["metadata"]
    return Edit(paths.QUOTAS, meta["namespace"], meta["name"], patch, found, done)


def _with_kind(words: Sequence[str], kind: str) -> list[str]:
    """The words, with the only kind that the verb takes in front if it is missing."""
    if len(words) == 1 and words[0].partition("/")[0].lower() not in resource.names_of(kind):
        return [kind, *words]
    return list(words)
