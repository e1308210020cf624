"""Metrics: the figures that decisions rest on, and how the controller itself fares.

Quota figures are those of the last cycle and are exposed by the leader only, so that a sum over
replicas counts nothing twice. Amounts are in base units: cores, bytes, devices.
"""

from collections import Counter as Tally
from collections.abc import Callable, Iterable
from importlib import metadata

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from elasticquota import names
from elasticquota.model.decision import Decisions, ProfileStatus
from elasticquota.resources import Resources
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.eviction import Answer
from elasticquota_operator.pages import koordinator_metrics


_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Telemetry:
    """One per process; ``leading`` is asked at each scrape, ``for_peer`` adds its gauge."""

    def __init__(self, leading: Callable[[], bool], *, for_peer: bool = False) -> None:
        registry = self._registry = CollectorRegistry()
        self._quotas = _Quotas(leading, for_peer)
        registry.register(self._quotas)
        self._reclaims = Counter(
            "elasticquota_reclaim_evictions",
            "Evictions asked for, by the answer.",
            ["quota", "answer"],
            registry=registry,
        )
        self._reclaimed: set[tuple[str, str]] = set()
        """Of which quotas there are such series, until they are gone."""
        self._decide_seconds = Histogram(
            "elasticquota_decide_seconds",
            "Time of one decision over all trees.",
            buckets=_SECONDS,
            registry=registry,
        )
        self._decide_failures = Counter(
            "elasticquota_decide_failures",
            "Decisions that raised: bugs, please report them.",
            registry=registry,
        )
        self._calls = Counter(
            "elasticquota_api_calls",
            "Calls to the API server, code 0 without an answer.",
            ["verb", "resource", "code"],
            registry=registry,
        )
        self._call_seconds = Histogram(
            "elasticquota_api_call_seconds",
            "Time until the API server answered.",
            ["verb", "resource"],
            buckets=(*_SECONDS, 10.0),
            registry=registry,
        )
        self._restarts = Counter(
            "elasticquota_watch_restarts",
            "Watches that ended and were begun again.",
            ["resource", "reason"],
            registry=registry,
        )
        self._unreadable = Counter(
            "elasticquota_unreadable_objects",
            "Objects that could not be read; their last good state stays in force.",
            ["resource"],
            registry=registry,
        )
        self._repairs = Counter(
            "elasticquota_sweep_repairs",
            "Objects of which a sweep knew more than the watch.",
            ["resource"],
            registry=registry,
        )
        self._events = Counter(
            "elasticquota_events", "Events by what became of them.", ["fate"], registry=registry
        )
        leader = Gauge("elasticquota_leader", "1 while this process leads.", registry=registry)
        leader.set_function(lambda: float(leading()))
        self._config_valid = Gauge(
            "elasticquota_config_valid",
            "0 while the configuration file is broken and an earlier one is in force.",
            registry=registry,
        )
        self._config_valid.set(1)
        self._dialect_valid = Gauge(
            "elasticquota_dialect_valid",
            "0 while what a dialect follows is broken and its quotas stay as they are.",
            ["dialect"],
            registry=registry,
        )
        Info("elasticquota_build", "What runs here.", registry=registry).info(
            {"version": metadata.version("elastic-quota-operator")}
        )

    def decided(self, decisions: Decisions, seconds: float) -> None:
        self._decide_seconds.observe(seconds)
        self._quotas.decisions = decisions
        there = {status.key.name for status in decisions.statuses} | names.RESERVED_QUOTAS
        for quota, answer in [each for each in self._reclaimed if each[0] not in there]:
            self._reclaims.remove(quota, answer)
            self._reclaimed.discard((quota, answer))

    def decide_failed(self) -> None:
        self._decide_failures.inc()

    def called(self, verb: str, resource: str, code: int, seconds: float) -> None:
        self._calls.labels(verb, resource, str(code)).inc()
        self._call_seconds.labels(verb, resource).observe(seconds)

    def watch_restarted(self, resource: Resource, reason: str) -> None:
        self._restarts.labels(resource.plural, reason).inc()

    def unreadable(self, resource: Resource) -> None:
        self._unreadable.labels(resource.plural).inc()

    def repaired(self, plural: str, count: int) -> None:
        self._repairs.labels(plural).inc(count)

    def evicted(self, quota: str, answer: Answer) -> None:
        self._reclaims.labels(quota, answer.value).inc()
        self._reclaimed.add((quota, answer.value))

    def event(self, fate: str) -> None:
        self._events.labels(fate).inc()

    def configuration_is(self, valid: bool) -> None:
        self._config_valid.set(valid)

    def dialect_is(self, dialect: str, valid: bool) -> None:
        self._dialect_valid.labels(dialect).set(valid)

    def exposition(self) -> bytes:
        """The text format of Prometheus."""
        return generate_latest(self._registry)


