"""What an alert about certificates needs; the log says the rest."""

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from elasticquota_webhooks.certificates.manager import Keeper


PROBLEM: Final = "elasticquota_webhook_certificate_problem"
CHANGES: Final = "elasticquota_webhook_certificate_changes"


class CertificateMetrics(Collector):
    """Read from ``keeper`` when somebody asks."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            PROBLEM,
            "1 while the certificate cannot be renewed or is not trusted; the log says why.",
            value=float(bool(self._keeper.problem)),
        )
        yield CounterMetricFamily(
            CHANGES, "Certificates shown since the start.", value=self._keeper.changes
        )


def register(registry: CollectorRegistry, keeper: Keeper) -> None:
    """Show what ``keeper`` says among the metrics of ``registry``."""
    registry.register(CertificateMetrics(keeper))
