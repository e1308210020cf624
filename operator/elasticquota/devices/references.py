"""What pods and jobs say of the claims that they refer to, and how it reads when one is missing."""

from collections.abc import Iterable, Iterator

from elasticquota.model.claims import (
    ClaimingJob,
    ClaimReference,
    ClaimTemplate,
    ClassDemand,
    DeviceClaim,
)
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


def missing_template(key: Key) -> str:
    """Return what is said of a template that does not exist."""
    return f"ResourceClaimTemplate {key} does not exist. Create it"


def missing_claim(key: Key) -> str:
    """Return what is said of a claim that does not exist."""
    return f"ResourceClaim {key} does not exist. Create it"


def held(claim: Key, holder: Pod | ClaimingJob) -> str:
    """Return what is said of a claim that counts in another pod or job, which waits."""
    who = holder.title
    return f"ResourceClaim {claim} counts in {who}, which waits"


def unknown_class(found: DeviceClaim | ClaimTemplate, classes: ClassDemand) -> str:
    """Return what is said of a class that is named and does not exist; empty: all exist."""
    unknown = found.spec.unknown_class(classes.known)
    if not unknown:
        return ""
    whose = "ResourceClaim" if isinstance(found, DeviceClaim) else "ResourceClaimTemplate"
    return f"DeviceClass {unknown} does not exist. Create it, or correct {whose} {found.key}"
