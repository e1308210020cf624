"""What is reported of waits: which pods keep a live event, and one note for all pods of an owner.

An API server drops events after an hour, so those of waiting pods are written again (``front``).
The note of an owner changes when a value in it changes. Far from the head of the queue a position
is coarse: every pod that starts moves all that are behind it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from elasticquota.model.decision import Wait


FRONT: Final = 100
"""Pods of each quota that keep a live event: the first of its queue, then those outside of it."""
MOST: Final = 10_000
"""Live events in all; of more, those that are nearest to the head of their queues."""
_EXACT: Final = 10
"""Positions that are exact in the note of an owner; the steps behind them are the next."""
_STEPS: Final = (20, 50, 100)


def front(waits: Iterable[Wait]) -> list[Wait]:
    """The waits whose events are kept alive, those at the head of their queues first."""
    queued: list[Wait] = []
    outside: Counter[str] = Counter()
    for wait in waits:
        if wait.place:
            if wait.place <= FRONT:
                queued.append(wait)
        elif outside[wait.quota] < FRONT:
            outside[wait.quota] += 1
            queued.append(wait)
    return sorted(queued, key=_order)[:MOST]


def note(waits: Sequence[Wait], pods: int) -> str:
    """The note about an owner of ``pods`` pods, at least one of which waits."""
    by_quota: dict[str, list[Wait]] = defaultdict(list)
    for wait in waits:
        by_quota[wait.quota].append(wait)
    parts = sorted(by_quota.items(), key=lambda found: (-len(found[1]), found[0]))
    total = max(pods, len(waits))  # the count may be late
    head = f"{len(waits)} of {total} {_pods(total)} {_wait(len(waits))}"
    if len(parts) == 1:
        ((quota, found),) = parts
        return f"{head}{_for(quota)}; {_first(found)}"
    listed = "; ".join(f"{len(found)}{_for(quota)}, {_first(found)}" for quota, found in parts)
    return f"{head}: {listed}"


def none(pods: int) -> str:
    """The note about an owner none of whose pods waits any more."""
    return f"none of its {pods} {_pods(pods)} waits for quota any more"


def _order(wait: Wait) -> tuple[int, str, str]:
    return wait.place or FRONT + 1, wait.quota, wait.uid


def _first(waits: Iterable[Wait]) -> str:
    wait = min(waits, key=_order)
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


def _pods(count: int) -> str:
    return "pod" if count == 1 else "pods"


def _wait(count: int) -> str:
    return "waits" if count == 1 else "wait"
