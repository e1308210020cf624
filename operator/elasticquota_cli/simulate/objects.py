"""What the documents of a simulation contain, by kind."""

from collections import Counter
from typing import NamedTuple

from elasticquota.model.claims import ClaimTemplate, DeviceClaim, DeviceClass
from elasticquota.model.devices import Slice
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.node import Node
from elasticquota.model.unread import Unread
from elasticquota.model.workload import QueuedJob
from elasticquota.structs import Struct, field
from elasticquota.wire.kubernetes.pods import GroupReader, no_groups
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.submitted import SubmittedObjects
from elasticquota_cli.simulate.workloads import Workload
from elasticquota_config.model import Configuration


DeviceObject = DeviceClaim | ClaimTemplate | DeviceClass | Slice


class PriorityClass(NamedTuple):
    """A priority class and its value."""

    name: str
    value: int
    is_default: bool


class Placed(NamedTuple):
    """A document that is decoded when it is applied."""

    key: Key
    document: Document


class Removal(NamedTuple):
    """A request to delete an object."""

    kind: str
    key: Key
    where: str


class Objects(Struct):
    """The objects in the documents, by kind, in their order."""

    priority_classes: list[PriorityClass] = field(default_factory=list)
    namespaces: list[Namespace] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    profiles: list[Placed] = field(default_factory=list)
    quotas: list[Placed] = field(default_factory=list)
    pods: list[SubmittedObjects] = field(default_factory=list)
    jobs: list[QueuedJob] = field(default_factory=list)
    workloads: list[Workload] = field(default_factory=list)
    removals: list[Removal] = field(default_factory=list)
    configuration: Configuration | None = None
    """The configuration of the controller that wrote the file; None: another source."""
    job_labels: tuple[str, ...] = ()
    """The labels that tie a pod to its job."""
    passed_over: list[str] = field(default_factory=list)
    """Warnings of keys and fields that have no effect, with their places."""
    groups: GroupReader = no_groups
    """Reads the pod groups of other systems."""
    group_objects: list[GroupObject] = field(default_factory=list)
    """Objects that state the size of such groups."""
    group_kinds: set[str] = field(default_factory=set)
    """Kinds of such objects that are all in the documents."""
    unread: list[Unread] = field(default_factory=list)
    """Kinds that are served in no version that is read."""
    devices: list[DeviceObject] = field(default_factory=list)
    """Claims of devices, and what decides how they count."""
    notes: list[str] = field(default_factory=list)
    """What was not read, one sentence each."""
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind, apiVersion) of objects that do not concern quotas, with their number."""
