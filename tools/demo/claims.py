"""Checks the claims of the demo against the cluster, each with a deadline.

A check repeats until the observed value equals the expected one. When the deadline passes first,
``ClaimError`` carries the claim, the expected value and the last value seen.
"""

import time
from collections.abc import Callable, Mapping
from typing import TypeVar


Seen = TypeVar("Seen")

_LOOK_EVERY_SECONDS = 0.15
_LOOK_CLOSELY_SECONDS = 0.005


class ClaimError(Exception):
    """A claim is not true."""

    def __init__(self, claim: str, expected: str, seen: str) -> None:
        super().__init__(f"{claim}: expected {expected}, seen {seen}")
        self.claim = claim
        self.expected = expected
        self.seen = seen


def await_equal(
    claim: str,
    expected: Seen,
    look: Callable[[], Seen],
    within: float,
    *,
    meanwhile: Callable[[], None] = lambda: None,
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> float:
    """Wait until ``look`` returns ``expected``; returns the seconds it took.

    ``meanwhile`` is called after each look that found something else. Raises ``ClaimError`` after
    ``within`` seconds.
    """
    began = clock()
    while (seen := look()) != expected:
        if clock() - began > within:
            raise ClaimError(f"{claim} within {within:.0f} s", spelled(expected), spelled(seen))
        meanwhile()
        pause(_LOOK_EVERY_SECONDS)
    return clock() - began


def await_true(claim: str, look: Callable[[], bool], within: float = 30) -> None:
    """Wait until ``look`` is true, with very short pauses. Raises ``ClaimError``."""
    until = time.monotonic() + within
    while not look():
        if time.monotonic() > until:
            raise ClaimError(f"{claim} within {within:.0f} s", "it happens", "it does not happen")
        time.sleep(_LOOK_CLOSELY_SECONDS)


def hold(claim: str, expected: object, seen: object) -> None:
    """Check a claim about something already seen. Raises ``ClaimError``."""
    if seen != expected:
        raise ClaimError(claim, spelled(expected), spelled(seen))


def spelled(value: object) -> str:
    """A value as readable text: maps with one entry per line, collections as lists."""
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {spelled(entry)}" for key, entry in value.items()) or "nothing"
    if isinstance(value, set | frozenset):
        return spelled(sorted(value, key=str))
    if isinstance(value, list | tuple) and type(value) in {list, tuple}:
        return ", ".join(spelled(entry) for entry in value) or "nothing"
    return str(value)
