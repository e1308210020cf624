"""What a verb writes to standard error: its notes, and the error that ends it."""

from collections.abc import Iterable, Sequence
from typing import Final

from elasticquota_cli.printers import table


BAD_INPUT: Final = 2
"""The exit code for files and options that cannot be used."""


class Failure(Exception):  # noqa: N818 - it is the word for it
    """A verb failed; the text may have several lines, one for each fault.

    It is printed instead of a traceback, and ``code`` is the exit code.
    """

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def refuse(faults: Sequence[str]) -> None:
    """Raise `Failure` with a line for each fault of the input; nothing happens without faults."""
    if faults:
        raise Failure("\n".join(faults), BAD_INPUT)


def note(notes: Iterable[str]) -> None:
    """Print the notes, one sentence each."""
    for each in notes:
        table.line(f"note: {each}", aside=True)
