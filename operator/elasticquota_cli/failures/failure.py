"""What a verb writes to standard error: its notes, and the error that ends it."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from elasticquota.model.fault import Fault
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


class InputFault(NamedTuple):
    """One thing that is wrong in the input."""

    where: str
    """The file, or the object in it; empty: all that was given."""
    fault: Fault

    def __str__(self) -> str:
        return f"{self.where}: {self.fault}" if self.where else str(self.fault)


def refuse(faults: Sequence[InputFault]) -> None:
    """Raise `Failure` with a line for each fault of the input; nothing happens without faults."""
    if faults:
        raise Failure("\n".join(map(str, faults)), BAD_INPUT)


def note(notes: Iterable[str]) -> None:
    """Print the notes, one sentence each."""
    for each in notes:
        table.line(f"note: {each}", aside=True)
