"""What a client may use of the webhook: connections, time and memory."""

from typing import Final, NamedTuple


class ConnectionLimits(NamedTuple):
    """Counts of connections, and seconds."""

    connections: int = 1024
    unproven: int = 512
    """Connections that have not yet shown the API server's token."""
    large_at_once: int = 4
    """Connections from which large bodies are read at the same time."""
    read_seconds: float = 5.0
    """From the first byte of a request to its last one."""
    line_seconds: float = 8.0
    """How long a large body waits for its turn; the API server gives a review ten seconds."""
    idle_seconds: float = 180.0
    unproven_seconds: float = 10.0
    """How long a client may stay connected without a request at a known path."""
    linger_seconds: float = 2.0
    """How long a refused client may still send before its connection is cut."""


USUAL: Final = ConnectionLimits()
