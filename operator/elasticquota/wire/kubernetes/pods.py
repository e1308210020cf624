"""Pod manifest -> Pod. This is the hot path: only the needed fields are decoded, with types."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from elasticquota import names
from elasticquota.model import moments
from elasticquota.model.constraints import ANYWHERE
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.kubernetes import constraints, holders, node_affinity, pod_claims, pod_size


FINISHED = frozenset({"Succeeded", "Failed"})
"""Phases of pods that count nowhere."""


class Gate(msgspec.Struct, gc=False):
    """One entry of ``spec.schedulingGates``."""

    name: str = ""


class SchedulingGroup(msgspec.Struct, rename="camel", gc=False):
    """The part of a pod's ``spec.schedulingGroup`` that is read."""

    pod_group_name: str | None = None


class PodSpec(msgspec.Struct, rename="camel", gc=False):
    """The part of a pod's spec that is read."""

    node_name: str = ""
    priority: int | None = None
    preemption_policy: str | None = None
    scheduler_name: str | None = None
    scheduling_gates: list[Gate] | None = None
    affinity: node_affinity.Affinity | None = None
    node_selector: dict[str, str] | None = None
    tolerations: list[constraints.WrittenToleration] | None = None
    containers: list[pod_size.Container] | None = None
    init_containers: list[pod_size.Container] | None = None
    resources: pod_size.Requirements | None = None
    overhead: amounts.Written | None = None
    scheduling_group: SchedulingGroup | None = None
    resource_claims: list[pod_claims.ResourceClaim] | None = None


class PodCondition(msgspec.Struct, rename="camel", gc=False):
    """The part of a pod's condition that is read."""

    type: str = ""
    last_transition_time: str | None = None
    reason: str | None = None
    message: str | None = None


class PodStatus(msgspec.Struct, rename="camel", gc=False):
    """The part of a pod's status that is read."""

    phase: str = ""
    start_time: str | None = None
    conditions: list[PodCondition] | None = None
    resources: pod_size.AppliedResources | None = None
    allocated_resources: amounts.Written | None = None
    container_statuses: list[pod_size.ContainerStatus] | None = None
    init_container_statuses: list[pod_size.ContainerStatus] | None = None
    resource_claim_statuses: list[pod_claims.ResourceClaimStatus] | None = None

    def condition(self, type_: str) -> PodCondition | None:
        """Return the first condition of that type: upstream uses the first one, too."""
        for found in self.conditions or ():
            if found.type == type_:
                return found
        return None


class PodManifest(msgspec.Struct, gc=False):
    """The part of a Pod that is read."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: PodSpec | None = None
    status: PodStatus | None = None

    @property
    def finished(self) -> bool:
        """Whether the pod has succeeded or failed; such a pod counts nowhere."""
        return self.status is not None and self.status.phase in FINISHED


class _EnforcementKeys(NamedTuple):
    """Labels and annotations that control enforcement, as written; empty if absent."""

    preemptible: str
    together: str
    size: str
    last: str

    def warnings(self) -> Iterator[str]:
        """One for each invalid value; such a value counts as absent."""
        for key, text in (
            (names.PREEMPTIBLE, self.preemptible),
            (names.ALL_OR_NOTHING, self.together),
            (names.EVICT_LAST, self.last),
        ):
            if text not in _SWITCH:
                yield f"{key} must be true or false, got {fields.shown(text)}"
        if self.size and not _SIZE.fullmatch(self.size):
            yield f"{names.POD_GROUP_SIZE} must be 1 to 99999, got {fields.shown(self.size)}"


_NO_MARKS: Final = _EnforcementKeys("", "", "", "")
_REFUSED: Final = "Unschedulable"
_SECONDS: Final = re.compile(r"[0-9]{1,11}", re.ASCII)
_SIZE: Final = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
_SWITCH: Final = ("", "true", "false")
_NO_SPEC: Final = PodSpec()
_NO_STATUS: Final = PodStatus()


GroupReader = Callable[[str, Mapping[str, str], Mapping[str, str], str], Group | None]
"""Namespace, labels, annotations and the name in ``spec.schedulingGroup`` -> the pod's group."""


def no_groups(*_: object) -> None:
    """Read no groups of other systems."""


