"""What this replica let pass a moment ago and no reflector shows yet.

Two edits that follow each other within milliseconds are judged one after the other although the
first is not in the cache when the second comes. A note is dropped when the reflector shows the
write or something later, and after ten seconds in any case, because a write that we permitted may
have been refused by somebody else afterwards. Before something is refused on account of a note, the
replica reads what the API server has, and drops those that are two seconds old and not there. Other
replicas know nothing of it: what two of them let pass at the same time is settled by the
controller's verdicts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


FORGOTTEN_AFTER: Final = 10.0
"""Seconds."""
DOUBTED_AFTER: Final = 2.0
"""The same, where the API server was just asked and does not know of the write."""


@dataclass(frozen=True, slots=True)
class _Note:
    quota: Quota | None
    """None: its removal was permitted."""
    base: int
    """resourceVersion of the object that was edited; 0 for a creation."""
    since: float


class AssumeCache:
    """Notes by key; ``clock`` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._notes: dict[Key, _Note] = {}

    def note(self, key: Key, quota: Quota | None, version: str) -> None:
        """Remember that ``key``, seen at ``version``, becomes ``quota``."""
        self._notes[key] = _Note(quota, _position(version), self._clock())

    def seen(self, key: Key, version: str) -> bool:
        """The reflector shows ``key`` at ``version`` (empty: gone); whether that ends a note."""
        note = self._notes.get(key)
        if note is None:
            return False
        gone = version == ""
        # A removal may come first for an older object of that name, so a creation outlives it.
        if gone if note.quota is None else not gone and _position(version) > note.base:
            del self._notes[key]
            return True
        return False

    def expire(self, age: float = FORGOTTEN_AFTER) -> list[Key]:
        """Drop what is ``age`` seconds old; the keys of it."""
        oldest = self._clock() - age
        old = [key for key, note in self._notes.items() if note.since <= oldest]
        for key in old:
            del self._notes[key]
        return old

    def over(self, key: Key, stored: Quota | None) -> Quota | None:
        """A stored quota as it will be; None: it will not be."""
        note = self._notes.get(key)
        return stored if note is None else note.quota


def _position(version: str) -> int:
    return int(version) if version.isdecimal() else 0
