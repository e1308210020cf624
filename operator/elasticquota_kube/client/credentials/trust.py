"""Trusts servers with a certificate of the cluster's CA, whose file is read again and again.

The client certificate is read again at the same times.

A CA that is replaced while the process runs is noticed after at most `AGE` seconds, or at once
after a server was refused (`forget()`). A CA that is no longer in the file is no longer trusted.
While the file cannot be read or has no usable content, the last CA stays.
"""

import ssl
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final


AGE: Final = 60.0
"""Seconds after which the file is read again."""

Read = Callable[[], bytes | None]
"""Reads certificates in PEM; None: there are none."""


class Trust:
    """TLS settings for one server; ``current()`` is for the next connection.

    ``read`` gives the CA certificates, without which those of the system are used, and ``pair`` the
    client certificate with its key. Without ``verify``, any server is trusted. The constructor
    raises what ``read`` and ``pair`` raise, and ``ValueError``.
    """

    def __init__(
        self,
        read: Read,
        pair: Read = lambda: None,
        *,
        verify: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._pair = pair
        self._verify = verify
        self._clock = clock
        self._read_at: float | None = clock()
        self._found = (read(), pair())
        self._context = self._made(*self._found)

    def current(self) -> ssl.SSLContext:
        """The context; a new one only when the CA or the client certificate has changed."""
        if self._read_at is None or self._clock() - self._read_at >= AGE:
            self._read_at = self._clock()
            self._look()
        return self._context

    def forget(self) -> None:
        """Read the file at the next use, because a server was refused."""
        self._read_at = None

    def _look(self) -> None:
        import structlog  # noqa: PLC0415 - loads slowly, and commands end before this

        log = structlog.get_logger(__name__)
        try:
            found = (self._read(), self._pair())
            if found == self._found:
                return
            self._context = self._made(*found)
        except (OSError, ValueError) as error:
            log.warning("the authority cannot be read, the last one stays", why=str(error))
            return
        if found[0] != self._found[0]:
            log.info("the cluster's authority has changed")
        self._found = found

    def _made(self, authorities: bytes | None, pair: bytes | None) -> ssl.SSLContext:
        if authorities is not None and not authorities.strip():
            # Without any CA, Python would trust those of the system.
            raise ValueError("the file of the cluster's authority is empty")
        context = ssl.create_default_context(
            cadata=authorities.decode("ascii") if authorities is not None else None
        )
        # From Python 3.13 on strict checking is the default. It refuses CA certificates without
        # key identifiers and key usage, which many clusters have and all other clients accept.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if not self._verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if pair is not None:
            # OpenSSL loads key pairs from files only; a private folder keeps the key from others.
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "client.pem")
                file.write_bytes(pair)
                context.load_cert_chain(file)
        return context
