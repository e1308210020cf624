"""Explains from published figures, for users who may not read everything.

Nothing is decided here. The sums on the path are made from the statuses of the readable quotas; the
reason why a pod waits is the one that the controller wrote to it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from elasticquota import names, resources
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Figures, Quota
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.kubernetes import pods
from elasticquota.wire.quota import quotas
from elasticquota_cli import nearest
from elasticquota_cli.explain import message_text, report
from elasticquota_cli.explain.parts import borrowed, outline, past_pod, protection, remedies, rows
from elasticquota_cli.explain.parts.belonging import Belonging
from elasticquota_cli.explain.parts.step import Step
from elasticquota_cli.explain.tenant_view import TenantView
from elasticquota_cli.failure import Failure
from elasticquota_cli.printers import amount


class Standing(Struct, frozen=True):
    """A quota with its status; texts are empty where the status has nothing usable."""

    quota: Quota
    figures: Figures | None
    tree: str
    parent: str
    verdict: report.Verdict | None
    pods: report.Pods | None
    min: Resources = field(default_factory=lambda: resources.EMPTY)
    """Its min in force; less than that of the spec where nodes do not back it."""


def pod(view: TenantView, key: Key, *, sums: bool = True) -> report.PodExplanation:
    """Explain the pod; raises `Failure` when it does not exist.

    Where the ``sums`` on its path are not shown, a quota above that may not be read is noted only
    if the pod waits for one.
    """
    if view.pods is None:
        raise Failure(f"you may not list the pods of namespace {key.namespace}")
    manifest = next((each for each in view.pods if each.metadata.key == key), None)
    if manifest is None:
        raise Failure(outline.absent_among(key, [each.metadata.key for each in view.pods]))
    found = pods.read(manifest)
    held = _standings(view)
    home = _home(found, held, view)
    if manifest.finished and manifest.status is not None:
        ended = past_pod.finished(found, manifest.status.phase)
        return outline.outline(found, home, "Finished", ended.why)
    state, message = outline.present(found)
    if found.gated:
        state, message = "Waiting", found.waiting_message or "the controller has not reported why"
    said = outline.outline(found, home, state, message)
    said.basis = "published"
    path = _path(home.quota, held)
    steps = tuple(_steps(path, found))
    own = held.get(home.quota)
    if own is not None:
        said.tree, said.verdict = own.tree, own.verdict
    said.path = [rows.step_of(step) for step in steps]
    if found.gated:
        said.reason = message_text.reason(message)
        said.line = message_text.line(message)
        said.remedies = list(remedies.of(said.reason, steps))
    elif own is not None and own.figures is not None:
        said.reclaim = _prospect(own, found)
    concerns = sums or said.reason == "AncestorExhausted"
    said.notes = [*view.notes, *(_unreadable(view, path) if concerns else ())]
    return said


def path_of(view: TenantView, found: Pod) -> tuple[str, list[Standing]]:
    """The quota that a pod belongs to, and the readable quotas from it up; for new pods too."""
    held = _standings(view)
    home = _home(found, held, view)
    return home.quota, _path(home.quota, held)


def quota(view: TenantView, key: Key) -> report.QuotaExplanation:
    """Explain the quota; raises `Failure` when it does not exist or may not be read."""
    held = _standings(view)
    own = held.get(key.name)
    if own is None or (key.namespace and own.quota.key != key):
        if not view.all_quotas and not key.namespace:
            text = (
                f"you may not list elasticquotas in all namespaces: write NAMESPACE/{key.name} "
                "with the namespace of the quota"
            )
            raise Failure(text)
        raise Failure(f"there is no quota {key}{nearest.hint(key.name, held)}")
    path = _path(own.quota.name, held)
    return report.QuotaExplanation(
        api_version=report.API_VERSION,
        basis="published",
        namespace=own.quota.key.namespace,
        name=own.quota.name,
        tree=own.tree,
        path=[step.quota.name for step in path],
        verdict=own.verdict,
        pods=own.pods,
        figures=_figures(own.quota, own.figures) if own.figures else [],
        notes=[*view.notes, *_unreadable(view, path)],
    )


def unseen_job(view: TenantView, key: Key) -> Failure:
    """The failure that says where a user reads of a job who may not read what decisions need."""
    return Failure(
        f"you may not read: {', '.join(view.closed)}; the controller's message about job {key} is "
        f"in the status of its unit: kubectl describe queueunits -n {key.namespace}"
    )


def _standings(view: TenantView) -> dict[str, Standing]:
    """The quotas by name; of two with one name, the one that is in a tree."""
    found: dict[str, Standing] = {}
    for document in view.quotas:
        standing = _standing(document)
        if standing is None:
            continue
        rival = found.get(standing.quota.name)
        if rival is None or not rival.tree:
            found[standing.quota.name] = standing
    return found


def _standing(document: Mapping[str, Any]) -> Standing | None:
    try:
        stored = msgspec.convert(document, quotas.StoredQuota)
    except msgspec.ValidationError:
        return None
    status = fields.mapping(document.get("status"), "status", [])
    return Standing(
        quota=quotas.read(stored),
        figures=quotas.figures(stored),
        tree=fields.text(status.get("tree")),
        parent=fields.text(status.get("parent")),
        verdict=_verdict(status.get("conditions")),
        pods=_counts(status.get("pods")),
        min=amounts.stored(status.get("min")),
    )


def _verdict(conditions: object) -> report.Verdict | None:
    for found in conditions if isinstance(conditions, list) else ():
        if isinstance(found, dict) and found.get("type") == "Accepted":
            accepted = found.get("status") == "True"
            return report.Verdict(
                accepted, fields.text(found.get("reason")), fields.text(found.get("message"))
            )
    return None


def _counts(written: object) -> report.Pods | None:
    counts = fields.mapping(written, "pods", [])
    admitted, gated = counts.get("admitted"), counts.get("gated")
    if isinstance(admitted, int) and isinstance(gated, int):
        return report.Pods(admitted, gated)
    return None


def _home(found: Pod, held: Mapping[str, Standing], view: TenantView) -> Belonging:
    """The quota by the rules of membership, as far as it can be known from here."""
    namespace, label = found.key.namespace, found.quota_label
    if found.mirror:
        return Belonging(names.SYSTEM_QUOTA, "system", "it is a static pod")
    if label and (label in held or not view.all_quotas):
        unseen = "" if label in held else ", which is where you may not read"
        return Belonging(label, "label", f"its label {names.QUOTA_NAME} names it{unseen}")
    if namespace in held and held[namespace].quota.key == Key(namespace, namespace):
        text = "the quota has the name of the pod's namespace, and is in it"
        return Belonging(namespace, "namespace", text)
    binding = [each for each in held.values() if namespace in each.quota.namespaces]
    if binding:
        text = "the quota binds its namespace (spec.namespaces)"
        return Belonging(binding[0].quota.name, "annotation", text)
    text = "neither its label nor a quota that you may read says where it belongs"
    return Belonging(NO_QUOTA, "unknown", text)


def _path(quota: str, held: Mapping[str, Standing]) -> list[Standing]:
    """The quotas from this one up, as far as they may be read."""
    found: dict[str, Standing] = {}
    while quota in held and quota not in found:
        found[quota] = held[quota]
        quota = held[quota].parent
    return list(found.values())


def _steps(path: list[Standing], pod: Pod) -> Iterator[Step]:
    request = resources.positive(pod.request)
    for standing in path:
        figures, quota = standing.figures, standing.quota
        if figures is None:
            continue
        for key in amount.ordered(request.keys() & figures.runtime.keys()):
            yield Step(
                quota=quota.name,
                key=key,
                admitted=figures.admitted.get(key, 0),
                asked=request[key] if pod.gated else 0,
                limit=figures.runtime[key],
                min=quota.min.get(key, 0),
                max=quota.max.get(key),
                at_nodes=quota.name == standing.tree,
            )


def _prospect(own: Standing, found: Pod) -> report.Reclaim:
    held = own.figures or Figures()
    over = resources.positive(
        resources.subtract(resources.masked(held.admitted, held.runtime), held.runtime)
    )
    asked = held.runtime.keys() & found.request.keys()
    beyond = borrowed.beyond_min(held.admitted, own.quota.min, asked)
    firm = protection.firm(found)
    text = firm or f"by its status {borrowed.holds(own.quota.name, over, beyond)}"
    return report.Reclaim(bool(over or beyond) and not firm, resources.text(over), text)


def _figures(quota: Quota, found: Figures) -> list[report.Figures]:
    named = {*quota.min, *quota.max, *found.request} & found.runtime.keys()
    return [rows.figures_of(key, quota.min, quota.max, found) for key in amount.ordered(named)]


def _unreadable(view: TenantView, path: list[Standing]) -> Iterator[str]:
    if view.closed:
        yield (
            f"you may not read: {', '.join(view.closed)}. So nothing is computed here: the "
            "figures are those that the controller last published in the status of each quota"
        )
    if not path:
        return
    top = path[-1]
    if top.tree and top.quota.name != top.tree:
        yield f"{top.parent}, the parent of {top.quota.name}, is where you may not read"
