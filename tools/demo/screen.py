"""Prints the demo: narration, commands, their unchanged output, and results.

A terminal gets colors (unless NO_COLOR is set) and live lines that are redrawn while the demo
waits. Everywhere else the same text is printed once, in plain lines.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import Final, TextIO


_BOLD: Final = "1"
_DIM: Final = "2"
_RED: Final = "31"
_GREEN: Final = "32"
_CYAN: Final = "36"
_WIDTH: Final = 100
_UP_AND_CLEAR: Final = "\x1b[{}F\x1b[J"


class Screen:
    """Writes to one stream; ``terminal`` allows redrawing, ``colour`` allows colors."""

    def __init__(
        self, stream: TextIO, *, terminal: bool, colour: bool, columns: int = _WIDTH
    ) -> None:
        self._stream = stream
        self._terminal = terminal
        self._colour = colour
        self._columns = columns
        self._drawn = 0

    @property
    def draws(self) -> bool:
        """Whether ``live`` shows anything, so that making its lines is worth the cost."""
        return self._terminal

    def title(self, text: str) -> None:
        self._print(self._in(_BOLD, text))

    def chapter(self, text: str) -> None:
        """Print a heading after an empty line."""
        self._print("")
        self._print(self._in(_BOLD + ";" + _CYAN, f"== {text}"))

    def say(self, text: str) -> None:
        """Print narration, wrapped to the width."""
        for line in textwrap.wrap(text, width=min(self._columns, _WIDTH) - 2):
            self._print(f"  {line}")

    def command(self, text: str) -> None:
        """Print a command as a person would type it."""
        self._print(self._in(_BOLD, f"  $ {text}"))

    def output(self, text: str) -> None:
        """Print the output of a program unchanged, indented by four spaces."""
        for line in text.rstrip("\n").splitlines():
            self._print(f"    {line}")

    def live(self, text: str) -> None:
        """Draw lines that the next text replaces; only on a terminal."""
        if not self._terminal:
            return
        self._erase()
        lines = text.rstrip("\n").splitlines()
        for line in lines:
            # A line that wraps would break the count of lines to go up.
            self._stream.write(self._in(_DIM, f"    {line}"[: self._columns - 1]) + "\n")
        self._drawn = len(lines)
        self._stream.flush()

    def proved(self, claim: str, seconds: float) -> None:
        """Print a claim that is true, and the seconds it took."""
        self._print(f"  {self._in(_GREEN, 'ok')} {claim} ({seconds:.1f} s)")

    def refuted(self, claim: str, expected: str, seen: str) -> None:
        """Print a claim that is not true, with what was expected and seen."""
        self._print("")
        self._print(f"  {self._in(_RED, 'FAILED')} {claim}")
        for what, text in (("expected", expected), ("seen", seen)):
            first, *rest = text.splitlines() or ["nothing"]
            self._print(f"    {what + ':':9} {first}")
            for line in rest:
                self._print(f"    {'':9} {line}")

    def error(self, text: str) -> None:
        """Print why the demo cannot go on."""
        self._print(self._in(_RED, text))

    def _print(self, line: str) -> None:
        self._erase()
        self._stream.write(line + "\n")
        self._stream.flush()

    def _erase(self) -> None:
        if self._drawn:
            self._stream.write(_UP_AND_CLEAR.format(self._drawn))
            self._drawn = 0

    def _in(self, colour: str, text: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour else text


def standard() -> Screen:
    """The screen for the standard output of this process."""
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    colour = wants_colour(terminal=terminal, environment=os.environ)
    columns = shutil.get_terminal_size((_WIDTH, 24)).columns
    return Screen(sys.stdout, terminal=terminal, colour=colour, columns=columns)


def wants_colour(*, terminal: bool, environment: Mapping[str, str]) -> bool:
    """Whether to use colors: on a terminal, unless NO_COLOR is set."""
    return terminal and not environment.get("NO_COLOR")
