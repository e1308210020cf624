"""A work queue: it processes the newest item per key, a few at a time, and retries failed ones.

All writers use it. An item that is replaced before its turn is never processed, and a key is in
flight at most once. Two attempts for a key are at least ``interval`` seconds apart, longer when
more keys wait than may be in flight. A failed attempt is repeated with back-off. A queue that
yields to another one makes one attempt after the other while that one is backlogged, with pauses:
releases come first, reports of them later.

When the API server cannot serve several items in a row (429, 5xx, no answer), the whole queue waits
and then tries one: thousands of items, each with a back-off of its own, would still be a storm. The
first success opens the queue again. Nothing here survives the process, and nothing has to: the next
cycle decides the items again from live state.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import structlog

from elasticquota_kube.client import backoff
from elasticquota_kube.client.errors import ApiError


K = TypeVar("K", bound=Hashable)
W = TypeVar("W")

LONGEST_CLOSED: Final = 10.0
"""Seconds after which a closed queue tries one item again."""

LONGEST_INTERVAL: Final = 5
"""Longest time between two attempts for a key, in intervals, however many keys wait."""

PAUSE: Final = 0.1
"""Seconds after each attempt of a queue that yields: it makes six or seven attempts a second."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Past:
    """Earlier attempts for a key: when it may be tried again, and how often it failed."""

    not_before: float
    failures: int = 0


class WorkQueue(Generic[K, W]):
    """Calls ``do(item)`` for each item; ``do`` returns on success, raises `ApiError` to retry."""

    def __init__(
        self,
        name: str,
        do: Callable[[W], Awaitable[None]],
        *,
        at_once: int = 4,
        interval: float = 0.0,
        yields: Callable[[], bool] = lambda: False,
        wait: backoff.Backoff = backoff.jittered,
    ) -> None:
        """At most ``at_once`` items are in flight; one, then a pause, while ``yields()``."""
        self._name = name
        self._do = do
        self._at_once = at_once
        self._interval = interval
        self._yields = yields
        self._wait = wait
        self._items: dict[K, W] = {}
        self._past: dict[K, _Past] = {}
        self._in_flight: set[K] = set()
        self._unserved = 0
        """Number of attempts in a row that the API server could not serve."""
        self._closed_until = float("-inf")
        self._changed = asyncio.Event()

    def __contains__(self, key: object) -> bool:
        return key in self._items or key in self._in_flight

    @property
    def is_busy(self) -> bool:
        """Whether an item waits or is in flight."""
        return bool(self._items or self._in_flight)

    @property
    def is_backlogged(self) -> bool:
        """Whether there are more items than may be in flight; False while the queue is closed."""
        return not self._is_closed and len(self._items) + len(self._in_flight) > self._at_once

    def put(self, key: K, item: W) -> None:
        """Add an item; it replaces the waiting item of ``key``."""
        self._items[key] = item
        self._changed.set()

    def replace(self, items: Mapping[K, W]) -> None:
        """Replace all waiting items; items in flight are finished.

        A key that waits keeps its place, however often its item is replaced.
        """
        waiting = {key: items[key] for key in self._items if key in items}
        self._items = {**waiting, **items}
        self._changed.set()

    def replace_changed(self, items: Mapping[K, W], is_news: Callable[[K, W], bool]) -> None:
        """Replace all waiting items by those that ``is_news``.

        An item whose key is in flight is always kept: that attempt is about to change the object.
        """
        in_flight = self._in_flight
        self.replace(
            {key: item for key, item in items.items() if is_news(key, item) or key in in_flight}
        )

    async def run(self) -> None:
        """Process items until canceled; items in flight are then canceled too."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                if not self._in_flight:
                    self._forget_past()
                for key in self._due():
                    self._in_flight.add(key)
                    tasks.create_task(self._process(key, self._items.pop(key)))
                try:
                    async with asyncio.timeout_at(self._next()):
                        await self._changed.wait()
                except TimeoutError:
                    pass

    def _due(self) -> list[K]:
        now = _now()
        free = self._most_at_once - len(self._in_flight)
        if free <= 0 or now < self._closed_until:
            return []
        due = (
            key
            for key in self._items
            if key not in self._in_flight and self._not_before(key) <= now
        )
        return list(itertools.islice(due, free))

    def _next(self) -> float | None:
        """When to look again if nothing changes; None: when an item in flight is finished."""
        if len(self._in_flight) >= self._most_at_once:
            return None
        waiting = (self._not_before(key) for key in self._items if key not in self._in_flight)
        first = min(waiting, default=None)
        return None if first is None else max(first, self._closed_until)

    @property
    def _load(self) -> float:
        """Items per slot: 1 to `LONGEST_INTERVAL`."""
        waiting = len(self._items) + len(self._in_flight)
        return min(max(1.0, waiting / self._at_once), LONGEST_INTERVAL)

    @property
    def _most_at_once(self) -> int:
        return 1 if self._is_closed or self._yields() else self._at_once

    @property
    def _is_closed(self) -> bool:
        return self._unserved >= self._at_once

    def _could_not_be_served(self, retry_after: float) -> None:
        self._unserved += 1
        if self._is_closed:
            pause = max(self._wait(self._unserved - self._at_once + 1), retry_after)
            self._closed_until = max(self._closed_until, _now() + min(pause, LONGEST_CLOSED))

    def _was_served(self) -> None:
        if self._is_closed:
            self._closed_until = float("-inf")
            for key, past in self._past.items():
                self._past[key] = _Past(min(past.not_before, _now() + self._interval), 0)
        self._unserved = 0

    def _not_before(self, key: K) -> float:
        past = self._past.get(key)
        return past.not_before if past is not None else float("-inf")

    def _forget_past(self) -> None:
        now = _now()
        for key in [k for k, past in self._past.items() if past.not_before <= now]:
            if key not in self._items and key not in self._in_flight:
                del self._past[key]

    async def _process(self, key: K, item: W) -> None:
        failures = self._past[key].failures if key in self._past else 0
        delay = self._interval * self._load
        try:
            await self._do(item)
        except ApiError as error:
            failures += 1
            delay = max(delay, self._wait(failures), error.retry_after or 0.0)
            self._items.setdefault(key, item)
            if error.is_transient:
                self._could_not_be_served(error.retry_after or 0.0)
            log.warning(
                "write failed",
                list=self._name,
                object=_label(key),
                why=str(error),
                retry_seconds=round(delay, 1),
            )
        except Exception:
            # A bug with one object must not stop the others; the next cycle puts it again.
            failures += 1
            delay = max(delay, self._wait(failures))
            log.exception("writer broke", list=self._name, object=_label(key))
        else:
            failures = 0
            self._was_served()
            if self._yields():
                await asyncio.sleep(PAUSE)
        finally:
            self._in_flight.discard(key)
            self._changed.set()
        if delay or failures:
            self._past[key] = _Past(_now() + delay, failures)


def _label(key: Hashable) -> str:
    return " ".join(map(str, key)) if type(key) is tuple else str(key)


def _now() -> float:
    return asyncio.get_running_loop().time()
