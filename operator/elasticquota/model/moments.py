"""Reads times as the API server writes them: RFC 3339 in UTC, whole seconds."""

import calendar
import re
from typing import Final


_FORM: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z", re.ASCII)


def read(text: str) -> int | None:
    """Return epoch milliseconds, or None for a text that the API server would not write."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    try:
        return calendar.timegm(tuple(map(int, found.groups()))) * 1000
    except ValueError:
        return None
