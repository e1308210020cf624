"""Read and write a duration: whole seconds (``30``), or numbers with units (``1m30s``).

The units are h, m, s and ms, as in Go's durations, each at most once and the largest first; no
fractions and no signs. The longest duration is one day.
"""

import re
from typing import Final

from elasticquota.model.fault import Fault
from elasticquota.wire.codec import fields


_FORM: Final = re.compile(
    r"(?P<plain>\d{1,9})|(?=\d)((?P<h>\d{1,6})h)?((?P<m>\d{1,6})m(?!s))?((?P<s>\d{1,8})s)?"
    r"((?P<ms>\d{1,8})ms)?",
    re.ASCII,
)
_MILLISECONDS: Final = {"plain": 1_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
LONGEST: Final = 24 * 3_600_000
"""Milliseconds."""


def read(text: str) -> int | None:
    """Return milliseconds; None if the text is no duration or longer than a day."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    total = sum(int(parts[unit] or 0) * worth for unit, worth in _MILLISECONDS.items())
    return total if total <= LONGEST else None


def read_units(text: str) -> int | None:
    """Return milliseconds; None if the text is no duration with units, as in a field."""
    return None if text.isdecimal() else read(text)


def read_field(
    value: object, where: str, faults: list[Fault], *, shortest: int, example: str
) -> int | None:
    """Return the milliseconds in ``value``, numbers with units; None without or with a fault.

    ``shortest`` is in milliseconds, ``example`` a good value for the fault.
    """
    if value is None:
        return None
    milliseconds = read_units(value) if isinstance(value, str) else None
    if milliseconds is not None and milliseconds >= shortest:
        return milliseconds
    faults.append(
        fields.mismatch(where, f"a duration like '{example}', from {text(shortest)} to 24h", value)
    )
    return None


def text(milliseconds: int) -> str:
    """Return a duration as it is written, in seconds if it is whole ones."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{milliseconds}ms" if rest else f"{seconds}s"
