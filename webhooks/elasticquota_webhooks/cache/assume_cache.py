"""Keeps the changes that this replica permitted and no reflector shows yet.

So two edits within milliseconds are judged one after the other, although the cache does not hold
the first when the second comes. A note is dropped when the reflector shows the write or a later
one, and after ten seconds in any case, because the API server may refuse a write that we permitted.
Before a note makes the replica refuse a change, the replica reads the API server's state and drops
notes that are two seconds old and not there. Other replicas know nothing of the notes: when two
replicas permit changes at the same time, the controller's verdicts decide.
"""

from collections.abc import Callable
from typing import Final

from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.structs import Struct


FORGOTTEN_AFTER: Final = 10.0
"""Seconds."""
DOUBTED_AFTER: Final = 2.0
"""The same, when the API server was just read and does not have the write."""


class _Note(Struct, frozen=True):
    quota: Quota | None
    """None: the deletion was permitted."""
    base: int
    """resourceVersion of the object that was edited; 0 for a creation."""
    since: float


class AssumeCache:
    """Notes of permitted changes by key; ``clock`` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._notes: dict[Key, _Note] = {}

    def note(self, key: Key, quota: Quota | None, version: str) -> None:
        """Remember that ``key``, seen at ``version``, becomes ``quota``."""
        self._notes[key] = _Note(quota, _position(version), self._clock())

    def seen(self, key: Key, version: str) -> bool:
        """Record ``key`` at ``version`` (empty: gone); returns whether it ends a note."""
        note = self._notes.get(key)
        if note is None:
            return False
        gone = version == ""
        # A deletion event may be of an older object of that name, so it does not end a creation's
        # note.
        if gone if note.quota is None else not gone and _position(version) > note.base:
            del self._notes[key]
            return True
        return False

    def expire(self, age: float = FORGOTTEN_AFTER) -> list[Key]:
        """Drop the notes that are ``age`` seconds old; returns their keys."""
        oldest = self._clock() - age
        old = [key for key, note in self._notes.items() if note.since <= oldest]
        for key in old:
            del self._notes[key]
        return old

    def over(self, key: Key, stored: Quota | None) -> Quota | None:
        """The quota as it will be after the permitted change, if any; None: deleted."""
        note = self._notes.get(key)
        return stored if note is None else note.quota


def _position(version: str) -> int:
    return int(version) if version.isdecimal() else 0
