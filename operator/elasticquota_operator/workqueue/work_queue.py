"""A work queue: the newest item per key, a few at a time, each until it has worked.

All writers use it. An item that is replaced before its turn is never carried out, and a key is in
flight at most once. Two attempts for a key are at least ``interval`` seconds apart, longer when
more keys wait than may be in flight. A failed attempt is repeated with back-off. A queue that
yields to another one makes one attempt after the other while that one is backlogged, with pauses:
releases come first, reports of them later.

When the API server cannot serve several items in a row (429, 5xx, no answer), the whole queue waits
and then tries one, because thousands of items with patience of their own are a storm all the same;
the first success opens the queue again. Nothing here survives the process, and nothing has to: the
items are decided again from live state.
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
"""Seconds after which one item is tried again, however long nothing worked."""

LONGEST_INTERVAL: Final = 5
"""Times the interval, between two attempts for a key, however many keys wait."""

BREATH: Final = 0.1
"""Seconds of rest after each attempt of a list that gives way: six or seven a second are left."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Past:
    """What is remembered of a key: when it may be tried again, and how often it failed."""

    rests_until: float
    failures: int = 0


class WorkQueue(Generic[K, W]):
    """``do(wish)`` is called for each wish: it returns when done, raises `ApiError` if not yet."""

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
        """``at_once`` attempts are under way at one time; while it ``yields`` one, then rest."""
        self._name = name
        self._do = do
        self._at_once = at_once
        self._interval = interval
        self._gives_way = yields
        self._wait = wait
        self._wishes: dict[K, W] = {}
        self._past: dict[K, _Past] = {}
        self._in_hand: set[K] = set()
        self._troubles = 0
        """Attempts in a row that the API server could not serve."""
        self._closed_until = float("-inf")
        self._changed = asyncio.Event()

    def __contains__(self, key: object) -> bool:
        return key in self._wishes or key in self._in_hand

    @property
    def is_busy(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._wishes or self._in_hand)

    @property
    def is_backlogged(self) -> bool:
        """Whether there is more to do than may be under way at one time.

        While nothing can be done, no other queue yields to it.
        """
        return not self._is_closed and len(self._wishes) + len(self._in_hand) > self._at_once

    def put(self, key: K, wish: W) -> None:
        """Wish something for ``key`` in place of what was wished before."""
        self._wishes[key] = wish
        self._changed.set()

    def replace(self, wishes: Mapping[K, W]) -> None:
        """Wish this and nothing else; what is in hand is finished.

        An item that waits keeps its place, however often others are replaced.
        """
        waiting = {key: wishes[key] for key in self._wishes if key in wishes}
        self._wishes = {**waiting, **wishes}
        self._changed.set()

    def replace_by_news(self, wishes: Mapping[K, W], is_news: Callable[[K, W], bool]) -> None:
        """Wish what is news of these, and nothing else.

        What is in hand is news whatever stands there now: that is about to be another thing.
        """
        in_hand = self._in_hand
        self.replace(
            {key: wish for key, wish in wishes.items() if is_news(key, wish) or key in in_hand}
        )

    async def run(self) -> None:
        """Carry out wishes until cancelled; those in hand are then cancelled too."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                if not self._in_hand:
                    self._forget_the_rested()
                for key in self._due():
                    self._in_hand.add(key)
                    tasks.create_task(self._carry_out(key, self._wishes.pop(key)))
                try:
                    async with asyncio.timeout_at(self._next()):
                        await self._changed.wait()
                except TimeoutError:
                    pass

    def _due(self) -> list[K]:
        now = _now()
        free = self._most_at_once - len(self._in_hand)
        if free <= 0 or now < self._closed_until:
            return []
        due = (key for key in self._wishes if key not in self._in_hand and self._rest(key) <= now)
        return list(itertools.islice(due, free))

    def _next(self) -> float | None:
        """When to look again if nothing changes; None while an end is what must be waited for."""
        if len(self._in_hand) >= self._most_at_once:
            return None
        waiting = (self._rest(key) for key in self._wishes if key not in self._in_hand)
        first = min(waiting, default=None)
        return None if first is None else max(first, self._closed_until)

    @property
    def _crowd(self) -> float:
        """How many times more there is to do than may be under way at one time."""
        waiting = len(self._wishes) + len(self._in_hand)
        return min(max(1.0, waiting / self._at_once), LONGEST_INTERVAL)

    @property
    def _most_at_once(self) -> int:
        return 1 if self._is_closed or self._gives_way() else self._at_once

    @property
    def _is_closed(self) -> bool:
        return self._troubles >= self._at_once

    def _could_not_be_served(self, retry_after: float) -> None:
        self._troubles += 1
        if self._is_closed:
            pause = max(self._wait(self._troubles - self._at_once + 1), retry_after)
            self._closed_until = max(self._closed_until, _now() + min(pause, LONGEST_CLOSED))

    def _was_served(self) -> None:
        if self._is_closed:
            self._closed_until = float("-inf")
            for key, past in self._past.items():
                self._past[key] = _Past(min(past.rests_until, _now() + self._interval), 0)
        self._troubles = 0

    def _rest(self, key: K) -> float:
        past = self._past.get(key)
        return past.rests_until if past is not None else float("-inf")

    def _forget_the_rested(self) -> None:
        now = _now()
        for key in [k for k, past in self._past.items() if past.rests_until <= now]:
            if key not in self._wishes and key not in self._in_hand:
                del self._past[key]

    async def _carry_out(self, key: K, wish: W) -> None:
        failures = self._past[key].failures if key in self._past else 0
        rest = self._interval * self._crowd
        try:
            await self._do(wish)
        except ApiError as error:
            failures += 1
            rest = max(rest, self._wait(failures), error.retry_after or 0.0)
            self._wishes.setdefault(key, wish)
            if error.is_transient:
                self._could_not_be_served(error.retry_after or 0.0)
            log.warning(
                "write failed",
                list=self._name,
                object=_label(key),
                why=str(error),
                retry_seconds=round(rest, 1),
            )
        except Exception:
            # A bug with one object must not stop the others; the next round wishes it again.
            failures += 1
            rest = max(rest, self._wait(failures))
            log.exception("writer broke", list=self._name, object=_label(key))
        else:
            failures = 0
            self._was_served()
            if self._gives_way():
                await asyncio.sleep(BREATH)
        finally:
            self._in_hand.discard(key)
            self._changed.set()
        if rest or failures:
            self._past[key] = _Past(_now() + rest, failures)


def _label(key: Hashable) -> str:
    return " ".join(map(str, key)) if type(key) is tuple else str(key)


def _now() -> float:
    return asyncio.get_running_loop().time()
