"""The interface of a certificate source: it offers a leaf and the certificates to trust for it."""

from collections.abc import Container
from datetime import datetime
from typing import Protocol

from cryptography import x509

from elasticquota.structs import Struct
from elasticquota_webhooks.certificates.serving_certificate import Leaf


class OfferedCertificate(Struct, frozen=True):
    """``trust`` is to be published; None leaves the bundle to its other owner."""

    leaf: Leaf
    trust: tuple[x509.Certificate, ...] | None


class FaultError(Exception):
    """Nothing usable is offered; the text names the object and its fault."""


class CertificateSource(Protocol):
    """Creates or reads certificates."""

    async def offer(self, now: datetime, steady: Container[x509.Certificate]) -> OfferedCertificate:
        """The leaf to use at ``now``; the same leaf as long as it is good.

        ``steady`` are the certificates that all API servers trust by now. Raises ``FaultError``,
        and ``ApiError`` when the API server is needed and does not answer.
        """
