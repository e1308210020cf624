"""Texts of users as they leave the product: on one line, printable, and cut.

Names and texts in objects may contain commands for a terminal, marks that turn the direction of
reading, or megabytes. They are kept as they are stored, and pass through here where people read
them: messages, conditions, events, logs, tables. Forms that programs read back escape them.
"""

import difflib
import json
from collections.abc import Iterable
from typing import Final


LONGEST: Final = 1024
"""Most characters of a message; events take as many bytes."""
_CUT: Final = "..."
_COMPARED: Final = 64
"""Characters of a word that are compared with others."""


def printable(text: str, most: int | None = None) -> str:
    """Replace what is not printable by ``?``, and cut after ``most`` characters; None: do not."""
    if most is not None and len(text) > most:
        text = text[: most - len(_CUT)] + _CUT
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else "?" for each in text)


def message(text: str) -> str:
    """Return the text as it goes into a condition or an event; its end, the reason, is kept."""
    if len(text) > LONGEST:
        half = (LONGEST - len(_CUT)) // 2
        text = text[:half] + _CUT + text[-half:]
    return printable(text)


def escaped(line: str) -> str:
    """Escape what is not printable in a line of JSON, which then means the same."""
    if line.isprintable():
        return line
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)


def nearest(word: str, known: Iterable[str], likeness: float = 0.5) -> str:
    """Return the known word that was meant; empty: none is as near. Case does not matter."""
    by_lower = {each.lower(): each for each in sorted(known)}
    found = difflib.get_close_matches(word.lower()[:_COMPARED], by_lower, n=1, cutoff=likeness)
    return by_lower[found[0]] if found else ""
