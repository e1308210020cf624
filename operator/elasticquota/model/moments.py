"""A moment as the API server writes it (RFC 3339 in UTC, whole seconds) -> epoch milliseconds."""

import calendar
import re
from typing import Final


_FORM: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z", re.ASCII)


def read(text: str) -> int | None:
    """Epoch milliseconds, or None for what the API server would not have written."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    try:
        return calendar.timegm(tuple(map(int, found.groups()))) * 1000
    except ValueError:
        return None