class _Quotas(Collector):
    """Made from the last decisions at each scrape, so a deleted quota leaves no series."""

    def __init__(self, leading: Callable[[], bool], for_peer: bool) -> None:
        self.decisions = Decisions()
        self._leading = leading
        self._for_peer = for_peer

    def collect(self) -> Iterable[Metric]:
        amounts = GaugeMetricFamily(
            "elasticquota_quota",
            "Figures of each quota: cores, bytes, devices.",
            labels=["quota", "namespace", "tree", "resource", "field"],
        )
        pending = GaugeMetricFamily(
            "elasticquota_pending_pods",
            "Pods that wait at the gate.",
            labels=["quota", "reason"],
        )
        would_wait = GaugeMetricFamily(
            "elasticquota_would_wait_pods",
            "Pods that run or start now and would wait if their tree did not only observe.",
            labels=["quota", "reason"],
        )
        would_reclaim = GaugeMetricFamily(
            "elasticquota_would_reclaim_pods",
            "Pods that would be evicted now if their tree did not only observe.",
            labels=["quota"],
        )
        braked = GaugeMetricFamily(
            "elasticquota_evictions_held",
            "Evictions that the eviction breaker holds back for some seconds.",
            labels=["tree"],
        )
        if self._leading():
            for status in self.decisions.statuses:
                fields: dict[str, Resources] = {
                    "min": status.min,
                    "max": status.max,
                    "request": status.request,
                    "used": status.used,
                    "admitted": status.admitted,
                    "runtime": status.runtime,
                }
                for field, held in fields.items():
                    for resource, amount in held.items():
                        amounts.add_metric(
                            [
                                status.key.name,
                                status.key.namespace,
                                status.tree,
                                resource,
                                field,
                            ],
                            amount / 1000 if resource == names.CPU else float(amount),
                        )
            decided = self.decisions.of_workloads
            waiting = Tally((wait.quota, str(wait.reason)) for wait in decided.waits)
            for labels, count in waiting.items():
                pending.add_metric(list(labels), float(count))
            spared = Tally((wait.quota, str(wait.reason)) for wait in decided.would_wait)
            for labels, count in spared.items():
                would_wait.add_metric(list(labels), float(count))
            going = Tally(eviction.quota for eviction in decided.would_evict)
            for quota, count in going.items():
                would_reclaim.add_metric([quota], float(count))
            for root, count in self.decisions.held.items():
                braked.add_metric([root], float(count))
        trees = _trees(self.decisions.profiles if self._leading() else ())
        yield from (amounts, trees, pending, braked, would_wait, would_reclaim)
        if self._for_peer:
            yield koordinator_metrics.family(self.decisions.statuses if self._leading() else ())


def _trees(profiles: Iterable[ProfileStatus]) -> Metric:
    found = GaugeMetricFamily(
        "elasticquota_tree",
        "What each profile's tree shares (total) and what its nodes offer now (present).",
        labels=["profile", "namespace", "mode", "resource", "field"],
    )
    for profile in profiles:
        labels = [profile.key.name, profile.key.namespace, profile.mode]
        for field, held in (("total", profile.total), ("present", profile.present)):
            for resource, amount in held.items():
                value = amount / 1000 if resource == names.CPU else float(amount)
                found.add_metric([*labels, resource, field], value)
    return found
