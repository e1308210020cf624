"""A change log: what changed in which generation, so that several readers can ask what is new.

A reader asks what changed since the generation that it saw last; to ask changes nothing.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import Final, Generic, TypeVar


K = TypeVar("K")

_MOST: Final = 100_000
"""Keys that are remembered; after more of them, everything counts as changed."""


class ChangeLog(Generic[K]):
    """Mutable; generations only grow."""

    def __init__(self, generation: int) -> None:
        self._all_changed = generation
        self._changed: dict[K, int] = {}
        """The last generation in which each key changed, in this order."""

    def note(self, keys: Iterable[K], generation: int) -> None:
        """Note that ``keys`` changed."""
        for key in keys:
            self._changed.pop(key, None)
            self._changed[key] = generation
        if len(self._changed) > _MOST:
            self.note_all(generation)

    def note_all(self, generation: int) -> None:
        """Note that anything may have changed."""
        self._all_changed = generation
        self._changed.clear()

    def since(self, generation: int) -> AbstractSet[K] | None:
        """Return what changed after ``generation``; None: anything may have."""
        if self._all_changed > generation:
            return None
        last_first = reversed(self._changed.items())
        return {key for key, _ in takewhile(lambda each: each[1] > generation, last_first)}
