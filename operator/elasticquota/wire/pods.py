"""Pod manifest -> Pod, the hot path: typed decode of the needed fields only."""

import msgspec

from elasticquota import names
from elasticquota.model.pod import Pod
from elasticquota.wire import amounts, pod_size
from elasticquota.wire.metadata import ObjectMeta


FINISHED = frozenset({"Succeeded", "Failed"})


class Gate(msgspec.Struct, gc=False):
    name: str = ""


class PodSpec(msgspec.Struct, rename="camel", gc=False):
    node_name: str = ""
    priority: int | None = None
    scheduling_gates: list[Gate] | None = None
    containers: list[pod_size.Container] | None = None
    init_containers: list[pod_size.Container] | None = None
    resources: pod_size.Requirements | None = None
    overhead: amounts.Written | None = None


class PodCondition(msgspec.Struct, gc=False):
    type: str = ""
    reason: str | None = None
    message: str | None = None


class PodStatus(msgspec.Struct, rename="camel", gc=False):
    phase: str = ""
    start_time: str | None = None
    resize: str | None = None
    conditions: list[PodCondition] | None = None
    container_statuses: list[pod_size.ContainerStatus] | None = None
    init_container_statuses: list[pod_size.ContainerStatus] | None = None


class PodManifest(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: PodSpec | None = None
    status: PodStatus | None = None

    @property
    def finished(self) -> bool:
        """Succeeded or Failed: counts nowhere."""
        return self.status is not None and self.status.phase in FINISHED


def read(manifest: PodManifest) -> Pod:
    """The pod as written."""
    meta = manifest.metadata
    spec = manifest.spec or PodSpec()
    status = manifest.status or PodStatus()
    conditions = {condition.type: condition for condition in status.conditions or []}
    faults: list[str] = []
    request = pod_size.size(_shape(spec, status, conditions), faults)
    scheduled = conditions.get("PodScheduled")
    return Pod(
        key=meta.key,
        uid=meta.uid,
        created=meta.created,
        quota_label=meta.label(names.QUOTA_NAME),
        request=request,
        priority=spec.priority or 0,
        preemptible=meta.label(names.PREEMPTIBLE) != "false",
        node_name=spec.node_name,
        started=status.start_time or "",
        deleting=meta.deleting,
        gates=tuple(gate.name for gate in spec.scheduling_gates or []),
        mirror=bool(meta.annotation(names.MIRROR_POD)),
        daemon=any(owner.kind == "DaemonSet" for owner in meta.owner_references or []),
        waiting_message=(scheduled and scheduled.message) or "",
        faults=tuple(faults),
    )


def _shape(spec: PodSpec, status: PodStatus, conditions: dict[str, PodCondition]) -> pod_size.Shape:
    pending = conditions.get("PodResizePending")
    infeasible = pending is not None and pending.reason == "Infeasible"
    return pod_size.Shape(
        containers=spec.containers or [],
        init_containers=spec.init_containers or [],
        statuses=(status.container_statuses or []) + (status.init_container_statuses or []),
        pod_level=spec.resources,
        overhead=spec.overhead,
        resize_infeasible=infeasible or status.resize == "Infeasible",
    )
