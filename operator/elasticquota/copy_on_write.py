"""Copy on write: a container that changes, of which each snapshot keeps the state of its moment.

It is copied before the first change after a snapshot took it, and only then. What it contains is
replaced and never changed. Where it is large and seldom read, only what changed is copied.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Generic, Protocol, Self, TypeVar


class _Copyable(Protocol):
    def copy(self) -> Self: ...


C = TypeVar("C", bound=_Copyable)
K = TypeVar("K")
V = TypeVar("V")

_MOST_LATE: Final = 64


class CopyOnWrite(Generic[C]):
    """A dictionary or a set; mutable."""

    __slots__ = ("_is_taken", "now")

    def __init__(self, now: C) -> None:
        self.now = now
        """The present state, to be read only; it changes with the next change."""
        self._is_taken = False

    def taken(self) -> C:
        """Return the present state, which no later change shows in."""
        self._is_taken = True
        return self.now

    def opened(self) -> C:
        """Return the container in order to change it at once."""
        if self._is_taken:
            self.now = self.now.copy()
            self._is_taken = False
        return self.now


class LateChanges(Mapping[K, V]):
    """A dictionary, and what changed in it since it was copied; a value."""

    __slots__ = ("_base", "_late")

    def __init__(self, base: Mapping[K, V], late: Mapping[K, V]) -> None:
        """``late`` has no other keys than ``base``."""
        self._base, self._late = base, late

    def __getitem__(self, key: K) -> V:
        return self._late[key] if key in self._late else self._base[key]

    def __contains__(self, key: object) -> bool:
        return key in self._base

    def __iter__(self) -> Iterator[K]:
        return iter(self._base)

    def __len__(self) -> int:
        return len(self._base)


class CopyOnWriteByKey(Generic[K, V]):
    """A large dictionary, of which only what changed is copied; mutable.

    It is copied whole when keys come or go.
    """

    __slots__ = ("_base", "_late", "_now")

    def __init__(self, now: dict[K, V]) -> None:
        self._now = now
        self._base: dict[K, V] | None = None
        self._late: dict[K, V] = {}

    @property
    def now(self) -> Mapping[K, V]:
        """The present state, to be read only; it changes with the next change."""
        return self._now

    def __setitem__(self, key: K, value: V) -> None:
        if key not in self._now:
            self._base = None
        self._now[key] = self._late[key] = value

    def __delitem__(self, key: K) -> None:
        del self._now[key]
        self._base = None

    def taken(self) -> LateChanges[K, V]:
        """Return the present state, which no later change shows in."""
        if self._base is None or len(self._late) > _MOST_LATE:
            self._base, self._late = self._now.copy(), {}
        return LateChanges(self._base, self._late.copy())
