"""A duration as people write it: whole seconds (``30``), or numbers with units (``1m30s``).

The units are those of Go's durations that people use for waiting (h, m, s, ms), each at most once
and the largest first; no fractions and no signs. Nobody waits for longer than a day.
"""

import re
from typing import Final


_FORM: Final = re.compile(
    r"(?P<plain>\d{1,9})|(?=\d)((?P<h>\d{1,9})h)?((?P<m>\d{1,9})m(?!s))?((?P<s>\d{1,9})s)?"
    r"((?P<ms>\d{1,9})ms)?",
    re.ASCII,
)
_MILLISECONDS: Final = {"plain": 1_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
LONGEST: Final = 24 * 3_600_000


def read(text: str) -> int | None:
    """Milliseconds, or None for what is no duration or longer than a day."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    total = sum(int(parts[unit] or 0) * worth for unit, worth in _MILLISECONDS.items())
    return total if total <= LONGEST else None
