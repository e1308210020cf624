"""The work queue decides which key is processed next, and when: client-go's rate-limiting queue.

A key waits once, however often it is added, and keeps its place. While it is in flight it can be
added again; then it is processed again afterwards. A key that failed waits for its back-off, which
grows with each failure in a row and is forgotten on success. Keys that have not failed come first.
Unlike in client-go, adding a key that failed does not shorten its back-off: every cycle adds all
keys again.

Nothing here runs by itself: `Workers` take the keys when they are ready, and the job controller
takes them in its cycle.
"""

import asyncio
import itertools
from collections.abc import Callable, Hashable, Iterable
from collections.abc import Set as AbstractSet
from typing import Final, Generic, TypeVar

from elasticquota.structs import Struct
from elasticquota_kube.client import retry


K = TypeVar("K", bound=Hashable)

MEMORY: Final = 120.0
"""How long failures are remembered, after the back-off, of a key that is not added again."""


class _Past(Struct):
    """Earlier attempts for a key: when it may be tried again, and how often it failed in a row."""

    not_before: float
    failures: int = 0

    @property
    def forgotten_at(self) -> float:
        """When it does not count any more."""
        return self.not_before + (MEMORY if self.failures else 0)


def loop_time() -> float:
    """Seconds on the clock of the running event loop."""
    return asyncio.get_running_loop().time()


class WorkQueue(Generic[K]):
    """Keys in order; all times and waits are in the units of ``clock``, by default seconds."""

    def __init__(
        self,
        *,
        wait: retry.Backoff = retry.jittered,
        clock: Callable[[], float] = loop_time,
    ) -> None:
        """``wait`` is the back-off after so many failures in a row."""
        self._wait = wait
        self._clock = clock
        self._waiting: dict[K, float] = {}
        """Keys in their order, and the time from which each may be processed."""
        self._in_flight: set[K] = set()
        self._past: dict[K, _Past] = {}
        self._retried: set[K] = set()
        """Waiting keys whose last attempt failed."""

    def __contains__(self, key: object) -> bool:
        return key in self._waiting or key in self._in_flight

    @property
    def in_flight(self) -> AbstractSet[K]:
        """Keys that are being processed; a live view."""
        return self._in_flight

    @property
    def retried(self) -> AbstractSet[K]:
        """Waiting keys whose last attempt failed; a live view."""
        return self._retried

    def next_at(self, held_until: Callable[[K], float] | None = None) -> float | None:
        """When the first key is ready; None while no key waits that is not in flight.

        ``held_until`` says from when a key may be taken, beside its back-off.
        """
        waiting = (
            self._ready_at(key) if held_until is None else max(self._ready_at(key), held_until(key))
            for key in self._waiting
            if key not in self._in_flight
        )
        return min(waiting, default=None)

    def add(self, key: K) -> None:
        """Make ``key`` ready now, or at the end of its back-off."""
        self._waiting[key] = float("-inf")
        past = self._past.get(key)
        if past is not None and past.failures:
            self._retried.add(key)

    def add_after(self, key: K, delay: float) -> None:
        """Make ``key`` ready after ``delay``; if it waits already, the earlier time counts."""
        at = self._clock() + delay
        self._waiting[key] = min(at, self._waiting.get(key, at))

    def add_rate_limited(
        self, key: K, at_least: float = 0.0, wait: retry.Backoff | None = None
    ) -> float:
        """Add ``key``, which failed, for the end of its back-off; return how long it waits.

        ``wait`` replaces the back-off of the queue.
        """
        failures = 1 + (self._past[key].failures if key in self._past else 0)
        delay = max(at_least, (wait or self._wait)(failures))
        self._past[key] = _Past(self._clock() + delay, failures)
        self.add(key)
        return delay

    def forget(self, key: K, pause: float = 0.0) -> None:
        """Forget the failures of ``key``; its next attempt is at least ``pause`` from now."""
        self._past.pop(key, None)
        self._retried.discard(key)
        if pause:
            self._past[key] = _Past(self._clock() + pause)

    def remove(self, key: K) -> None:
        """Withdraw a waiting key; its back-off is not forgotten."""
        self._waiting.pop(key, None)
        self._retried.discard(key)

    def get(
        self, most: int | None = None, held_until: Callable[[K], float] | None = None
    ) -> list[K]:
        """Take the first ``most`` ready keys, which are in flight until they are ``done``.

        ``held_until`` says from when a key may be taken, beside its back-off.
        """
        now = self._clock()
        if not self._in_flight:
            self._tidy(now)
        retried = self._retried
        waiting: Iterable[K] = self._waiting
        if retried:
            untried = (key for key in self._waiting if key not in retried)
            waiting = itertools.chain(untried, (key for key in self._waiting if key in retried))
        ready = (
            key
            for key in waiting
            if key not in self._in_flight
            and self._ready_at(key) <= now
            and (held_until is None or held_until(key) <= now)
        )
        keys = list(itertools.islice(ready, most))
        for key in keys:
            del self._waiting[key]
        retried.difference_update(keys)
        self._in_flight.update(keys)
        return keys

    def done(self, key: K) -> None:
        """End the attempt for ``key``, whatever came of it."""
        self._in_flight.discard(key)

    def drain(self) -> set[K]:
        """Take all ready keys and end their attempts, for a caller that processes them at once."""
        keys = set(self.get())
        self._in_flight -= keys
        return keys

    def _tidy(self, now: float) -> None:
        """Drop what is known of keys that are not in the queue, once it does not count any more."""
        for key in [key for key, past in self._past.items() if past.forgotten_at <= now]:
            if key not in self:
                del self._past[key]

    def _ready_at(self, key: K) -> float:
        past = self._past.get(key)
        at = self._waiting[key]
        return at if past is None else max(at, past.not_before)
