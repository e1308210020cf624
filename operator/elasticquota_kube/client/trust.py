"""Trusts servers with a certificate of the cluster's CA, whose file is read again and again.

A CA that is replaced while the process runs is noticed after at most `AGE` seconds, or at once
after a server was refused (`forget()`). A CA that is no longer in the file is no longer trusted.
While the file cannot be read or has no usable content, the last CA stays.
"""

import ssl
import time
from collections.abc import Callable
from typing import Final

import structlog


AGE: Final = 60.0
"""Seconds after which the file is read again."""

Read = Callable[[], bytes | None]
"""Reads the CA certificates in PEM; None: use those of the system."""

log = structlog.get_logger(__name__)


class Trust:
    """TLS settings for one server; ``current()`` is for the next connection.

    ``dress`` completes each new context, for example with a client certificate. The constructor
    raises what ``read`` and ``dress`` raise, and ``ValueError``.
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
        """The context; a new one only when the CA has changed."""
        if self._read_at is None or self._clock() - self._read_at >= AGE:
            self._read_at = self._clock()
            self._look()
        return self._context

    def forget(self) -> None:
        """Read the file at the next use, because a server was refused."""
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
            # Without any CA, Python would trust those of the system.
            raise ValueError("the file of the cluster's authority is empty")
        context = ssl.create_default_context(
            cadata=authorities.decode("ascii") if authorities is not None else None
        )
        # From Python 3.13 on strict checking is the default. It refuses CA certificates without
        # key identifiers and key usage, which many clusters have and all other clients accept.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        self._dress(context)
        return context
