"""Pod manifest -> Pod, the hot path: typed decode of the needed fields only."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from elasticquota import names
from elasticquota.defaulting import pod_affinity
from elasticquota.defaulting.pod_affinity import Term
from elasticquota.model import moments
from elasticquota.model.constraints import ANYWHERE
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Requirement
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.kubernetes import constraints, node_affinity, pod_size
from elasticquota.wire.quota import holders


FINISHED = frozenset({"Succeeded", "Failed"})


class Gate(msgspec.Struct, gc=False):
    name: str = ""


class PodSpec(msgspec.Struct, rename="camel", gc=False):
    node_name: str = ""
    priority: int | None = None
    preemption_policy: str | None = None
    scheduling_gates: list[Gate] | None = None
    affinity: node_affinity.Affinity | None = None
    node_selector: dict[str, str] | None = None
    tolerations: list[constraints.WrittenToleration] | None = None
    containers: list[pod_size.Container] | None = None
    init_containers: list[pod_size.Container] | None = None
    resources: pod_size.Requirements | None = None
    overhead: amounts.Written | None = None


class PodCondition(msgspec.Struct, rename="camel", gc=False):
    type: str = ""
    last_transition_time: str | None = None
    reason: str | None = None
    message: str | None = None


class PodStatus(msgspec.Struct, rename="camel", gc=False):
    phase: str = ""
    start_time: str | None = None
    conditions: list[PodCondition] | None = None
    resources: pod_size.InForce | None = None
    allocated_resources: amounts.Written | None = None
    container_statuses: list[pod_size.ContainerStatus] | None = None
    init_container_statuses: list[pod_size.ContainerStatus] | None = None

    def condition(self, type_: str) -> PodCondition | None:
        """The first of that type, which is the one that counts upstream."""
        for found in self.conditions or ():
            if found.type == type_:
                return found
        return None


class PodManifest(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: PodSpec | None = None
    status: PodStatus | None = None

    @property
    def finished(self) -> bool:
        """Succeeded or Failed: counts nowhere."""
        return self.status is not None and self.status.phase in FINISHED


class _Marks(NamedTuple):
    """What steers enforcement, as written on the pod; empty: nothing is."""

    preemptible: str
    together: str
    size: str

    def warnings(self) -> Iterator[str]:
        """One for every value that says nothing; it counts as if it were not there."""
        if self.preemptible not in _SWITCH:
            yield f"{names.PREEMPTIBLE} must be true or false, got {fields.shown(self.preemptible)}"
        if self.together not in _SWITCH:
            yield f"{names.ALL_OR_NOTHING} must be true or false, got {fields.shown(self.together)}"
        if self.size and not _SIZE.fullmatch(self.size):
            yield f"{names.POD_GROUP_SIZE} must be 1 to 99999, got {fields.shown(self.size)}"


_NO_MARKS: Final = _Marks("", "", "")
_REFUSED: Final = "Unschedulable"
_SECONDS: Final = re.compile(r"[0-9]{1,11}", re.ASCII)
_SIZE: Final = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
_SWITCH: Final = ("", "true", "false")
_NO_SPEC: Final = PodSpec()
_NO_STATUS: Final = PodStatus()


def read(manifest: PodManifest, job_labels: Sequence[str] = ()) -> Pod:
    """The pod as written. Pods of one shape share one ``request``.

    By ``job_labels`` jobs know their pods, the outer ones first.
    """
    meta = manifest.metadata
    spec = manifest.spec or _NO_SPEC
    status = manifest.status or _NO_STATUS
    size = pod_size.size(_shape(spec, status))
    scheduled = status.condition("PodScheduled")
    labels, annotations, owners = meta.labels or {}, meta.annotations or {}, meta.owner_references
    marks = _marks(labels, annotations)
    gates = tuple([sys.intern(gate.name) for gate in spec.scheduling_gates or ()])
    placed, ours = bool(spec.node_name), names.GATE in gates
    deleting = meta.deleting
    return Pod(
        # What many pods have in common is kept once: 50,000 of them must fit in a small ledger.
        key=Key(sys.intern(meta.namespace), meta.name),
        uid=meta.uid,
        created=sys.intern(meta.created),
        quota_label=sys.intern(labels.get(names.QUOTA_NAME, "")),
        request=size.request,
        overhead=size.overhead,
        priority=spec.priority or 0,
        preemptible=marks.preemptible != "false",
        may_preempt=spec.preemption_policy != "Never",
        node_name=sys.intern(spec.node_name),
        started=sys.intern(status.start_time or ""),
        unplaced_since=_unplaced_since(meta, scheduled) if not (placed or ours) else None,
        deleting=deleting,
        gone_after=meta.gone_after if deleting else None,
        ends_at=meta.ends_at if deleting else None,
        gates=gates,
        generation=meta.generation if ours else 0,
        group=_group(meta, labels, marks),
        jobs=tuple([f"{key}={labels[key]}" for key in job_labels if key in labels]),
        demands=_demands(spec.affinity) if ours else frozenset(),
        constraints=ANYWHERE
        if placed
        else constraints.read(spec.node_selector, spec.affinity, spec.tolerations),
        refused=not (placed or ours) and scheduled is not None and scheduled.reason == _REFUSED,
        holder=holders.read(labels, annotations),
        mirror=bool(annotations.get(names.MIRROR_POD)),
        daemon="DaemonSet" in [o.kind for o in owners if o.controller] if owners else False,
        waiting_message=(scheduled and scheduled.message) or "",
        faults=size.faults,
        warnings=() if marks is _NO_MARKS else tuple(marks.warnings()),
    )


def _unplaced_since(meta: ObjectMeta, scheduled: PodCondition | None) -> int | None:
    """Its release; of a pod that was never held, when the scheduler first found no node.

    For one that was held the condition keeps the time of its creation.
    """
    text = meta.label(names.ADMITTED_AT)
    if _SECONDS.fullmatch(text):
        return int(text) * 1000
    return moments.read((scheduled and scheduled.last_transition_time) or "")


def _marks(labels: Mapping[str, str], annotations: Mapping[str, str]) -> _Marks:
    preemptible = labels.get(names.PREEMPTIBLE, "")
    together = annotations.get(names.ALL_OR_NOTHING) or labels.get(names.ALL_OR_NOTHING, "")
    size = annotations.get(names.POD_GROUP_SIZE) or labels.get(names.POD_GROUP_SIZE, "")
    return _Marks(preemptible, together, size) if preemptible or together or size else _NO_MARKS


def _group(meta: ObjectMeta, labels: Mapping[str, str], marks: _Marks) -> Group | None:
    """The pod group that is named with a size, else that of a controller whose pods ask for it."""
    name = labels.get(names.POD_GROUP)
    if name:
        # Without a size the label is for others: the coscheduling plugin has the size elsewhere.
        return _named(name, marks.size) if marks.size else None
    if marks.together != "true":
        return None
    owner = next((found for found in meta.owner_references or () if found.controller), None)
    return None if owner is None else _named(f"{owner.kind.lower()}/{owner.name}", marks.size)


@lru_cache(maxsize=1024)
def _named(name: str, size: str) -> Group:
    """Pods of one group share one value."""
    return Group(name, int(size) if _SIZE.fullmatch(size) else 0)


def _demands(affinity: node_affinity.Affinity | None) -> frozenset[Requirement]:
    if affinity is None:
        return frozenset()
    terms = node_affinity.terms(affinity)
    # Only what is small is remembered whole: an affinity may be as large as a request.
    texts = sum(1 + len(values) for term in terms for *_, values in term.expressions)
    small = len(terms) + texts <= 4 * pod_affinity.MOST
    return _of_small(terms) if small else pod_affinity.demands(terms)


@lru_cache(maxsize=1024)
def _of_small(terms: tuple[Term, ...]) -> frozenset[Requirement]:
    """Pods of one shape share one value."""
    return pod_affinity.demands(terms)


def _shape(spec: PodSpec, status: PodStatus) -> pod_size.Shape:
    pending = status.condition("PodResizePending")
    initial: tuple[pod_size.Part, ...] = ()
    if spec.init_containers:
        states = {state.name: state for state in status.init_container_statuses or ()}
        initial = tuple(
            [
                # Only a sidecar can be resized: the state of the others says nothing.
                pod_size.part(found, states.get(found.name) if found.sidecar else None)
                for found in spec.init_containers
            ]
        )
    states = {state.name: state for state in status.container_statuses or ()}
    return pod_size.Shape(
        tuple([pod_size.part(found, states.get(found.name)) for found in spec.containers or ()]),
        initial,
        pod_size.whole(spec.resources, status.resources, status.allocated_resources),
        pod_size.items(spec.overhead),
        pending is not None and pending.reason == "Infeasible",
    )
