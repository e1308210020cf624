"""Keeps the connections, by address, that have not yet shown the API server's token.

Their number is limited. When it is reached, the oldest connection of the address with most
connections is closed: an unknown client pushes out its own connections first. Those of the API
server, which sends a review as soon as it is connected, are the youngest of any address.
"""

from typing import Final, Protocol


MOST_UNPROVEN: Final = 512


class Guest(Protocol):
    """A connection from an address."""

    peer: str

    def abort(self) -> None:
        """Cut the connection now."""


class Unproven:
    """The unproven connections; the caller keeps them below ``MOST_UNPROVEN``."""

    def __init__(self) -> None:
        self._of: dict[str, dict[Guest, None]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, guest: Guest) -> None:
        """Add a connection."""
        self._of.setdefault(guest.peer, {})[guest] = None
        self._count += 1

    def discard(self, guest: Guest) -> None:
        """Remove a connection that has ended or has shown the token."""
        siblings = self._of.get(guest.peer, {})
        if guest in siblings:
            del siblings[guest]
            self._count -= 1
            if not siblings:
                del self._of[guest.peer]

    def evict(self) -> None:
        """Cut the oldest connection of the address that has most."""
        largest = max(self._of.values(), key=len, default=None)
        if largest:
            oldest = next(iter(largest))
            self.discard(oldest)
            oldest.abort()
