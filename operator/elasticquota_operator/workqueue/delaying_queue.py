"""Which jobs the next cycle looks at, and which only when their time comes.

Of a thousand admitted jobs most have nothing new: to look at all of them in each cycle would cost
more than the decisions.
"""

from elasticquota.model.key import Key


class DelayingQueue:
    """Moments are epoch milliseconds."""

    def __init__(self) -> None:
        self._next: set[Key] = set()
        self._at: dict[Key, int] = {}

    def put_next(self, key: Key) -> None:
        """Something happened to it."""
        self._next.add(key)

    def put_at(self, key: Key, moment: int | None) -> None:
        """It moves then though nothing happens; None: it does not."""
        if moment is None:
            self._at.pop(key, None)
        else:
            self._at[key] = moment

    def strike(self, key: Key) -> None:
        """There is no such job any more."""
        self._next.discard(key)
        self._at.pop(key, None)

    def take(self, now: int) -> set[Key]:
        """Whose turn it is. Those whose moment has come stay until another is said."""
        found = self._next | {key for key, moment in self._at.items() if moment <= now}
        self._next = set()
        return found

    @property
    def first(self) -> int | None:
        """The first moment, or None."""
        return min(self._at.values(), default=None)
