"""What the owner of a waiting pod can do, by the reason why it waits."""

from collections.abc import Mapping, Sequence
from typing import Final

from elasticquota.model.wait_reason import WaitReason


_WAIT: Final = "wait: nothing else is needed"
_FREE: Final = "end pods of quota {quota} that are no longer needed, or run fewer of them"
_ASK_LESS: Final = "ask for less in the requests of the pod"
_MORE: Final = "ask who keeps quota {quota} for a larger share of it"
_OF_REASON: Final[Mapping[WaitReason, Sequence[str]]] = {
    "QuotaExhausted": (_WAIT, _FREE, _MORE),
    "AncestorExhausted": (_WAIT, _FREE, "ask who keeps the quotas above {quota} for more"),
    "ExceedsMax": (_ASK_LESS, "ask who keeps quota {quota} for a larger max"),
    "LimitReached": (_WAIT, "end pods that count for the same limit"),
    "NoNodeFits": (
        _ASK_LESS,
        "check its node selector, affinity and tolerations",
        "ask the administrator for nodes that it fits on",
    ),
    "NoNodeFitsNow": (_WAIT, "check its node selector, affinity and tolerations"),
    "QuotaNotAccepted": ("ask who keeps quota {quota} to correct it",),
    "ProfileMissing": ("ask the administrator to create the profile of the tree again",),
    "QuotaPaused": ("ask who paused the quota, or one above it, when the pause ends",),
    "WaitingForReclaim": (_WAIT,),
    "WaitingInLine": (_WAIT, "give it a higher priority class, if it may go first"),
    "WaitingForClaim": ("create or correct the ResourceClaims that it names",),
    "WaitingForGroup": ("create the pods of its group that are missing",),
    "WaitingForOtherGates": ("see why the owner of the other scheduling gate keeps it",),
    "ReleaseRefused": ("see its event QuotaReleaseRefused, and correct who refuses its updates",),
    "WaitingForProvisioning": (_WAIT,),
    "ProvisioningRefused": (_ASK_LESS, "ask the administrator of the cluster autoscaler"),
}
_NOT_REPORTED: Final = (
    "wait a moment: the controller has not said why yet",
    "if that stays so, ask the administrator to run: kubectl elastic-quota doctor",
)


def of(reason: str, quota: str) -> list[str]:
    """The possible steps, the simplest first; an empty reason means that none was reported."""
    found = next((steps for known, steps in _OF_REASON.items() if known == reason), _NOT_REPORTED)
    return [each.format(quota=quota) for each in found]
