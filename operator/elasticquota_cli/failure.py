"""The error that is printed to the user instead of a traceback: a sentence and an exit code."""

from collections.abc import Sequence
from typing import Final


BAD_INPUT: Final = 2
"""The exit code for arguments and files that cannot be used."""


class Failure(Exception):  # noqa: N818 - it is the word for it
    """A verb failed; the text may have several lines, one for each fault."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def check(faults: Sequence[str]) -> None:
    """Raise `Failure` for bad input if there are ``faults``."""
    if faults:
        raise Failure("\n".join(faults), BAD_INPUT)
