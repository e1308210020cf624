"""Explains from published figures, for users who may not read everything.

Nothing is decided here. The sums on the path are made from the statuses of the readable quotas; the
reason why a pod waits is the one that the controller wrote to it.
"""

from collections.abc import Iterator, Mapping, Sequence

from elasticquota import names, resources
from elasticquota.forest import membership, settings
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Figures, Quota
from elasticquota.structs import replace
from elasticquota.wire.kubernetes import pods
from elasticquota_cli.failures import nearest
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live.tenant_view import TenantView
from elasticquota_cli.printers import amount
from elasticquota_cli.why.parts import (
    belonging,
    borrowed,
    maxima,
    message_text,
    outline,
    past_pod,
    protection,
    report,
    rows,
)
from elasticquota_cli.why.parts.belonging import Belonging
from elasticquota_cli.why.parts.known import Explained
from elasticquota_cli.why.parts.outline import PodState
from elasticquota_cli.why.parts.step import PathStep
from elasticquota_cli.why.published import published_quota
from elasticquota_cli.why.published.published_quota import PublishedQuota


def pod(view: TenantView, key: Key, *, sums: bool = True) -> Explained:
    """Explain the pod; raises `Failure` when it does not exist.

    Where the ``sums`` on its path are not shown, a quota above that may not be read is noted only
    if the pod waits for one.
    """
    pods_read = readable(view, key.namespace)
    manifest = next((each for each in pods_read if each.metadata.key == key), None)
    if manifest is None:
        raise Failure(outline.absent_among(key, [each.metadata.key for each in pods_read]))
    stored = pods.read(manifest)
    held = standings(view)
    home = _home(stored, held, view)
    if manifest.finished and manifest.status is not None:
        ended = past_pod.finished(stored, manifest.status.phase)
        return Explained(outline.outline(stored, home, PodState("Finished", ended.why)))
    if home.rule == "system":
        return Explained(outline.outline(stored, home, outline.unlimited(home.quota)))
    path = _path(home.quota, held)
    steps = tuple(_steps(path, stored))
    own = held.get(home.quota)
    said = replace(
        outline.outline(stored, home, outline.present(stored)),
        tree=own.tree if own else "",
        verdict=own.verdict if own else None,
        path=[rows.step_of(step) for step in steps],
    )
    if stored.gated:
        read = message_text.read(stored.waiting_message)
        said = replace(
            said,
            state="Waiting",
            message=read.text or "the controller has not reported why",
            reason=read.reason,
            line=read.line,
            edits=list(maxima.beyond(steps)) if read.reason == "ExceedsMax" else [],
        )
    elif own is not None and own.figures is not None:
        said = replace(said, reclaim=_prospect(own, stored))
    concerns = sums or said.reason == "AncestorExhausted"
    return Explained(said, [*view.notes, *(_unreadable(view, path) if concerns else ())])


def readable(view: TenantView, namespace: str) -> Sequence[pods.PodManifest]:
    """The pods of the namespace; raises `Failure` if they may not be read."""
    if view.pods is None:
        raise Failure(f"you may not list the pods of namespace {namespace}")
    return view.pods


def path_of(view: TenantView, stored: Pod) -> tuple[str, list[PublishedQuota]]:
    """The quota that a pod belongs to, and the readable quotas from it up; for new pods too."""
    held = standings(view)
    home = _home(stored, held, view)
    return home.quota, _path(home.quota, held)


def quota(view: TenantView, key: Key) -> tuple[report.QuotaAnswer, Sequence[str]]:
    """Explain the quota; raises `Failure` when it does not exist or may not be read."""
    held = standings(view)
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
    answer = report.QuotaAnswer(
        namespace=own.quota.key.namespace,
        name=own.quota.name,
        tree=own.tree,
        path=[step.quota.name for step in path],
        verdict=own.verdict,
        pods=own.pods,
        figures=_figures(own.quota, own.figures) if own.figures else [],
    )
    return answer, [*view.notes, *_unreadable(view, path)]


