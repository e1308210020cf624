"""The sentence about the expected start in the message of a waiting pod.

The message is written for other reasons, never because this sentence would be another one. So it
says of what time it is, and it is left out when two messages are compared. Messages are compared
whole, with what was decided: what a controller before this one has written is kept only in the
pod's condition, and no part of it is read.
"""

from typing import Final

from elasticquota.forecast import positions, wording
from elasticquota.model import moments
from elasticquota.model.decision import Wait
from elasticquota.model.wait_estimate import WaitEstimate


_START: Final = " Expected to start in "


def sentence(estimate: WaitEstimate | None, position: int, now: int) -> str:
    """Return the sentence for a position, from 1, at ``now`` (epoch milliseconds).

    Empty: nothing is known, or what was expected has passed in vain.
    """
    found = None if estimate is None or position < 1 else positions.of_position(estimate, position)
    if estimate is None or found is None or found.high is None:
        return ""
    left = positions.remaining(found, max(0, now - estimate.made_at) // 1000)
    if not left.high:
        return ""
    at = moments.text(now)[11:16]
    return f"{_START}{wording.expected(left)}, as of {at} UTC."


def message(wait: Wait, said: str) -> str:
    """Return the message on the pod with this sentence after its text."""
    return f"{wait.text}{said}{wait.end}"


def is_said(wait: Wait, stored: str) -> bool:
    """Whether a ``stored`` message says this, whatever start it expects."""
    return stored.startswith(wait.text) and (
        stored == wait.message
        or (stored.startswith(_START, len(wait.text)) and stored.endswith(wait.end))
    )
