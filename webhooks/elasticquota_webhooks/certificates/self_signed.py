"""Mode ``self``: a leaf of each replica, signed by their common authority, never on disk."""

from collections.abc import Container
from datetime import datetime

from cryptography import x509

from elasticquota_webhooks.certificates import serving_certificate, timing
from elasticquota_webhooks.certificates.authority_store import AuthorityStore
from elasticquota_webhooks.certificates.serving_certificate import Leaf
from elasticquota_webhooks.certificates.source import OfferedCertificate
from elasticquota_webhooks.certificates.timing import Timing


class OwnCertificates:
    """Issues leaves for ``hosts`` and renews them."""

    def __init__(
        self, store: AuthorityStore, hosts: tuple[str, ...], times: Timing = timing.NORMAL
    ) -> None:
        self._store = store
        self._hosts = hosts
        self._times = times
        self._leaf: Leaf | None = None
        self._signer: x509.Certificate | None = None

    async def offer(self, now: datetime, steady: Container[x509.Certificate]) -> OfferedCertificate:
        """A leaf within the first two thirds of its life; raises ``ApiError``."""
        found = await self._store.obtain(now, steady)
        leaf = self._leaf
        if leaf is None or self._signer != found.current.certificate or not leaf.is_fresh(now):
            leaf = serving_certificate.issue(found.current, self._hosts, now, self._times)
            self._leaf, self._signer = leaf, found.current.certificate
        return OfferedCertificate(leaf, found.trusted)
