"""What the door measures about itself, one registry per server so that tests do not share it.

Labels have few values: kinds, operations, codes and rules, never names of quotas or pods.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """Counters of reviews; all times in seconds."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.reviews = Counter(
            "elasticquota_webhook_reviews",
            "Answered admission reviews.",
            ["kind", "operation", "code"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "elasticquota_webhook_review_seconds",
            "Time from the whole request to the answer.",
            ["kind"],
            buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
            registry=self.registry,
        )
        self.refusals = Counter(
            "elasticquota_webhook_refusals",
            "Violations of a rule in refused requests.",
            ["rule"],
            registry=self.registry,
        )
        self.certificate_expires = Gauge(
            "elasticquota_webhook_certificate_expiry_timestamp_seconds",
            "When the serving certificate expires.",
            registry=self.registry,
        )

    def text(self) -> bytes:
        """The metrics in the exposition format."""
        return generate_latest(self.registry)
