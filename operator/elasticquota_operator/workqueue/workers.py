"""Workers process the newest item per key, a few at a time, and retry failed ones.

All writers use them. An item that is replaced before its turn is never processed, and a key is in
flight at most once. Two attempts for a key are at least ``interval`` seconds apart, longer when
more keys wait than may be in flight. Workers that yield to others make one attempt after the other
while those are backlogged, with pauses: releases come first, reports of them later.

An attempt ends in one of three ways. It succeeds. It fails (`ApiError`): the item is tried again
after its back-off. It is refused (`ItemRefused`): the item is dropped, because the same call would
be refused again; ``on_ready`` is called after the back-off, and the next cycle decides again.

An item that fails delays no other: it has a back-off of its own, and items that have not failed
come first. One that is too large for the store is tried a few times in ten minutes (`retry.after`).
When unrelated items fail in a row (429, 5xx, no answer), the API server cannot serve:
all items wait and then one is tried, because thousands of items, each with a back-off of its own,
would still be a storm (`breakers`). The first success lets the others follow. Nothing here survives
the process, and nothing has to: the next cycle decides the items again from live state.
"""

import asyncio
import itertools
import math
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Final, Generic, TypeVar

import structlog

from elasticquota.model.key import Key
from elasticquota_kube.client import retry
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.workqueue.breakers import LONGEST_CLOSED, Breakers
from elasticquota_operator.workqueue.work_queue import WorkQueue, loop_time


K = TypeVar("K", bound=Hashable)
W = TypeVar("W")

LONGEST_INTERVAL: Final = 5
"""Longest time between two attempts for a key, in intervals, however many keys wait."""

PAUSE: Final = 0.1
"""Seconds after each attempt of workers that yield: they make six or seven attempts a second."""

log = structlog.get_logger(__name__)


class ItemRefused(Exception):  # noqa: N818 - an answer, not a fault
    """The item was refused and its effects are rolled back; facts for the log, as keywords."""

    def __init__(self, why: str, *, wait: retry.Backoff | None = None, **facts: str) -> None:
        """``wait`` replaces the back-off of the workers, which is that of the error before it."""
        super().__init__(why)
        self.wait = wait
        self.facts = facts


def by_namespace(key: Hashable, _item: object) -> Hashable:
    """The namespace of the object that ``key`` names, or else the key itself."""
    last = key[-1] if type(key) is tuple else key
    return (last.namespace or last) if isinstance(last, Key) else last


