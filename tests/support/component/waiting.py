"""Tests wait for a result, never for a time, and say what they saw instead."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from urllib3.exceptions import HTTPError

import users


T = TypeVar("T")

_LEAST, _MOST = 0.05, 0.25
_STEADY = 0.1
_SIGHTS = (users.RefusedError, users.NotRefusedError, HTTPError, OSError, LookupError)


def eventually(look: Callable[[], T], wanted: T | Callable[[T], object], within: float = 15.0) -> T:
    """Call ``look`` again and again until its result is ``wanted``, and return it.

    ``wanted`` is a value to equal or a predicate. A refused or failed request, one that is not
    refused yet, and a missing field count as results. Fails after ``within`` seconds with the last
    result.
    """
    began = time.monotonic()
    while True:
        seen: Any
        try:
            seen = look()
            if wanted(seen) if callable(wanted) else seen == wanted:
                return seen  # type: ignore[no-any-return]  # Any only for errors
        except _SIGHTS as error:
            seen = error
        waited = time.monotonic() - began
        if waited > within:
            expected = "what was hoped for" if callable(wanted) else repr(wanted)
            raise AssertionError(f"not {expected} within {within:g} s, last seen: {seen!r}")
        # Each look costs the API server as much as a client's request.
        time.sleep(min(max(waited / 10, _LEAST), _MOST))


def stays(look: Callable[[], T], wanted: T | Callable[[T], object], seconds: float = 2.0) -> None:
    """Call ``look`` for so many seconds, and fail at the first result that is not ``wanted``.

    For what must not happen: ``eventually`` would also pass on the way to it.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        seen = look()
        holds = wanted(seen) if callable(wanted) else seen == wanted
        assert holds, f"did not stay {wanted!r} for {seconds:g} s, but became {seen!r}"
        time.sleep(_STEADY)


def seconds_until(
    look: Callable[[], T], wanted: T | Callable[[T], object], within: float = 30.0
) -> float:
    """Seconds until the result was ``wanted``; fails as ``eventually`` does."""
    began = time.monotonic()
    eventually(look, wanted, within)
    return time.monotonic() - began
