"""Reads what the controller has written to a waiting pod: the sentence, its reason, the position.

This is the one place where a sentence of ours is taken apart. A pod's status has no field for a
reason and a position, and the annotations that the controller would have to add in their place are
a second write to every waiting pod (decision 25). So of a pod, or of a job's QueueUnit, that the
controller has written to, reason, number and sentence are read of that one text. What the
command decides itself is never read of a text.
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
    """What a stored message of the controller says."""
    found = _POSITION.search(message)
    return Sentence(
        _MORE.sub("", message),
        wait_reason.of(message),
        report.QueuePlace(int(found[1]), int(found[2])) if found else None,
    )
