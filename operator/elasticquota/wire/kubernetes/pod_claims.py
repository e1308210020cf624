"""``spec.resourceClaims`` and ``status.resourceClaimStatuses`` of a pod -> a ``ClaimingPod``."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from elasticquota.model.claims import ClaimingPod, ClaimReference
from elasticquota.model.pod import Pod
from elasticquota.structs import fields_of


def of_pod(pod: Pod, written: Sequence[Any], status: Any) -> ClaimingPod:
    """Return ``pod`` with its references to claims."""
    generated: Mapping[str, str | None] = {
        each.name: each.resource_claim_name for each in status.resource_claim_statuses or ()
    }
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
