"""Remembers what a function returns by its arguments, for what one cycle asks many times.

``functools.cache`` does so too, and copies the names of the function, which cost a fifteenth of the
cycle after one pod event: each tree makes six of them in each cycle.
"""

from collections.abc import Callable
from typing import TypeVar


K = TypeVar("K")
V = TypeVar("V")


class _Memo(dict[K, V]):
    def __init__(self, compute: Callable[[K], V]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: K) -> V:
        found = self[key] = self._compute(key)
        return found


def of(compute: Callable[[K], V]) -> Callable[[K], V]:
    """Return ``compute``, which is called once for each argument."""
    return _Memo(compute).__getitem__
