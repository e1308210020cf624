"""Metrics of the webhook, with one registry per server so that tests do not share it.

Labels have few values: kinds, operations, codes and rules, never names of quotas or pods.
"""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from elasticquota_kube.client.paths import NAMESPACES, PROFILES, QUOTAS


class Metrics:
    """Counters of reviews; all times in seconds."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._reviews = Counter(
            "elasticquota_webhook_reviews",
            "Admission reviews by the code of their answer: 200 is allowed.",
            ["kind", "operation", "code"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "elasticquota_webhook_review_seconds",
            "Time from the whole request to the answer.",
            ["kind"],
            buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
            registry=self.registry,
        )
        self._refusals = Counter(
            "elasticquota_webhook_refusals",
            "Violations of a rule in refused requests.",
            ["rule"],
            registry=self.registry,
        )
        self.turned_away = Counter(
            "elasticquota_webhook_turned_away",
            "Requests that came to no review: too large, too slow, no HTTP, an unknown path.",
            ["code"],
            registry=self.registry,
        )
        self.unreadable = Counter(
            "elasticquota_webhook_unreadable_objects",
            "Objects that could not be read; their last good state stays in force.",
            ["resource"],
            registry=self.registry,
        )
        for resource in (QUOTAS, PROFILES, NAMESPACES):
            self.unreadable.labels(resource.plural)  # so that the first one is an increase
        self.certificate_expires = Gauge(
            "elasticquota_webhook_certificate_expiry_timestamp_seconds",
            "When the serving certificate expires.",
            registry=self.registry,
        )
        self.config_valid = Gauge(
            "elasticquota_webhook_config_valid",
            "0 while the configuration file is broken and an earlier one is in force.",
            registry=self.registry,
        )
        self.config_valid.set(1)

    def tally(self, kind: str) -> "ReviewCounter":
        """The counters of one kind of review."""
        return ReviewCounter(kind, self._reviews, self._seconds, self._refusals)

    def text(self) -> bytes:
        """The metrics in the exposition format."""
        return generate_latest(self.registry)


class ReviewCounter:
    """Counts the reviews of one kind; keeps its series, since a lookup costs more than a count."""

    def __init__(self, kind: str, reviews: Counter, seconds: Histogram, refusals: Counter) -> None:
        self._kind = kind
        self._reviews = reviews
        self._refusals = refusals
        self._seconds = seconds.labels(kind)
        self._series: dict[tuple[str, int], Counter] = {}

    def count(self, operation: str, code: int, seconds: float) -> None:
        """Count one review that took ``seconds``; ``operation`` is empty when it was unreadable."""
        series = self._series.get((operation, code))
        if series is None:
            series = self._reviews.labels(self._kind, operation, str(code))
            self._series[operation, code] = series
        series.inc()
        self._seconds.observe(seconds)

    def refused(self, rules: Iterable[str]) -> None:
        """Count the rules, by code, that a refused request broke."""
        for rule in rules:
            self._refusals.labels(rule).inc()
