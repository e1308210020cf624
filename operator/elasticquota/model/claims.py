"""Claims of devices (DRA, ``resource.k8s.io/v1``): what pods refer to and what claims request.

Only what is counted is kept: class and number of devices. Selectors, constraints and
configuration are the scheduler's.
"""

from collections.abc import Container, Mapping
from typing import Final, NamedTuple

from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import QueuedJob
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field


ALL: Final = -1
"""The number of a request for all devices of one node (``allocationMode: All``)."""


class ClaimReference(NamedTuple):
    """One entry of a pod's ``spec.resourceClaims``; one of ``claim`` and ``template`` is set."""

    name: str
    claim: str = ""
    """The claim that the pod names, or that was generated for it; empty: there is none yet."""
    template: str = ""
    """The template from which its claim is generated."""
    skipped: bool = False
    """The controller of claims decided that the pod needs no claim for this entry."""


class ClaimingPod(Pod, frozen=True):
    """A pod with claims; ``devices.pod_claims`` adds their devices to its request."""

    claims: tuple[ClaimReference, ...] = ()
    obstacle: str = ""
    """Why its claims cannot be counted yet; such a pod is not admitted. Empty: they are counted."""


class ClaimingSet(NamedTuple):
    """Equal pods of a queued job."""

    where: str
    """Path of their template in the job."""
    number: int
    """For how many of them the job reserves room; 0: for none."""
    request: Resources
    """Of one of them without its claims, accounting units."""
    claims: tuple[ClaimReference, ...] = ()


class ClaimingJob(QueuedJob, frozen=True):
    """A queued job whose templates have claims; ``devices.job_claims`` adds their devices."""

    sets: tuple[ClaimingSet, ...] = ()
    """All its sets of pods, also those without claims."""
    obstacle: str = ""
    """Why its claims cannot be counted yet; such a job is not admitted. Empty: they are counted."""


class Alternative(NamedTuple):
    """Devices of one class."""

    name: str
    device_class: str
    number: int
    """How many, or ``ALL``."""


class DeviceRequest(NamedTuple):
    """One request of a claim, which one of its alternatives satisfies."""

    name: str
    alternatives: tuple[Alternative, ...] = ()


class ClaimSpec(Struct, frozen=True):
    """The requests of a claim or template that count; those with admin access are left out."""

    requests: tuple[DeviceRequest, ...] = ()
    faults: tuple[Fault, ...] = ()
    """What could not be read; one line for each part."""

    def unknown_class(self, known: Container[str]) -> str:
        """Return a class that it names and that is not ``known``; empty: there is none."""
        named = (each.device_class for request in self.requests for each in request.alternatives)
        return next((name for name in named if name not in known), "")


class DeviceClaim(Struct, frozen=True):
    """A ResourceClaim."""

    key: Key
    spec: ClaimSpec
    owner: str = ""
    """Uid of the pod for which it was generated; empty: a claim that pods may share."""
    allocated: Mapping[str, int] | None = None
    """Device class -> devices that the scheduler has allocated; None: nothing is allocated."""


class ClaimTemplate(Struct, frozen=True):
    """A ResourceClaimTemplate."""

    key: Key
    spec: ClaimSpec


class DeviceClass(Struct, frozen=True):
    """A DeviceClass."""

    name: str
    created: str = ""
    expressions: tuple[str, ...] = ()
    """CEL expressions, all of which a device must satisfy."""
    extended: str = ""
    """Extended resource that its devices also serve; empty: none."""
    faults: tuple[Fault, ...] = ()
    uid: str = ""


class ClassDemand(Struct, frozen=True):
    """What decides how claims and extended resources are counted, apart from the claims."""

    largest: Mapping[str, int] = field(default_factory=dict)
    """Device class -> the most devices that one node offers."""
    extended: Mapping[str, str] = field(default_factory=dict)
    """Device class -> its extended resource."""
    uncounted: frozenset[str] = frozenset()
    """Classes whose devices cannot be counted; they count nowhere."""
    served: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Extended resource of a class -> the nodes on which a device plugin offers it."""
    known: frozenset[str] = frozenset()
    """The device classes that exist."""
