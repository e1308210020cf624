"""The hierarchy of namespaces of HNC (``hnc.x-k8s.io/v1alpha2``) -> the parent of each.

Three objects say who is whose parent: the HierarchyConfiguration ``hierarchy`` in the child, the
SubnamespaceAnchor with the child's name in the parent, and an annotation of the child.
"""

from typing import Final, NamedTuple

from elasticquota.model.fault import Fault
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest


API: Final = "hnc.x-k8s.io"
QUOTA: Final = "HierarchicalResourceQuota"
CONFIGURATION: Final = "HierarchyConfiguration"
ANCHOR: Final = "SubnamespaceAnchor"
SUBNAMESPACE_OF: Final = "hnc.x-k8s.io/subnamespace-of"

_SINGLETON: Final = "hierarchy"
_LONGEST: Final = 63


class Parentage(NamedTuple):
    """What one object says about the parent of a namespace."""

    rank: int
    """The smallest counts: 0 configuration, 1 anchor, 2 annotation."""
    child: str
    parent: str
    """Empty: the object says that there is none."""
    source: str
    """The object, for warnings."""
    where: str
    faults: tuple[Fault, ...] = ()


def configuration(manifest: SpecManifest) -> Parentage | None:
    """Return the parent in a HierarchyConfiguration; None if HNC does not read it."""
    if manifest.metadata.name != _SINGLETON:
        return None
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    parent = spec.get("parent")
    if parent and not _is_namespace(parent):
        faults.append(Fault("spec.parent", f"must name a namespace, got {fields.shown(parent)}"))
        parent = ""
    child = manifest.metadata.namespace
    source = f"{CONFIGURATION} {fields.shown_key(child)}/{_SINGLETON}"
    return Parentage(0, child, parent or "", source, "spec.parent", tuple(faults))


def anchor(manifest: SpecManifest) -> Parentage:
    """Return the parent that a SubnamespaceAnchor stands for."""
    parent, child = manifest.metadata.key
    source = f"{ANCHOR} {fields.shown_key(parent)}/{fields.shown_key(child)}"
    where = "metadata.namespace"
    if not _is_namespace(parent):
        fault = Fault(where, f"must name a namespace, got {fields.shown(parent)}")
        return Parentage(1, child, "", source, where, (fault,))
    return Parentage(1, child, parent, source, where)


def namespace(manifest: NamespaceManifest) -> Parentage:
    """Return the parent in a Namespace's annotation; without one, that it has none."""
    name = manifest.metadata.name
    parent = manifest.metadata.annotation(SUBNAMESPACE_OF)
    source = f"Namespace {fields.shown_key(name)}"
    where = f"metadata.annotations[{SUBNAMESPACE_OF}]"
    if parent and not _is_namespace(parent):
        fault = Fault(where, f"must name a namespace, got {fields.shown(parent)}")
        return Parentage(2, name, "", source, where, (fault,))
    return Parentage(2, name, parent, source, where)


def _is_namespace(value: object) -> bool:
    return fields.is_name(value) and len(value) <= _LONGEST
