"""The jobs that the next cycle reads, and those that it reads when their time comes.

Of a thousand admitted jobs most have not changed. To read all of them in each cycle would cost more
than the decisions.
"""

from elasticquota.model.key import Key


class DelayingQueue:
    """A set of keys with due times in epoch milliseconds, as client-go's delaying queue."""

    def __init__(self) -> None:
        self._next: set[Key] = set()
        self._at: dict[Key, int] = {}

    def add(self, key: Key) -> None:
        """Make ``key`` due in the next cycle, because its job has changed."""
        self._next.add(key)

    def add_at(self, key: Key, moment: int | None) -> None:
        """Make ``key`` due from ``moment`` on, even if its job does not change; None: never."""
        if moment is None:
            self._at.pop(key, None)
        else:
            self._at[key] = moment

    def forget(self, key: Key) -> None:
        """Remove a key whose job is gone."""
        self._next.discard(key)
        self._at.pop(key, None)

    def due(self, now: int) -> set[Key]:
        """Remove and return the changed keys; with them those whose moment has come, which stay."""
        found = self._next | {key for key, moment in self._at.items() if moment <= now}
        self._next = set()
        return found

    @property
    def first(self) -> int | None:
        """The earliest moment, or None."""
        return min(self._at.values(), default=None)
