"""Keeps the webhook's certificate valid and trusted; it checks four times a minute.

A new leaf is served when the API server is sure to accept it: a handshake in memory succeeds with
the certificates that have been in both webhook configurations for a margin. Until then the leaf
before it stays. A replica without a valid leaf has nothing to lose and serves the new one at once;
it is not ready before both configurations trust it.

API server down: nothing changes, and a leaf has days left. When no usable leaf is offered, the last
good one stays; the log, the metric and, once that leaf has expired, the probe say why.
"""

import asyncio
from collections.abc import Iterator
from typing import Final

import structlog
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from elasticquota_kube.client.api import ApiError
from elasticquota_webhooks.certificates import handshake, timing
from elasticquota_webhooks.certificates.ca_bundle import Certificates, Publisher
from elasticquota_webhooks.certificates.server_clock import Clock
from elasticquota_webhooks.certificates.serving_certificate import Certificate, Leaf
from elasticquota_webhooks.certificates.source import (
    CertificateSource,
    FaultError,
    OfferedCertificate,
)
from elasticquota_webhooks.certificates.timing import Timing


PROBLEM: Final = "elasticquota_webhook_certificate_problem"
CHANGES: Final = "elasticquota_webhook_certificate_changes"

log = structlog.get_logger(__name__)


class CertificateManager(Collector):
    """Manages ``certificate``, which is for the Service ``host``; collects its own metrics."""

    def __init__(
        self,
        source: CertificateSource,
        publisher: Publisher,
        certificate: Certificate,
        clock: Clock,
        host: str,
        times: Timing = timing.NORMAL,
    ) -> None:
        self.shown = asyncio.Event()
        """Set once there is a leaf to serve."""
        self.changes = 0
        """How often another leaf was put into service."""
        self.problem = ""
        """What is wrong now; empty when all is well."""
        self._source = source
        self._publisher = publisher
        self._certificate = certificate
        self._clock = clock
        self._host = host
        self._times = times
        self._offer: OfferedCertificate | None = None
        self._missing = "no certificate yet"
        self._settled = False

    def missing(self) -> str:
        """Why the API server cannot trust us; empty when it can."""
        leaf = self._certificate.leaf
        if self._missing or leaf is None:
            return self._missing
        if leaf.is_valid(self._clock.now()):
            return ""
        return f"the certificate has expired: {self.problem or 'a new one is on its way'}"

    def collect(self) -> Iterator[Metric]:
        """What an alert about certificates needs; the log has the details."""
        yield GaugeMetricFamily(
            PROBLEM,
            "1 while the certificate cannot be renewed or is not trusted; the log says why.",
            value=float(bool(self.problem)),
        )
        yield CounterMetricFamily(
            CHANGES, "Certificates shown since the start.", value=self.changes
        )

    async def run(self) -> None:
        """Check again and again until cancelled."""
        while True:
            try:
                await self.reconcile()
            except ApiError as error:
                self._settled = False
                self._note(str(error))
            times = self._times
            await asyncio.sleep(times.pause if self._settled else times.pause_when_unsettled)

    async def reconcile(self) -> None:
        """Check once and renew, publish or serve what is due; raises ``ApiError``."""
        now = await self._clock.ask()
        await self._publisher.read()
        fault = ""
        try:
            self._offer = await self._source.offer(now, self._publisher.steady())
        except FaultError as error:
            fault = str(error)
        offer = self._offer
        if offer is None:
            self._settled = False
            self._note(fault)
            return
        shown = self._certificate.leaf
        if (shown is None or not shown.is_valid(now)) and offer.leaf.is_valid(now):
            shown = self._show(offer.leaf)
        await self._publisher.publish(offer.trust, now)
        if shown != offer.leaf and not self._refusal(offer.leaf, self._publisher.steady()):
            shown = self._show(offer.leaf)
        refusal = "" if shown is None else self._refusal(shown, self._publisher.standing())
        problem = refusal and f"the API server would refuse the certificate: {refusal}"
        if not problem and self._publisher.path_missing():
            problem = "a webhook configuration has no path with a token that we answer to"
        self._settled = not (fault or problem) and shown == offer.leaf and self._stands(offer)
        self._note(fault or problem)
        if shown is not None and not problem:
            self._missing = ""

    def _stands(self, offer: OfferedCertificate) -> bool:
        return frozenset(offer.trust or ()) <= self._publisher.steady()

    def _refusal(self, leaf: Leaf, trusted: Certificates) -> str:
        return handshake.refusal(leaf.pair, trusted, self._host)

    def _show(self, leaf: Leaf) -> Leaf:
        self._certificate.show(leaf)
        self.changes += 1
        self.shown.set()
        log.info(
            "certificate shown",
            serial=f"{leaf.certificate.serial_number:x}",
            until=leaf.certificate.not_valid_after_utc.isoformat(),
        )
        return leaf

    def _note(self, problem: str) -> None:
        if problem and problem != self.problem:
            log.warning("certificates need attention", why=problem)
        if self.problem and not problem:
            log.info("certificates are in order again")
        self.problem = problem
        if problem and self._missing:
            self._missing = f"no trusted certificate yet: {problem}"
