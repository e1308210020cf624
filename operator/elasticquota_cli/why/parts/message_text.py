"""Reads what the controller has written to a waiting pod: the sentence, its reason, the position.

All that is said of why a pod waits is read of one text, so that a reason, a number and a sentence
are everywhere those of the pod's condition.
"""

import re
from typing import Final, NamedTuple

from elasticquota.model import wait_reason
from elasticquota_cli.why.parts import report


_POSITION: Final = re.compile(r"[Pp]osition (\d{1,9}) of (\d{1,9})", re.ASCII)
_MORE: Final = re.compile(r" More: kubectl elastic-quota explain [^\[\n]*?(?= \[|$)")


class Sentence(NamedTuple):
    """Why a pod waits."""

    text: str
    """Without where to read more, for the command that this leads to."""
    reason: str
    """Empty: it is none of ours."""
    line: report.QueuePlace | None
    """The position that it states."""


def read(message: str) -> Sentence:
    """What a message of the controller says."""
    found = _POSITION.search(message)
    return Sentence(
        _MORE.sub("", message),
        wait_reason.of(message),
        report.QueuePlace(int(found[1]), int(found[2])) if found else None,
    )
