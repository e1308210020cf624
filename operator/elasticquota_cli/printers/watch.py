"""Shows again and again what a verb finds, for ``-w``.

On a terminal it is drawn in place. In a pipe it is printed again when it is another, so nothing is
printed while nothing happens.
"""

import io
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Final


EVERY: Final = 2.0
"""Seconds between two looks."""

_CLEAR: Final = "\033[H\033[2J"
"""The cursor goes to the first line, and the screen is empty."""


def repeat(show: Callable[[], int]) -> int:
    """Run ``show`` until it returns another code than 0, which is returned, or raises.

    Ctrl-C ends it with 0: who watches has seen enough.
    """
    before = ""
    try:
        while True:
            code, said = _said_by(show)
            if sys.stdout.isatty():
                print(f"{_CLEAR}{said}", end="", flush=True)
            elif said != before:
                print(said, end="", flush=True)
            if code:
                return code
            before = said
            time.sleep(EVERY)
    except KeyboardInterrupt:
        return 0


class _Page(io.StringIO):
    """What is printed on standard output, as wide and in the encoding that this has."""

    def __init__(self) -> None:
        super().__init__()
        self._real = sys.stdout

    @property
    def encoding(self) -> str:  # type: ignore[override]  # never written
        return self._real.encoding

    def isatty(self) -> bool:
        return self._real.isatty()


def _said_by(show: Callable[[], int]) -> tuple[int, str]:
    with redirect_stdout(_Page()) as page:
        code = show()
    return code, page.getvalue()
