"""A claim is what the demo says will happen: awaited with a deadline, never believed.

It is checked by looking again and again until what is seen equals what is expected. When it does
not in time, ``ClaimError`` carries the claim, the expectation and the last thing seen.
"""

import time
from collections.abc import Callable, Mapping
from typing import TypeVar


Seen = TypeVar("Seen")

_LOOK_EVERY_SECONDS = 0.15
_LOOK_CLOSELY_SECONDS = 0.005


class ClaimError(Exception):
    """A claim did not come true."""

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
    """Look until ``expected`` is seen; returns the seconds it took.

    ``meanwhile`` is called after each look in vain. Raises ``ClaimError`` after ``within`` seconds.
    """
    began = clock()
    while (seen := look()) != expected:
        if clock() - began > within:
            raise ClaimError(f"{claim} within {within:.0f} s", spelled(expected), spelled(seen))
        meanwhile()
        pause(_LOOK_EVERY_SECONDS)
    return clock() - began


def await_true(claim: str, look: Callable[[], bool], within: float = 30) -> None:
    """Look closely until ``look`` is true, to be there when it happens. Raises ``ClaimError``."""
    until = time.monotonic() + within
    while not look():
        if time.monotonic() > until:
            raise ClaimError(
                f"{claim} within {within:.0f} s", "that it happens", "that it does not"
            )
        time.sleep(_LOOK_CLOSELY_SECONDS)


def hold(claim: str, expected: object, seen: object) -> None:
    """Check a claim about what is seen already. Raises ``ClaimError``."""
    if seen != expected:
        raise ClaimError(claim, spelled(expected), spelled(seen))


def spelled(value: object) -> str:
    """A value for people: maps one entry a line, collections as lists, all else as text."""
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {spelled(entry)}" for key, entry in value.items()) or "nothing"
    if isinstance(value, set | frozenset):
        return spelled(sorted(value, key=str))
    if isinstance(value, list | tuple) and type(value) in {list, tuple}:
        return ", ".join(spelled(entry) for entry in value) or "nothing"
    return str(value)
