"""Which servers are believed: those of the cluster's authority, whose file is read again and again.

An authority that is replaced while we run is seen after at most `AGE` seconds, or at once after a
server was refused (`forget()`). What is no longer in the file is no longer believed. While the file
cannot be read, or says nothing usable, the last authority stays.
"""

import ssl
import time
from collections.abc import Callable
from typing import Final

import structlog


AGE: Final = 60.0
"""Seconds after which the file is looked at again."""

Read = Callable[[], bytes | None]
"""The authorities in PEM; None where the system's own are meant."""

log = structlog.get_logger(__name__)


class Trust:
    """How TLS is spoken with one server; ``current()`` is for the next connection.

    ``dress`` completes each new context, for example with a client certificate. May raise at the
    start whatever ``read`` and ``dress`` raise, and ``ValueError``.
    """

    def __init__(
        self,
        read: Read,
        dress: Callable[[ssl.SSLContext], None] = lambda _context: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._dress = dress
        self._clock = clock
        self._read_at: float | None = clock()
        self._authorities = read()
        self._context = self._made(self._authorities)

    def current(self) -> ssl.SSLContext:
        """The same one as before unless the authorities have changed."""
        if self._read_at is None or self._clock() - self._read_at >= AGE:
            self._read_at = self._clock()
            self._look()
        return self._context

    def forget(self) -> None:
        """Read the file at the next use: a server was refused."""
        self._read_at = None

    def _look(self) -> None:
        try:
            authorities = self._read()
            if authorities == self._authorities:
                return
            self._context = self._made(authorities)
        except (OSError, ValueError) as error:
            log.warning("the authority cannot be read, the last one stays", why=str(error))
            return
        self._authorities = authorities
        log.info("the cluster's authority has changed")

    def _made(self, authorities: bytes | None) -> ssl.SSLContext:
        if authorities is not None and not authorities.strip():
            # Without any, Python would believe whom the system believes.
            raise ValueError("the file of the cluster's authority is empty")
        context = ssl.create_default_context(
            cadata=authorities.decode("ascii") if authorities is not None else None
        )
        # From Python 3.13 on strict checking is the default. It refuses authorities that say
        # neither who signed what nor for which use, which many clusters have and every other
        # client believes.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        self._dress(context)
        return context
