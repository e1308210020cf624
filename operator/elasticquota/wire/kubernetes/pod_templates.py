"""A pod template -> the request, priority, owner and nodes of its pods.

The API server checks templates of batch/v1; those in custom resources may have any shape. What
admission adds to a pod later is not known here: overhead of a runtime class, defaults of a
LimitRange, injected sidecars. They count as soon as the pods exist.
"""

from typing import Any, Final

import msgspec

from elasticquota import names
from elasticquota.model import holder
from elasticquota.model.claims import ClaimReference
from elasticquota.model.constraints import EVERYWHERE, Constraints
from elasticquota.model.fault import Fault
from elasticquota.model.holder import Holder
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field, replace
from elasticquota.wire.codec import amounts, fields, mismatches
from elasticquota.wire.kubernetes import constraints, holders, node_affinity, pod_size
from elasticquota.wire.kubernetes.pod_claims import ResourceClaim


class PodTemplate(Struct, frozen=True):
    """What a template says about pods that do not exist yet."""

    request: Resources = field(default_factory=lambda: {names.PODS: 1})
    """The request of one pod in accounting units, with ``pods: 1``."""
    priority_class: str = ""
    priority: int | None = None
    quota_label: str = ""
    preemptible: bool = True
    holder: Holder = holder.NO_HOLDER
    quota_alias: str = ""
    """The quota that a label of ACK names."""
    constraints: Constraints = EVERYWHERE
    """What it demands of nodes. Admission may add to that, so it tolerates all taints."""
    claims: tuple[ClaimReference, ...] = ()
    """Of each of its pods."""


class _Metadata(msgspec.Struct, gc=False):
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None


class _PodTemplateSpec(msgspec.Struct, rename="camel", gc=False):
    containers: list[pod_size.Container] | None = None
    init_containers: list[pod_size.Container] | None = None
    resources: pod_size.Requirements | None = None
    overhead: amounts.Written | None = None
    priority_class_name: str | None = None
    priority: int | None = None
    resource_claims: list[ResourceClaim] | None = None


class _PodTemplateManifest(msgspec.Struct, gc=False):
    metadata: _Metadata | None = None
    spec: _PodTemplateSpec | None = None


class _Placement(msgspec.Struct, rename="camel", gc=False):
    node_selector: dict[str, str] | None = None
    affinity: node_affinity.Affinity | None = None


_NO_METADATA: Final = _Metadata()
_NO_SPEC: Final = _PodTemplateSpec()


def read(written: object, where: str, faults: list[Fault]) -> PodTemplate:
    """Return the template at ``where``; pods of an unreadable template request only ``pods: 1``."""
    manifest = _converted(written, _PodTemplateManifest, where, faults)
    if manifest is None:
        return PodTemplate()
    spec = manifest.spec or _NO_SPEC
    metadata = manifest.metadata or _NO_METADATA
    labels = metadata.labels or {}
    parts = tuple([pod_size.part(each, None) for each in spec.containers or ()])
    initial = tuple([pod_size.part(each, None) for each in spec.init_containers or ()])
    whole = pod_size.whole(spec.resources, None, None)
    overhead = pod_size.items(spec.overhead)
    size = pod_size.size(pod_size.Shape(parts, initial, whole, overhead, False))
    faults += [fault.below(where) for fault in size.faults]
    return PodTemplate(
        size.request,
        spec.priority_class_name or "",
        spec.priority,
        labels.get(names.QUOTA_NAME, ""),
        labels.get(names.PREEMPTIBLE, "") != "false",
        holders.read(labels, metadata.annotations or {}),
        next(filter(None, map(labels.get, names.QUOTA_ALIASES)), ""),
        _constraints(written),
        tuple(
            [
                ClaimReference(
                    each.name,
                    each.resource_claim_name or "",
                    each.resource_claim_template_name or "",
                )
                for each in spec.resource_claims or ()
                if each.resource_claim_name or each.resource_claim_template_name
            ]
        ),
    )


def _constraints(written: Any) -> Constraints:
    """Those of its pods, as far as it says; of another shape the API server refuses the pods."""
    try:
        found = msgspec.convert(written.get("spec") or {}, _Placement)
    except msgspec.ValidationError:
        return EVERYWHERE
    return constraints.read(found.node_selector, found.affinity, constraints.ALL_TAINTS)


def of_requirements(written: object, where: str, faults: list[Fault]) -> PodTemplate:
    """Return a template for which only the resource requirements of one container are given."""
    found = _converted(written, pod_size.Requirements, where, faults)
    if found is None:
        return PodTemplate()
    part = pod_size.part(pod_size.Container(resources=found), None)
    size = pod_size.size(pod_size.Shape((part,), (), None, (), False))
    inside = "spec.containers[0].resources"
    faults += [replace(fault, path=fault.path.replace(inside, where, 1)) for fault in size.faults]
    return PodTemplate(size.request)


def _converted(written: object, kind: Any, where: str, faults: list[Fault]) -> Any:
    if not isinstance(written, dict):
        faults.append(fields.mismatch(where, "a map", written))
        return None
    try:
        return msgspec.convert(written, kind)
    except msgspec.ValidationError as error:
        faults.append(mismatches.fault(error).below(where))
        return None
