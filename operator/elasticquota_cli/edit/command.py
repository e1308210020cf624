"""The verbs that write: what each changes, as one edit of one object."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from elasticquota import names
from elasticquota.forecast import edit_summary
from elasticquota.structs import Struct, field, replace
from elasticquota.wire.quota import equal_keys, quotas
from elasticquota_cli.arguments import resource
from elasticquota_cli.edit import edit, find
from elasticquota_cli.edit.edit import Consent, Edit
from elasticquota_cli.failure import BAD_INPUT, Failure
from elasticquota_cli.listing import Cluster
from elasticquota_cli.printers.output import Form
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Document
from elasticquota_kube.client.login import Login


_AMOUNT: Final = re.compile(r"([^=\s]+)=([^=\s]+)|([^=\s]+)-")
_QUOTA: Final = ("quota",)


class Request(Struct, frozen=True):
    """What all writing verbs are given."""

    words: Sequence[str]
    yes: bool = False
    dry_run: bool = False
    output: Form = "text"
    login: Login = field(default_factory=Login)


def pause(request: Request, *, paused: bool) -> None:
    """Hold a quota or a tree, or resume it; raises `Failure`."""
    named = resource.read(request.words, ("quota", "tree"), request.login.namespace)

    def made(cluster: Cluster) -> Edit:
        finder = find.quota if named.kind == "quota" else find.root
        found = finder(cluster, named.name, named.namespace)
        done = "paused" if paused else "resumed"
        return _edited(found, {"spec": {"paused": True if paused else None}}, done)

    _carry_out(request, made)


def observe(request: Request, *, observes: bool) -> None:
    """Set the mode of a tree on its root, or on the profile that it follows; raises `Failure`."""
    named = resource.read(_with_kind(request.words, "tree"), ("tree",), request.login.namespace)
    mode = {"enforcement": names.OBSERVE if observes else names.ENFORCE}
    done = "set to observe" if observes else "set to enforce"

    def made(cluster: Cluster) -> Edit:
        root = find.root(cluster, named.name, named.namespace)
        waiting = quotas.waiting(msgspec.convert(root, quotas.StoredQuota))
        note = edit_summary.of_observing(waiting) if observes else ""
        profile = find.label(root, names.PROFILE)
        if not profile:
            return replace(_edited(root, {"spec": {"tree": mode}}, done), note=note)
        namespace = root["metadata"]["namespace"]
        found = find.profile(cluster, profile, namespace)
        return Edit(paths.PROFILES, namespace, profile, {"spec": mode}, found, done, note)

    _carry_out(request, made)


def assign(request: Request, what: str) -> None:
    """Set min, max or the weight of a quota for some resources; raises `Failure`."""
    words = list(request.words)
    amounts = [word for word in words if _AMOUNT.fullmatch(word)]
    rest = [word for word in words if word not in amounts]
    named = resource.read(_with_kind(rest, "quota"), _QUOTA, request.login.namespace)
    if not amounts:
        raise Failure("which amounts? KEY=AMOUNT sets one, KEY- removes one", BAD_INPUT)
    changes = dict(map(_amount, amounts))

    def made(cluster: Cluster) -> Edit:
        found = find.quota(cluster, named.name, named.namespace)
        if what == "weight":
            weight = {**_weight(found), **changes}
            kept = {key: value for key, value in weight.items() if value is not None}
            patch = _equal({"weight": kept})
            patch["spec"]["weight"] = weight if kept else None
            return _edited(found, patch, "changed")
        return _edited(found, {"spec": {what: changes}}, "changed")

    _carry_out(request, made)


def move(request: Request, parent: str) -> None:
    """Give a quota another parent; raises `Failure`."""
    named = resource.read(_with_kind(request.words, "quota"), _QUOTA, request.login.namespace)
    _, _, above = parent.rpartition("/")

    def made(cluster: Cluster) -> Edit:
        found = find.quota(cluster, named.name, named.namespace)
        if above != names.ROOT_QUOTA:
            find.quota(cluster, above)
        return _edited(found, _equal({"parent": above}), f"moved below {above}")

    _carry_out(request, made)


def create(request: Request, new: dict[str, Any]) -> None:
    """Create a quota; ``new`` are the arguments of the verb. Raises `Failure`."""
    named = resource.read(_with_kind(request.words, "quota"), _QUOTA, request.login.namespace)

    def made(cluster: Cluster) -> Edit:
        namespace = named.namespace or cluster.namespace
        settings = {
            "parent": new["parent"],
            "isParent": new["is_parent"],
            "weight": _amounts(new["weight"]),
        }
        equal = _equal({field: value for field, value in settings.items() if value})
        given = {part: amounts for part in ("min", "max") if (amounts := _amounts(new[part]))}
        manifest = {
            "apiVersion": names.QUOTA_API,
            "kind": names.QUOTA_KIND,
            "metadata": {
                "name": named.name,
                "namespace": namespace,
                **equal["metadata"],
            },
            "spec": {**equal["spec"], **given},
        }
        return Edit(paths.QUOTAS, namespace, named.name, manifest, None, "created")

    _carry_out(request, made)


def _carry_out(request: Request, made: Callable[[Cluster], Edit]) -> None:
    cluster = Cluster(request.login)
    edit.carry_out(cluster, made(cluster), Consent(request.yes, request.dry_run), request.output)


def _equal(values: Mapping[str, Any]) -> dict[str, Any]:
    """The patch of fields and of Koordinator's keys, in case its definition drops the fields."""
    labels, annotations = equal_keys.texts(values)
    return {"metadata": {"labels": labels, "annotations": annotations}, "spec": values}


def _edited(found: Document, patch: Document, done: str) -> Edit:
    meta = found["metadata"]
    return Edit(paths.QUOTAS, meta["namespace"], meta["name"], patch, found, done)


def _with_kind(words: Sequence[str], kind: str) -> list[str]:
    """The words, with the only kind that the verb takes in front if it is missing."""
    if len(words) == 1 and words[0].partition("/")[0].lower() not in resource.names_of(kind):
        return [kind, *words]
    return list(words)


def _amounts(texts: Sequence[str]) -> dict[str, str]:
    """``cpu=4,memory=8Gi``, possibly several times."""
    found = dict(_amount(each) for text in texts for each in text.split(",") if each)
    return {key: value for key, value in found.items() if value is not None}


def _amount(text: str) -> tuple[str, str | None]:
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise Failure(f"'{text}': must be KEY=AMOUNT, such as cpu=4 or memory=8Gi", BAD_INPUT)
    return (found[1], found[2]) if found[1] else (found[3], None)


def _weight(found: Document) -> dict[str, Any]:
    """The weight that counts; raises `Failure` when it cannot be read."""
    stated = (found.get("spec") or {}).get("weight")
    if isinstance(stated, dict):
        return stated
    text = find.annotation(found, names.SHARED_WEIGHT)
    try:
        weight = json.loads(text) if text else {}
    except ValueError:
        weight = None
    if not isinstance(weight, dict):
        raise Failure(f"annotation {names.SHARED_WEIGHT} is not JSON now: correct it first")
    return weight
