"""Reads what the controller has written to a waiting pod: the position and the reason."""

import re
from typing import Final

from elasticquota.model import wait_reason
from elasticquota_cli.explain import report


_POSITION: Final = re.compile(r"[Pp]osition (\d{1,9}) of (\d{1,9})", re.ASCII)
_MORE: Final = re.compile(r" More: kubectl elastic-quota explain [^\[\n]*?(?= \[|$)")


def line(message: str) -> report.Line | None:
    """The position in a message of the controller; None: the message states none."""
    found = _POSITION.search(message)
    return report.Line(int(found[1]), int(found[2])) if found else None


def reason(message: str) -> str:
    """The reason at the end of a message of the controller; empty: it is none of its own."""
    return wait_reason.of(message)


def without_pointer(message: str) -> str:
    """The message without where to read more, for the command that it points to."""
    return _MORE.sub("", message)
