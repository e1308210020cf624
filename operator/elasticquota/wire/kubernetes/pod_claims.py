"""``spec.resourceClaims`` and ``status.resourceClaimStatuses`` of a pod -> a ``ClaimingPod``."""

import sys
from collections.abc import Sequence

import msgspec

from elasticquota.model.claims import ClaimingPod, ClaimReference
from elasticquota.model.pod import Pod
from elasticquota.structs import fields_of


class ResourceClaim(msgspec.Struct, rename="camel", gc=False):
    """One entry of ``spec.resourceClaims`` of a pod or a template."""

    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class ResourceClaimStatus(msgspec.Struct, rename="camel", gc=False):
    """One entry of ``status.resourceClaimStatuses``: the claim that was generated for an entry."""

    name: str = ""
    resource_claim_name: str | None = None


def of_pod(
    pod: Pod, written: Sequence[ResourceClaim], statuses: Sequence[ResourceClaimStatus]
) -> ClaimingPod:
    """Return ``pod`` with its references to claims."""
    generated = {each.name: each.resource_claim_name for each in statuses}
    references = tuple(
        [
            ClaimReference(
                each.name,
                each.resource_claim_name or generated.get(each.name) or "",
                sys.intern(each.resource_claim_template_name or ""),
                skipped=each.resource_claim_name is None
                and each.name in generated
                and not generated[each.name],
            )
            for each in written
        ]
    )
    return ClaimingPod(**fields_of(Pod, pod), claims=references)


def waiting(pod: Pod, obstacle: str) -> ClaimingPod:
    """Return ``pod`` as one that waits for its claims, of which only the reason is known."""
    return ClaimingPod(**fields_of(Pod, pod), obstacle=obstacle)