def read(
    manifest: PodManifest, job_labels: Sequence[str] = (), groups: GroupReader = no_groups
) -> Pod:
    """Return the pod as written; pods of one shape share one ``request``.

    A pod with resource claims is a ``ClaimingPod``; its request is still without their devices.

    ``job_labels`` are the label keys by which jobs find their pods, those of outer jobs first.
    ``groups`` reads the groups of other systems (``pod_groups.reading``); ours come first.
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
    pod = Pod(
        # Texts that many pods share are stored once: 50,000 pods must fit in a small ledger.
        key=Key(sys.intern(meta.namespace), meta.name),
        uid=meta.uid,
        created=sys.intern(meta.created),
        quota_label=sys.intern(labels.get(names.QUOTA_NAME, "")),
        request=size.request,
        overhead=size.overhead,
        priority=spec.priority or 0,
        preemptible=marks.preemptible != "false",
        evict_last=_evict_last(annotations),
        may_preempt=spec.preemption_policy != "Never",
        scheduler=sys.intern(spec.scheduler_name or names.STOCK_SCHEDULER),
        node_name=sys.intern(spec.node_name),
        started=sys.intern(status.start_time or ""),
        unplaced_since=_unplaced_since(meta, scheduled) if not (placed or ours) else None,
        deleting=deleting,
        gone_after=meta.gone_after if deleting else None,
        ends_at=meta.ends_at if deleting else None,
        gates=gates,
        generation=meta.generation if ours else 0,
        group=_group(meta, labels, marks)
        or groups(
            meta.namespace,
            labels,
            annotations,
            (spec.scheduling_group and spec.scheduling_group.pod_group_name) or "",
        ),
        jobs=tuple([f"{key}={labels[key]}" for key in job_labels if key in labels]),
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
    return (
        pod_claims.of_pod(pod, spec.resource_claims, status.resource_claim_statuses or ())
        if spec.resource_claims
        else pod
    )


def _evict_last(annotations: Mapping[str, str]) -> bool:
    """Whether the pod asks to be evicted last, by our annotation or by YuniKorn's (Y22)."""
    ours = annotations.get(names.EVICT_LAST, "")
    return ours == "true" or (not ours and annotations.get(names.ALLOW_PREEMPTION) == "false")


def _unplaced_since(meta: ObjectMeta, scheduled: PodCondition | None) -> int | None:
    """When the pod was ungated, or else when the scheduler first found no node, in epoch ms.

    The condition cannot serve a pod that had our gate: it keeps the time of the pod's creation.
    """
    text = meta.label(names.ADMITTED_AT)
    if _SECONDS.fullmatch(text):
        return int(text) * 1000
    return moments.read((scheduled and scheduled.last_transition_time) or "")


def _marks(labels: Mapping[str, str], annotations: Mapping[str, str]) -> _EnforcementKeys:
    preemptible = labels.get(names.PREEMPTIBLE, "")
    together = annotations.get(names.ALL_OR_NOTHING) or labels.get(names.ALL_OR_NOTHING, "")
    size = annotations.get(names.POD_GROUP_SIZE) or labels.get(names.POD_GROUP_SIZE, "")
    last = annotations.get(names.EVICT_LAST, "")
    if not (preemptible or together or size or last):
        return _NO_MARKS
    return _EnforcementKeys(preemptible, together, size, last)


def _group(meta: ObjectMeta, labels: Mapping[str, str], marks: _EnforcementKeys) -> Group | None:
    """The pod group that a label names with a size, or else the group of the pod's controller."""
    name = labels.get(names.POD_GROUP)
    if name:
        # Without a size the label is not for us: the coscheduling plugin keeps the size elsewhere.
        return _named(name, marks.size) if marks.size else None
    if marks.together != "true":
        return None
    owner = meta.controller
    return None if owner is None else _named(f"{owner.kind.lower()}/{owner.name}", marks.size)


@lru_cache(maxsize=1024)
def _named(name: str, size: str) -> Group:
    """Pods of one group share one value."""
    return Group(name, int(size) if _SIZE.fullmatch(size) else 0)


def _shape(spec: PodSpec, status: PodStatus) -> pod_size.Shape:
    pending = status.condition("PodResizePending")
    # Names are unique among both.
    states = {state.name: state for state in status.container_statuses or ()}
    if spec.init_containers:
        states |= {state.name: state for state in status.init_container_statuses or ()}
    return pod_size.Shape(
        tuple([pod_size.part(found, states.get(found.name)) for found in spec.containers or ()]),
        tuple(
            [pod_size.part(found, states.get(found.name)) for found in spec.init_containers or ()]
        ),
        pod_size.whole(spec.resources, status.resources, status.allocated_resources),
        pod_size.items(spec.overhead),
        pending is not None and pending.reason == "Infeasible",
    )