def standings(view: TenantView) -> dict[str, PublishedQuota]:
    """The quotas by name; of two with one name, the one that is in a tree."""
    found: dict[str, PublishedQuota] = {}
    for document in view.quotas:
        standing = published_quota.read(document)
        if standing is None:
            continue
        rival = found.get(standing.quota.name)
        if rival is None or not rival.tree:
            found[standing.quota.name] = standing
    return found


def _home(stored: Pod, held: Mapping[str, PublishedQuota], view: TenantView) -> Belonging:
    """The quota by the rules of membership, as far as it can be known from here."""
    label = stored.quota_label
    # The configuration cannot be read here. A pod that our gate holds is of no system namespace.
    usual = frozenset[str]() if stored.gated else settings.USUAL.system_namespaces
    if system := belonging.to_the_system(stored, usual):
        return system
    by_namespace = _of_namespace(stored.key.namespace, held)
    if label and (label in held or not view.all_quotas):
        unseen = "" if label in held else ", which is where you may not read"
        text = f"its label {names.QUOTA_NAME} names it{unseen}"
        bare = by_namespace.quota if by_namespace else ""
        return Belonging(label, "label", text, "" if bare == label else bare)
    text = "neither its label nor a quota that you may read says where it belongs"
    return by_namespace or Belonging(NO_QUOTA, "unknown", text)


def _of_namespace(namespace: str, held: Mapping[str, PublishedQuota]) -> Belonging | None:
    quotas_read = (each.quota for each in held.values())
    holder = membership.holding(each for each in quotas_read if namespace in each.bound)
    if holder is None:
        return None
    if namespace in holder.namespaces:
        text = "the quota binds its namespace (spec.namespaces)"
        return Belonging(holder.name, "annotation", text)
    text = "the quota has the name of the pod's namespace, and is in it"
    return Belonging(holder.name, "namespace", text)


def _path(quota: str, held: Mapping[str, PublishedQuota]) -> list[PublishedQuota]:
    """The quotas from this one up, as far as they may be read."""
    found: dict[str, PublishedQuota] = {}
    while quota in held and quota not in found:
        found[quota] = held[quota]
        quota = held[quota].parent
    return list(found.values())


def _steps(path: list[PublishedQuota], pod: Pod) -> Iterator[PathStep]:
    request = resources.positive(pod.request)
    for standing in path:
        figures, quota = standing.figures, standing.quota
        if figures is None:
            continue
        for key in amount.ordered(request.keys() & figures.runtime.keys()):
            yield PathStep(
                quota=quota.name,
                key=key,
                admitted=figures.admitted.get(key, 0),
                asked=request[key] if pod.gated else 0,
                limit=figures.runtime[key],
                min=quota.min.get(key, 0),
                max=quota.max.get(key),
                at_nodes=quota.name == standing.tree,
            )


def _prospect(own: PublishedQuota, stored: Pod) -> report.ReclaimAnswer:
    held = own.figures or Figures()
    over = resources.positive(
        resources.subtract(resources.masked(held.admitted, held.runtime), held.runtime)
    )
    asked = held.runtime.keys() & stored.request.keys()
    beyond = borrowed.beyond_min(held.admitted, own.quota.min, asked)
    firm = protection.firm(stored)
    text = firm or f"by its status {borrowed.holds(own.quota.name, over, beyond)}"
    return report.ReclaimAnswer(bool(over or beyond) and not firm, resources.text(over), text)


def _figures(quota: Quota, found: Figures) -> list[report.FigureRow]:
    named = {*quota.min, *quota.max, *found.request} & found.runtime.keys()
    return [rows.figures_of(key, quota.min, quota.max, found) for key in amount.ordered(named)]


def _unreadable(view: TenantView, path: list[PublishedQuota]) -> Iterator[str]:
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
