"""Reads and writes times as the API server does: RFC 3339 in UTC, whole seconds."""

import calendar
import re
from typing import Final


_FORM: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z", re.ASCII)
_END: Final = 253_402_300_800_000
"""The begin of the year 10000."""


def read(text: str) -> int | None:
    """Return epoch milliseconds, or None for a text that the API server would not write."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    try:
        return calendar.timegm(tuple(map(int, found.groups()))) * 1000
    except ValueError:
        return None


def text(milliseconds: int) -> str:
    """Return a time, epoch milliseconds of the years 1970 to 9999; parts of a second are dropped.

    Raises ``ValueError`` for other times.
    """
    if not 0 <= milliseconds < _END:
        raise ValueError(f"{milliseconds} ms is no time of the years 1970 to 9999")
    days, second = divmod(milliseconds // 1000, 86_400)
    # 400 years have 146097 days; the guess is never too early.
    year = 1971 + days * 400 // 146_097
    while (first := _first_day(year)) > days:
        year -= 1
    rest, month = days - first, 1
    while rest >= (length := calendar.monthrange(year, month)[1]):
        rest, month = rest - length, month + 1
    hour, minute = second // 3600, second // 60 % 60
    return f"{year:04}-{month:02}-{rest + 1:02}T{hour:02}:{minute:02}:{second % 60:02}Z"


def _first_day(year: int) -> int:
    """Days from 1970-01-01 to the first day of the year."""
    return 365 * (year - 1970) + calendar.leapdays(1970, year)
