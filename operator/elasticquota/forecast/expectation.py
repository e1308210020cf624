"""The sentence about the expected start in the message of a waiting pod.

The message is written for other reasons, never because this sentence would be another one. So it
says of what time it is, and it is left out when two messages are compared.
"""

import re
from typing import Final

from elasticquota.forecast import positions, wording
from elasticquota.model import moments
from elasticquota.model.wait_estimate import WaitEstimate


_SENTENCE: Final = re.compile(r" Expected to start in [^.\[\]]{1,60}, as of \d\d:\d\d UTC\.")
_CODE: Final = re.compile(r"( More: [^\[\]]+)? ?\[\w+\]$", re.ASCII)
"""Where to read more and the reason code, at the end of a message."""


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
    return f" Expected to start in {wording.expected(left)}, as of {at} UTC."


def added(message: str, said: str) -> str:
    """Return the message with the sentence before its last two parts, or at its end."""
    code = _CODE.search(message)
    if code is None or not said:
        return f"{message}{said}"
    return f"{message[: code.start()]}{said}{code.group()}"


def removed(message: str) -> str:
    """Return the message without the sentence."""
    return _SENTENCE.sub("", message)
