"""What is reported of waits: which pods keep a live event, and one note for all pods of an owner.

An API server drops events after an hour, so those of waiting pods are written again (``front``).
The note of an owner changes when a value in it changes. Far from the head of the queue a position
is coarse: every pod that starts moves all that are behind it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Final

from elasticquota.forest.wording import agreed, counted
from elasticquota.model.decision import Wait


FRONT: Final = 100
"""Pods of each quota that keep a live event: the first of its queue, then those outside of it."""
MOST: Final = 10_000
"""Live events in all; of more, those that are nearest to the head of their queues."""
_EXACT: Final = 10
"""Positions that are exact in the note of an owner; the steps behind them are the next."""
_STEPS: Final = (20, 50, 100)


_OUTSIDE: Final = 1 << 60
"""A place behind all queues."""


class WaitSummary:
    """The waits of one owner, mutable: by quota, how many there are and which is the first."""

    __slots__ = ("counts", "first")

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first: dict[str, Wait] = {}

    def add(self, wait: Wait) -> None:
        """Count one more."""
        quota = wait.quota
        self.counts[quota] += 1
        first = self.first.get(quota)
        if first is None or _is_before(wait, first):
            self.first[quota] = wait

    def extend(self, other: "WaitSummary") -> None:
        """Add the waits of another owner of the same object."""
        self.counts.update(other.counts)
        for quota, wait in other.first.items():
            first = self.first.get(quota)
            if first is None or _is_before(wait, first):
                self.first[quota] = wait

    def note(self, pods: int) -> str:
        """The note about an owner of ``pods`` pods, at least one of which waits."""
        waiting = self.counts.total()
        total = max(pods, waiting)  # the count may be late
        head = f"{waiting} of {counted(total, 'pod')} {agreed(waiting, 'wait')}"
        parts = sorted(self.counts.items(), key=lambda found: (-found[1], found[0]))
        if len(parts) == 1:
            ((quota, _),) = parts
            return f"{head}{_for(quota)}; {_shown(self.first[quota])}"
        listed = "; ".join(
            f"{count}{_for(quota)}, {_shown(self.first[quota])}" for quota, count in parts
        )
        return f"{head}: {listed}"


def front(waits: Iterable[Wait]) -> Sequence[Wait]:
    """The waits whose events are kept alive, those at the head of their queues first."""
    places: dict[int, list[Wait]] = defaultdict(list)
    outside: Counter[str] = Counter()
    for wait in waits:
        place = wait.place
        if not place:
            outside[wait.quota] += 1
            if outside[wait.quota] > FRONT:
                continue
            place = _OUTSIDE
        if place <= FRONT or place == _OUTSIDE:
            places[place].append(wait)
    return list(islice(chain.from_iterable(places[place] for place in sorted(places)), MOST))


def none(pods: int) -> str:
    """The note about an owner none of whose pods waits any more."""
    return f"none of its {counted(pods, 'pod')} waits for quota any more"


def _is_before(wait: Wait, other: Wait) -> bool:
    place, its = wait.place or _OUTSIDE, other.place or _OUTSIDE
    return place < its or (place == its and wait.uid < other.uid)


def _shown(wait: Wait) -> str:
    first = "first in line is" if wait.place else "one of them is"
    return f"{first} pod {wait.pod.name}{_at(wait.place)} [{wait.reason}]"


def _at(place: int) -> str:
    if not place:
        return ""
    if place <= _EXACT:
        return f" at position {place}"
    step = next((step for step in _STEPS if place <= step), None)
    return f" behind position {_STEPS[-1]}" if step is None else f" among the first {step}"


def _for(quota: str) -> str:
    return f" for quota {quota}" if quota else " without a quota"
