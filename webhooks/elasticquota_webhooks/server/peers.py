"""Connections on which nobody has shown yet that the API server told them the path, by address.

There is room for so many. When it is full the oldest goes of the address that has most of them: a
stranger pushes out its own connections first, and the API server's, which asks as soon as it is
connected, are the youngest wherever they come from.
"""

from typing import Final, Protocol


MOST_UNPROVEN: Final = 512


class Guest(Protocol):
    """A connection from an address."""

    peer: str

    def abort(self) -> None:
        """End it now."""


class Unproven:
    """All of them, ``most`` at a time."""

    def __init__(self) -> None:
        self._of: dict[str, dict[Guest, None]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, guest: Guest) -> None:
        """Take one in."""
        self._of.setdefault(guest.peer, {})[guest] = None
        self._count += 1

    def discard(self, guest: Guest) -> None:
        """It has ended or shown that it knows the path."""
        siblings = self._of.get(guest.peer, {})
        if guest in siblings:
            del siblings[guest]
            self._count -= 1
            if not siblings:
                del self._of[guest.peer]

    def evict(self) -> None:
        """End the oldest of the address that has most."""
        crowd = max(self._of.values(), key=len, default=None)
        if crowd:
            oldest = next(iter(crowd))
            self.discard(oldest)
            oldest.abort()
