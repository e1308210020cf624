"""What pods and jobs say of the claims that they refer to, and what is wrong with a reference.

Such a fault has no path yet: that of the entry of the pod, or of the job's template, is put before.
"""

from collections.abc import Iterable, Iterator

from elasticquota.model.claims import (
    ClaimingJob,
    ClaimReference,
    ClaimTemplate,
    ClassDemand,
    DeviceClaim,
)
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


def distinct(references: Iterable[ClaimReference]) -> Iterator[ClaimReference]:
    """Iterate over the references; two of one claim are one."""
    seen: set[str] = set()
    for each in references:
        if not each.claim or each.claim not in seen:
            seen.add(each.claim)
            yield each


def group(user: Pod | ClaimingJob) -> str:
    """Return the name of the group with which it is admitted; empty: it has none."""
    return user.group.name if isinstance(user, Pod) and user.group is not None else ""


def missing_template(key: Key) -> Fault:
    """Return the fault of a reference to a template that does not exist."""
    return Fault("", f"ResourceClaimTemplate {key} does not exist", "Create it")


def missing_claim(key: Key) -> Fault:
    """Return the fault of a reference to a claim that does not exist."""
    return Fault("", f"ResourceClaim {key} does not exist", "Create it")


def unread(found: DeviceClaim | ClaimTemplate) -> Iterator[Fault]:
    """Iterate over what could not be read of it; its own paths are a part of what is said."""
    return (Fault("", str(fault)) for fault in found.spec.faults)


def held(claim: Key, holder: Pod | ClaimingJob) -> Fault:
    """Return what is wrong with a claim that counts in another pod or job, which waits."""
    return Fault("", f"ResourceClaim {claim} counts in {holder.title}, which waits")


def unknown_class(found: DeviceClaim | ClaimTemplate, classes: ClassDemand) -> Fault | None:
    """Return the fault of a class that is named and does not exist; None: all exist."""
    unknown = found.spec.unknown_class(classes.known)
    if not unknown:
        return None
    whose = "ResourceClaim" if isinstance(found, DeviceClaim) else "ResourceClaimTemplate"
    remedy = f"Create it, or correct {whose} {found.key}"
    return Fault("", f"DeviceClass {unknown} does not exist", remedy)
