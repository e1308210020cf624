"""Where a certificate comes from: somebody offers a leaf, and says what must be trusted for it."""

from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cryptography import x509

from elasticquota_webhooks.certificates.serving_certificate import Leaf


@dataclass(frozen=True, slots=True)
class OfferedCertificate:
    """``trust`` is to be published; None leaves the bundle to somebody else."""

    leaf: Leaf
    trust: tuple[x509.Certificate, ...] | None


class FaultError(Exception):
    """Nothing usable is offered; the text says what is wrong with what."""


class Source(Protocol):
    """Makes or finds certificates."""

    async def offer(self, now: datetime, steady: Container[x509.Certificate]) -> OfferedCertificate:
        """What there is at ``now``; the same leaf as long as that is good.

        ``steady`` are the certificates that the API servers trust for certain. Raises
        ``FaultError``, and ``ApiError`` when the API server is needed and does not answer.
        """
