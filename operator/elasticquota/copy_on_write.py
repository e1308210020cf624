"""Copy on write: a container that changes, of which each snapshot keeps the state of its moment.

It is copied before the first change after a snapshot took it, and only then. What it contains is
replaced and never changed.
"""

from typing import Generic, Protocol, Self, TypeVar


class _Copyable(Protocol):
    def copy(self) -> Self: ...


C = TypeVar("C", bound=_Copyable)


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
