"""Remembers what a function returns by its arguments, for what one cycle asks many times.

``functools.cache`` does so too, and copies the names of the function, which cost a fifteenth of the
cycle after one pod event: each tree makes six of them in each cycle.
"""

from collections.abc import Callable
from typing import Generic, TypeVar


K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R")


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


class ByObject(Generic[K, V, R]):
    """Remembers by a key and by which object is asked for; values of a cycle are slow to hash."""

    def __init__(self, compute: Callable[[K, V], R]) -> None:
        self._compute = compute
        self._known: dict[tuple[K, int], tuple[V, R]] = {}
        """With the object, so that no other one has its id."""

    def __call__(self, key: K, value: V) -> R:
        """What ``compute`` returns for both."""
        found = self._known.get((key, id(value)))
        if found is None:
            found = self._known[key, id(value)] = value, self._compute(key, value)
        return found[1]

    def forget(self) -> None:
        """All that is known may be another now."""
        self._known.clear()
