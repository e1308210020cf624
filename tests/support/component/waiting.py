"""Tests wait for what they expect, never for a time, and say what they saw instead."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from urllib3.exceptions import HTTPError

import users


T = TypeVar("T")

_EVERY = 0.05
_SIGHTS = (users.RefusedError, users.NotRefusedError, HTTPError, OSError, LookupError)


def eventually(look: Callable[[], T], wanted: T | Callable[[T], object], within: float = 15.0) -> T:
    """Look again and again until the sight is ``wanted``, and return it.

    ``wanted`` is a value to equal or a question about the sight. A refused or failed request, one
    that is not refused yet, and a field that is not there yet count as sights. Fails after
    ``within`` seconds with the last sight.
    """
    deadline = time.monotonic() + within
    while True:
        seen: Any
        try:
            seen = look()
            if wanted(seen) if callable(wanted) else seen == wanted:
                return seen  # type: ignore[no-any-return]  # Any only for errors
        except _SIGHTS as error:
            seen = error
        if time.monotonic() > deadline:
            expected = "what was hoped for" if callable(wanted) else repr(wanted)
            raise AssertionError(f"not {expected} within {within:g} s, last seen: {seen!r}")
        time.sleep(_EVERY)


def seconds_until(
    look: Callable[[], T], wanted: T | Callable[[T], object], within: float = 30.0
) -> float:
    """How long it took until the sight was ``wanted``; gives up as ``eventually`` does."""
    began = time.monotonic()
    eventually(look, wanted, within)
    return time.monotonic() - began
