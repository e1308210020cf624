"""The answer of an autoscaler: what the conditions of a ProvisioningRequest say.

``Failed`` and ``CapacityRevoked`` are final. ``BookingExpired`` means that nodes were booked and no
longer are. ``Provisioned`` means that they are there. All other conditions say that the autoscaler
has seen the request and goes on. Only a client that may write the status of the kind can set them.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from elasticquota.model import moments
from elasticquota.structs import Struct


State = Literal["silent", "waiting", "provisioned", "refused"]

_REFUSALS: Final = ("Failed", "CapacityRevoked", "BookingExpired")
_PROVISIONED: Final = "Provisioned"
_LONGEST: Final = 300
"""Characters of a message; the rest is cut off."""


class ProvisioningAnswer(Struct, frozen=True):
    """What an autoscaler has said so far."""

    state: State = "silent"
    text: str = ""
    """Reason and message of the condition that counts, for people."""
    at: int | None = None
    """When that condition was set, epoch milliseconds; None: it does not say."""


def read(document: Mapping[str, Any]) -> ProvisioningAnswer:
    """Read the answer from a stored ProvisioningRequest; what has a wrong shape says nothing."""
    conditions = _conditions(document)
    for kind in _REFUSALS:
        if _is_true(conditions.get(kind)):
            return _answer("refused", kind, conditions[kind])
    found = conditions.get(_PROVISIONED)
    if _is_true(found):
        return _answer("provisioned", _PROVISIONED, conditions[_PROVISIONED])
    if found is not None:
        return _answer("waiting", "not provisioned", found)
    accepted = conditions.get("Accepted")
    if accepted is not None:
        return _answer("waiting", "Accepted", accepted)
    return ProvisioningAnswer("waiting") if conditions else ProvisioningAnswer()


def _conditions(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    status = document.get("status")
    listed = status.get("conditions") if isinstance(status, Mapping) else None
    return {
        each["type"]: each
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, Mapping) and isinstance(each.get("type"), str)
    }


def _is_true(condition: Mapping[str, Any] | None) -> bool:
    return condition is not None and condition.get("status") == "True"


def _answer(state: State, kind: str, condition: Mapping[str, Any]) -> ProvisioningAnswer:
    parts = [kind, _word(condition.get("reason")), _word(condition.get("message"))]
    texts = [part for place, part in enumerate(parts) if part and part not in parts[:place]]
    return ProvisioningAnswer(
        state, ": ".join(texts)[:_LONGEST], moments.read(_word(condition.get("lastTransitionTime")))
    )


def _word(found: object) -> str:
    """The text on one line; empty for anything else."""
    return " ".join(found.split()) if isinstance(found, str) else ""