class Workers(Generic[K, W]):
    """Call ``do(item)`` for each item; ``run()`` is a task."""

    def __init__(
        self,
        name: str,
        do: Callable[[W], Awaitable[None]],
        *,
        at_once: int = 4,
        interval: float = 0.0,
        yields: Callable[[], bool] = lambda: False,
        pause: Callable[[], float] = lambda: PAUSE,
        wait: retry.Backoff = retry.jittered,
        on_ready: Callable[[K], None] = lambda _key: None,
        relation: Callable[[K, W], Hashable] = by_namespace,
    ) -> None:
        """At most ``at_once`` items are in flight; one, then ``pause()``, while ``yields()``.

        Items of one ``relation`` may fail together while the API server serves others.
        ``on_ready`` is called with each refused key when its back-off ends.
        """
        self._name = name
        self._do = do
        self._at_once = at_once
        self._interval = interval
        self._yields = yields
        self._pause = pause
        self._wait = wait
        self._on_ready = on_ready
        self._queue: WorkQueue[K] = WorkQueue(wait=wait)
        self._items: dict[K, W] = {}
        self._processing: dict[K, W] = {}
        """Items in flight."""
        self._relation = relation
        self._breakers = Breakers(at_once, wait)
        self._changed = asyncio.Event()

    def __contains__(self, key: object) -> bool:
        """Whether an item waits or is in flight, or the last one was refused a moment ago."""
        return key in self._queue

    @property
    def is_busy(self) -> bool:
        """Whether an item waits or is in flight."""
        return self._count > 0

    @property
    def is_backlogged(self) -> bool:
        """Whether there are more items than may be in flight; those that failed do not count."""
        return self._count > self._at_once and self._served_count > self._at_once

    def is_in_flight(self, key: K) -> bool:
        """Whether an attempt for ``key`` is under way."""
        return key in self._queue.in_flight

    def is_refused(self, key: K) -> bool:
        """Whether the last item of ``key`` was refused, until its back-off ends."""
        queue = self._queue
        return key in queue and key not in self._items and key not in queue.in_flight

    def put(self, key: K, item: W) -> None:
        """Add an item; it replaces the waiting item of ``key``."""
        self._items[key] = item
        self._queue.add(key)
        self._changed.set()

    def replace(self, items: Mapping[K, W]) -> None:
        """Replace all waiting items; items in flight are finished.

        A key that waits keeps its place, however often its item is replaced.
        """
        for key in self._items.keys() - items.keys():
            self._queue.remove(key)
        for key in items:
            self._queue.add(key)
        self._items = dict(items)
        self._changed.set()

    def replace_changed(self, items: Mapping[K, W], is_news: Callable[[K, W], bool]) -> None:
        """Replace all waiting items by those that ``is_news``.

        An item whose key is in flight is always kept: that attempt is about to change the object.
        """
        in_flight = self._queue.in_flight
        self.replace(
            {key: item for key, item in items.items() if is_news(key, item) or key in in_flight}
        )

    def forget(self, key: K) -> None:
        """Forget the waiting item and the failures of ``key``, whose object is gone."""
        self._items.pop(key, None)
        self._queue.remove(key)
        self._queue.forget(key)

    async def run(self) -> None:
        """Process items until canceled; items in flight are then canceled too."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                for key in self._ready():
                    if key in self._items:
                        tasks.create_task(self._process(key, self._items.pop(key)))
                    else:  # the back-off of a refused one is over
                        self._queue.done(key)
                        self._on_ready(key)
                try:
                    async with asyncio.timeout_at(self._next()):
                        await self._changed.wait()
                except TimeoutError:
                    pass

    def _ready(self) -> list[K]:
        free = self._most_at_once - len(self._queue.in_flight)
        if free <= 0:
            return []
        if self._breakers.are_calm:
            return self._queue.get(free)
        taken: list[K] = []
        for _ in range(free):  # what is taken holds up others of its relation
            for key in self._queue.get(1, self._held_until()):
                taken.append(key)
                if key in self._items:
                    self._processing[key] = self._items[key]
        return taken

    def _next(self) -> float | None:
        """When to look again if nothing changes; None: when an item in flight is finished."""
        if len(self._queue.in_flight) >= self._most_at_once:
            return None
        calm = self._breakers.are_calm
        at = self._queue.next_at(None if calm else self._held_until())
        return None if at == math.inf else at

    def _held_until(self) -> Callable[[K], float]:
        """From when the item of a key may be processed, beside its back-off."""
        related, breakers, items = self._relation, self._breakers, self._items
        in_flight = {related(key, item) for key, item in self._processing.items()}
        return lambda key: (
            breakers.held_until(related(key, items[key]), in_flight) if key in items else -math.inf
        )

    @property
    def _count(self) -> int:
        return len(self._items) + len(self._queue.in_flight)

    @property
    def _load(self) -> float:
        """Items per slot: 1 to `LONGEST_INTERVAL`."""
        count = self._count
        if count > self._at_once and self._queue.retried:
            count = self._served_count
        return min(max(1.0, count / self._at_once), LONGEST_INTERVAL)

    @property
    def _served_count(self) -> int:
        """Items in flight, and those that wait for nothing but their turn."""
        retried, breakers = self._queue.retried, self._breakers
        if breakers.are_calm:
            return self._count - sum(key in self._items for key in retried)
        if breakers.is_away:
            return len(self._queue.in_flight)
        return len(self._queue.in_flight) + sum(
            key not in retried and not breakers.is_closed(self._relation(key, item))
            for key, item in self._items.items()
        )

    @property
    def _most_at_once(self) -> int:
        return 1 if self._yields() else self._at_once

    def _was_served(self, key: K, item: W) -> None:
        if self._breakers.are_calm:
            return
        related, closed = self._relation(key, item), self._breakers
        was_away = closed.is_away
        if closed.served(related):
            for each, waiting in self._items.items():
                if was_away or self._relation(each, waiting) == related:
                    self._queue.forget(each)

    def _could_not_be_served(self, key: K, item: W, retry_after: float) -> bool:
        """Return whether the failure is one of many, and says little about this object."""
        related = self._relation(key, item)
        self._breakers.keep({related, *itertools.starmap(self._relation, self._items.items())})
        self._breakers.failed(related, loop_time(), retry_after)
        return self._breakers.is_away or self._breakers.is_closed(related)

    def _wait_closed(self, failures: int) -> float:
        return min(self._wait(failures), LONGEST_CLOSED)

    async def _process(self, key: K, item: W) -> None:
        pause = self._interval * self._load
        self._processing[key] = item
        try:
            await self._do(item)
        except ApiError as error:
            self._items.setdefault(key, item)
            retry_after, wait = error.retry_after or 0.0, retry.after(error, self._wait)
            if not error.is_unserved:
                self._was_served(key, item)
            elif self._could_not_be_served(key, item, retry_after):
                wait = self._wait_closed
            least = max(pause, retry_after)
            seconds = self._queue.add_rate_limited(key, at_least=least, wait=wait)
            self._warn("write failed", key, str(error), seconds)
        except ItemRefused as refused:
            self._was_served(key, item)
            wait = refused.wait or retry.after(refused.__cause__, self._wait)
            seconds = self._queue.add_rate_limited(key, wait=wait)
            self._warn("write refused", key, str(refused), seconds, **refused.facts)
        except Exception:
            # A bug with one object must not stop the others; the next cycle puts it again.
            self._queue.add_rate_limited(key, at_least=pause)
            log.exception("writer broke", list=self._name, object=_label(key))
        else:
            self._was_served(key, item)
            if self._yields():
                await asyncio.sleep(self._pause())
            self._queue.forget(key, pause)
        finally:
            del self._processing[key]
            self._queue.done(key)
            self._changed.set()

    def _warn(self, what: str, key: K, why: str, seconds: float, **facts: str) -> None:
        log.warning(
            what,
            list=self._name,
            why=why,
            retry_seconds=round(seconds, 1),
            **{"object": _label(key), **facts},
        )


def _label(key: Hashable) -> str:
    return " ".join(map(str, key)) if type(key) is tuple else str(key)
