"""Exports what an alert about certificates needs; the log has the details."""

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from elasticquota_webhooks.certificates.manager import CertificateManager


PROBLEM: Final = "elasticquota_webhook_certificate_problem"
CHANGES: Final = "elasticquota_webhook_certificate_changes"


class CertificateMetrics(Collector):
    """Reads the values from ``manager`` at each scrape."""

    def __init__(self, manager: CertificateManager) -> None:
        self._manager = manager

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            PROBLEM,
            "1 while the certificate cannot be renewed or is not trusted; the log says why.",
            value=float(bool(self._manager.problem)),
        )
        yield CounterMetricFamily(
            CHANGES, "Certificates shown since the start.", value=self._manager.changes
        )


def register(registry: CollectorRegistry, manager: CertificateManager) -> None:
    """Add the metrics of ``manager`` to ``registry``."""
    registry.register(CertificateMetrics(manager))
