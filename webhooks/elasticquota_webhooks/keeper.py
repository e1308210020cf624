"""Keeps the door's certificate valid and trusted: look four times a minute, act on what differs.

The order makes a change of authority invisible: first the bundle with both authorities is
published, and only a later round, which finds it standing, shows a leaf of the new one. Until then
the old leaf is trusted, for its authority is in the bundle too. A replica without any leaf takes
one at once; it is not ready before its authority stands in both configurations.
Down: without the API server nothing changes, and a leaf has days left.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import structlog

from elasticquota_kube.api import ApiError
from elasticquota_webhooks import certificates
from elasticquota_webhooks.authority import Authority, AuthorityStore
from elasticquota_webhooks.bundle import Publisher
from elasticquota_webhooks.certificates import Certificate


SECONDS: Final = 15.0
SECONDS_WHEN_UNSETTLED: Final = 2.0

log = structlog.get_logger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


class Keeper:
    """Looks after ``certificate`` for the hosts of the webhook's Service."""

    def __init__(
        self,
        store: AuthorityStore,
        publisher: Publisher,
        certificate: Certificate,
        hosts: tuple[str, ...],
        *,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self.shown = asyncio.Event()
        """There is a leaf to show."""
        self._store = store
        self._publisher = publisher
        self._certificate = certificate
        self._hosts = hosts
        self._now = now
        self._missing = "no certificate yet"
        self._settled = False

    def missing(self) -> str:
        """Why the API server cannot trust us yet; empty when it can."""
        if not self._missing and self._now().timestamp() >= self._certificate.expires():
            return "the certificate has expired"
        return self._missing

    async def run(self) -> None:
        """Keep looking until cancelled."""
        while True:
            try:
                await self.look()
            except ApiError as error:
                self._settled = False
                log.warning("certificates cannot be looked after", why=str(error))
                if self._missing:
                    self._missing = f"no trusted certificate yet: {error}"
            await asyncio.sleep(SECONDS if self._settled else SECONDS_WHEN_UNSETTLED)

    async def look(self) -> None:
        """One round; raises ``ApiError``."""
        now = self._now()
        authority = await self._store.obtain(now)
        if now.timestamp() >= self._certificate.expires():
            # No leaf, or one that is no use any more, does not wait for anything.
            self._show(authority, now)
        stood = await self._publisher.publish(authority.bundle)
        if stood and self._is_outdated(authority, now):
            self._show(authority, now)
        self._missing = ""
        self._settled = not self._is_outdated(authority, now)

    def _is_outdated(self, authority: Authority, now: datetime) -> bool:
        leaf = self._certificate.leaf
        return leaf is None or not leaf.is_fresh(now) or leaf.signer != authority.certificate

    def _show(self, authority: Authority, now: datetime) -> None:
        leaf = certificates.issue(authority, self._hosts, now)
        self._certificate.show(leaf)
        self.shown.set()
        log.info(
            "certificate issued",
            hosts=list(self._hosts),
            until=leaf.certificate.not_valid_after_utc.isoformat(),
        )
