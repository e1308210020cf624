"""Which keys wait because the API server could not serve calls before them.

A failure of one object says nothing about the server, and objects of one namespace may fail
together, since one user wrote them. So failures count by relation, as a rule the namespace. A
relation that failed ``most`` times in a row is tried one object at a time, with pauses. Only where
`UNRELATED` relations fail in a row, with no success of any between them, the server cannot serve:
then one object at a time is tried of all, and relations that have not failed come first.
"""

from collections.abc import Collection, Hashable
from typing import Final

from elasticquota.structs import Struct
from elasticquota_kube.client import retry


UNRELATED: Final = 4
"""Relations that fail in a row before the server counts as away."""

LONGEST_CLOSED: Final = 10.0
"""Seconds after which one item is tried again while the API server serves none."""

UNTRIED: Final = 0.5
"""Seconds between tries of relations that have not failed, while the server counts as away."""

_NOW: Final = float("-inf")
_NEVER: Final = float("inf")


class _Row(Struct):
    """Failures in a row of one relation."""

    failures: int = 0
    closed_until: float = _NOW


class Breakers:
    """Mutable; all times are seconds on the caller's clock."""

    def __init__(self, most: int, wait: retry.Backoff) -> None:
        """``wait`` is the pause after so many further failures in a row."""
        self._most = most
        self._wait = wait
        self._rows: dict[Hashable, _Row] = {}
        self._in_a_row: set[Hashable] = set()
        """Relations that failed since the last success of any."""
        self._closed_until = self._untried_from = _NOW

    @property
    def are_calm(self) -> bool:
        """Whether no relation has failed since it was served."""
        return not self._rows

    @property
    def is_away(self) -> bool:
        """Whether unrelated objects failed in a row."""
        return len(self._in_a_row) >= UNRELATED

    def is_closed(self, relation: Hashable) -> bool:
        """Whether objects of the relation are tried one at a time."""
        row = self._rows.get(relation)
        return row is not None and row.failures >= self._most

    def held_until(self, relation: Hashable, in_flight: Collection[Hashable]) -> float:
        """From when the next object of the relation may be tried, beside those in flight."""
        if self.is_away:
            if in_flight:
                return _NEVER
            if relation in self._in_a_row:
                return self._closed_until
            return min(self._untried_from, self._closed_until)
        if not self.is_closed(relation):
            return _NOW
        return _NEVER if relation in in_flight else self._rows[relation].closed_until

    def failed(self, relation: Hashable, now: float, retry_after: float) -> None:
        """Note an attempt that the server could not serve."""
        row = self._rows.setdefault(relation, _Row())
        row.failures += 1
        self._in_a_row.add(relation)
        if self.is_closed(relation):
            pause = self._pause(row.failures - self._most + 1, retry_after)
            row.closed_until = max(row.closed_until, now + pause)
        if self.is_away:
            failures = sum(self._rows[each].failures for each in self._in_a_row)
            pause = self._pause(failures - UNRELATED + 1, retry_after)
            self._closed_until = max(self._closed_until, now + pause)
            self._untried_from = now + UNTRIED

    def served(self, relation: Hashable) -> bool:
        """Note an attempt that was served; return whether the relation, or all, had to wait."""
        was_away, was_closed = self.is_away, self.is_closed(relation)
        self._in_a_row.clear()
        self._closed_until = self._untried_from = _NOW
        if was_away:
            self._rows.clear()
        else:
            self._rows.pop(relation, None)
        return was_away or was_closed

    def keep(self, relations: Collection[Hashable]) -> None:
        """Forget all relations but these, which have objects."""
        for relation in self._rows.keys() - relations:
            del self._rows[relation]
            self._in_a_row.discard(relation)

    def _pause(self, failures: int, retry_after: float) -> float:
        return min(max(self._wait(failures), retry_after), LONGEST_CLOSED)
