"""Reads a job from its object: owner, total request, whether it is suspended, and its state.

``request`` is the sum of all its pods, ``minimum`` what a job of an elastic kind can start with.
What cannot be read counts as nothing and is a fault with its path.

Not read here: what admission adds to pods (``wire.kubernetes.pod_templates``), and a priority that
only the job's priority class defines.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from elasticquota import names
from elasticquota.jobs import paths, pod_sets, states, suspension
from elasticquota.jobs.adapter import JobAdapter, JobPodSet
from elasticquota.jobs.states import State
from elasticquota.model import holder
from elasticquota.model.constraints import EVERYWHERE, Constraints
from elasticquota.model.fault import Fault
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.owner import Owner
from elasticquota.resources import Resources
from elasticquota.structs import Struct, replace
from elasticquota.wire.codec import fields
from elasticquota.wire.integrations import stated_resources
from elasticquota.wire.kubernetes.pod_templates import PodTemplate


_STATED_AT: Final = "metadata.annotations"


class Job(Struct, frozen=True):
    """One object of a kind that has an adapter."""

    kind: str
    key: Key
    uid: str
    version: str
    """Its resourceVersion."""
    created: str
    """creationTimestamp, RFC 3339 in UTC: sorts as text."""
    generation: int
    deleting: bool
    owner: Owner | None
    """Its controller. A job of a job (the Job of a JobSet) is held and counted by the outer job."""
    suspended: bool
    state: State
    pods: tuple[JobPodSet, ...]
    request: Resources
    """The sum of all its pods, in accounting units, with ``pods``."""
    minimum: Resources
    """What it can start with; equals ``request`` unless its kind is elastic."""
    labels: tuple[tuple[str, str], ...]
    """Every pod of the job has one of these labels; empty while their values are not known yet."""
    quota_label: str
    """The quota that its templates name; empty: the quota of its namespace."""
    preemptible: bool
    """False: a template says that its pods must not be evicted."""
    priority_class: str
    priority: int | None
    """From a template; the job's priority class may define another."""
    holder: Holder
    """The user that the job counts for (user and group limits), from its first template."""
    faults: tuple[Fault, ...]
    constraints: Constraints = EVERYWHERE
    """What all its templates demand of nodes."""


def read(document: Any, adapter: JobAdapter) -> Job:
    """Read a job from a stored object of the adapter's kind. Never raises; see ``Job.faults``."""
    faults: list[Fault] = []
    meta = fields.mapping(paths.value(document, "metadata"), "metadata", faults)
    sets = _pods(document, adapter, faults)
    priorities = (each.template.priority for each in sets)
    generation = meta.get("generation")
    return Job(
        kind=adapter.kind,
        key=Key(fields.text(meta.get("namespace")), fields.text(meta.get("name"))),
        uid=fields.text(meta.get("uid")),
        version=fields.text(meta.get("resourceVersion")),
        created=fields.text(meta.get("creationTimestamp")),
        generation=generation if type(generation) is int else 0,
        deleting=meta.get("deletionTimestamp") is not None,
        owner=_owner(meta.get("ownerReferences")),
        suspended=suspension.is_suspended(document, adapter),
        state=states.state(document, adapter),
        pods=sets,
        request=_sum((each.request, each.count) for each in sets),
        minimum=_sum((each.request, each.least) for each in sets),
        labels=_labels(document, adapter),
        quota_label=_quota_label(sets, adapter, faults),
        preemptible=all(each.template.preemptible for each in sets),
        priority_class=_priority_class(document, adapter, sets),
        priority=next((priority for priority in priorities if priority is not None), None),
        holder=sets[0].template.holder if sets else holder.NO_HOLDER,
        faults=tuple(faults),
        constraints=_constraints([each.template.constraints for each in sets if each.count]),
    )


def _constraints(found: Sequence[Constraints]) -> Constraints:
    """What all of them demand: it is necessary for each pod, and for some not sufficient."""
    if not found:
        return EVERYWHERE
    first, *others = found
    if all(each == first for each in others):
        return first
    common = set(first.selector).intersection(*(each.selector for each in others))
    return replace(EVERYWHERE, selector=tuple(sorted(common)))


def _pods(document: Any, adapter: JobAdapter, faults: list[Fault]) -> tuple[JobPodSet, ...]:
    if adapter.stated:
        stated = _stated(document, faults)
        if stated is not None:
            return (stated,)
    if adapter.reader is not None:
        return adapter.reader(document, faults)
    sets = pod_sets.read(document, adapter, faults)
    if not sets:
        faults.append(_nothing(adapter))
    return sets


def _stated(document: Any, faults: list[Fault]) -> JobPodSet | None:
    """The need that the annotation states; None: there is no such annotation."""
    for name in names.MIN_RESOURCES:
        text = paths.text(document, _STATED_AT, name)
        if text.strip():
            where = f"{_STATED_AT}[{name}]"
            stated = stated_resources.read(text, where, faults)
            return JobPodSet("main", where, 1, 1, PodTemplate({names.PODS: 1, **stated}))
    return None


def _nothing(adapter: JobAdapter) -> Fault:
    if adapter.stated:
        return Fault(
            f"{_STATED_AT}[{names.MIN_RESOURCES[0]}]",
            "must say what the job needs, such as cpu: 5, because nothing else does",
        )
    return Fault(adapter.pods[0].template if adapter.pods else "spec", "there is no pod template")


def _labels(document: Any, adapter: JobAdapter) -> tuple[tuple[str, str], ...]:
    found = ((key, paths.value(document, path)) for key, path in adapter.labels.items())
    return tuple((key, name) for key, name in found if isinstance(name, str) and name)


def _priority_class(document: Any, adapter: JobAdapter, sets: Iterable[JobPodSet]) -> str:
    own = (fields.text(paths.value(document, path)) for path in adapter.priority_classes)
    theirs = (each.template.priority_class for each in sets)
    return next((name for name in (*own, *theirs) if name), "")


def _quota_label(sets: Iterable[JobPodSet], adapter: JobAdapter, faults: list[Fault]) -> str:
    def label(one: JobPodSet) -> str:
        alias = one.template.quota_alias if adapter.quota_aliases else ""
        return one.template.quota_label or alias

    labelled = [(each.where, label(each)) for each in sets if label(each)]
    for where, its in labelled[1:]:
        first = labelled[0][1]
        if its != first:
            faults.append(
                fields.mismatch(
                    f"{where}.metadata.labels[{names.QUOTA_NAME}]",
                    f"{fields.shown(first)} as of its other pods",
                    its,
                )
            )
    return labelled[0][1] if labelled else ""


def _owner(written: Any) -> Owner | None:
    for each in written if isinstance(written, list) else ():
        if isinstance(each, dict) and each.get("controller") is True:
            parts = (each.get(name) for name in ("apiVersion", "kind", "name", "uid"))
            return Owner(*map(fields.text, parts))
    return None


def _sum(parts: Iterable[tuple[Resources, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for request, count in parts:
        for key, amount in request.items():
            total[key] = total.get(key, 0) + amount * count
    return total
