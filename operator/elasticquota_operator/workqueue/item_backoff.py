"""How long a refused item is not tried again: longer with each refusal."""

import asyncio
from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

from elasticquota_kube.client.backoff import Backoff


K = TypeVar("K", bound=Hashable)


class ItemBackoff(Generic[K]):
    """By key; ``key in rests`` while it is not to be tried. ``touch`` is called when one ends."""

    def __init__(self, wait: Backoff, touch: Callable[[], None]) -> None:
        self._wait = wait
        self._touch = touch
        self._refusals: dict[K, tuple[int, float]] = {}
        """How often, and not again before (seconds of the loop's clock)."""

    def __contains__(self, key: K) -> bool:
        past = self._refusals.get(key)
        return past is not None and asyncio.get_running_loop().time() < past[1]

    def keys(self) -> AbstractSet[K]:
        """All that were refused and have not worked since, whether they rest or not; live."""
        return self._refusals.keys()

    def begin(self, key: K) -> float:
        """It was refused once more; for how many seconds it rests."""
        failures = self._refusals.get(key, (0, 0.0))[0] + 1
        seconds = self._wait(failures)
        loop = asyncio.get_running_loop()
        self._refusals[key] = (failures, loop.time() + seconds)
        loop.call_later(seconds, self._touch)
        return seconds

    def forget(self, key: K) -> None:
        """It worked, or there is no such thing any more."""
        self._refusals.pop(key, None)

    def keep(self, keys: AbstractSet[K]) -> None:
        """Forget the others, except those that rest just now."""
        self._refusals = {
            key: past for key, past in self._refusals.items() if key in keys or key in self
        }
