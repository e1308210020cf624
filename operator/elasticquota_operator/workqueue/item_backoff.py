"""Back-off per item: a refused item is tried again later, each time after a longer wait."""

import asyncio
from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

from elasticquota_kube.client.backoff import Backoff


K = TypeVar("K", bound=Hashable)


class ItemBackoff(Generic[K]):
    """``key in backoff`` while the key must not be tried; ``touch`` is called when a wait ends."""

    def __init__(self, wait: Backoff, touch: Callable[[], None]) -> None:
        self._wait = wait
        self._touch = touch
        self._refusals: dict[K, tuple[int, float]] = {}
        """Number of refusals, and the time of the next attempt (seconds of the loop's clock)."""

    def __contains__(self, key: K) -> bool:
        past = self._refusals.get(key)
        return past is not None and asyncio.get_running_loop().time() < past[1]

    def keys(self) -> AbstractSet[K]:
        """Keys that were refused and not processed since, waiting or not; a live view."""
        return self._refusals.keys()

    def refuse(self, key: K) -> float:
        """Record one more refusal; return the wait in seconds."""
        failures = self._refusals.get(key, (0, 0.0))[0] + 1
        seconds = self._wait(failures)
        loop = asyncio.get_running_loop()
        self._refusals[key] = (failures, loop.time() + seconds)
        loop.call_later(seconds, self._touch)
        return seconds

    def forget(self, key: K) -> None:
        """Remove a key that was processed or is gone."""
        self._refusals.pop(key, None)

    def keep(self, keys: AbstractSet[K]) -> None:
        """Remove all keys except these and those that wait now."""
        self._refusals = {
            key: past for key, past in self._refusals.items() if key in keys or key in self
        }
