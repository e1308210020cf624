"""The reasons why a pod waits: stable words, a part of the API. Commands read them of messages."""

from typing import Final, Literal, get_args

from elasticquota.model import reason_code


WaitReason = Literal[
    "QuotaExhausted",
    "AncestorExhausted",
    "ExceedsMax",
    "LimitReached",
    "NoNodeFits",
    "NoNodeFitsNow",
    "QuotaNotAccepted",
    "WaitingForReclaim",
    "ProfileMissing",
    "QuotaPaused",
    "WaitingInLine",
    "WaitingForClaim",
    "WaitingForGroup",
    "WaitingForOtherGates",
    "ReleaseRefused",
    "WaitingForProvisioning",
    "ProvisioningRefused",
]

_REASONS: Final = frozenset(get_args(WaitReason))


def of(message: str) -> str:
    """Return the reason of the wait that ``message`` of a pod is about; empty: it is not ours."""
    found = reason_code.at_end(message)
    return found if found in _REASONS else ""
