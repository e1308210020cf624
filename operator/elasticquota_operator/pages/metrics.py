"""Metrics: the figures that decisions rest on, and how the controller itself fares.

Quota figures are those of the last cycle and are exposed by the leader only, so that a sum over
replicas counts nothing twice (``quota_metrics``).
"""

import time
from collections.abc import Callable
from importlib import metadata

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, generate_latest

from elasticquota import names
from elasticquota.model import moments
from elasticquota.model.decision import Decisions, Eviction, Release
from elasticquota_config.sections.metrics import Which
from elasticquota_kube.client.paths import NAMESPACES, NODES, PODS, PROFILES, QUOTAS, Resource
from elasticquota_kube.eviction import EvictionAnswer
from elasticquota_operator.pages.quota_metrics import Created, QuotaMetrics
from elasticquota_operator.pages.workload_metrics import WorkloadMetrics


_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Telemetry:
    """One per process; ``leading`` is asked at each scrape."""

    def __init__(
        self,
        leading: Callable[[], bool],
        *,
        created: Created = lambda _key: "",
        which: Which = "all",
        for_koordinator: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``which`` quotas have series; ``for_koordinator`` adds its gauge; a wall ``clock``."""
        registry = self._registry = CollectorRegistry()
        self._created = created
        self._clock = clock
        self._quotas = QuotaMetrics(
            leading, created, which=which, for_koordinator=for_koordinator, clock=clock
        )
        registry.register(self._quotas)
        self._workloads = WorkloadMetrics(registry, self._quotas.label)
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
        for resource in (PODS, NODES, NAMESPACES):
            self._unreadable.labels(resource.plural)  # so that the first one is an increase
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
        self._unread = Gauge(
            "elasticquota_definition_unread",
            "1 while the API server serves a kind in no version that is read: its objects count "
            "nowhere.",
            ["definition"],
            registry=registry,
        )
        self._dropped_fields = Gauge(
            "elasticquota_definition_dropped_fields",
            "Fields that the API server drops, because another definition of the kind is "
            "installed.",
            ["definition"],
            registry=registry,
        )
        for resource in (QUOTAS, PROFILES):
            self.fields_dropped(resource, 0)  # without a drop there is a series, too
        self._policy_missing = Gauge(
            "elasticquota_policy_missing",
            "1 while an admission policy of the release, or its binding, is gone or does not do "
            "what the release made it for.",
            ["kind", "name"],
            registry=registry,
        )
        Info("elasticquota_build", "What runs here.", registry=registry).info(
            {"version": metadata.version("elastic-quota-operator")}
        )

    def decided(self, decisions: Decisions, seconds: float) -> None:
        self._decide_seconds.observe(seconds)
        self._quotas.decisions = decisions

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

    def admitted(self, release: Release) -> None:
        created = moments.read(self._created(release.pod))
        now = self._clock()
        waited = None if created is None else max(0.0, now - created / 1000)
        self._workloads.admitted(release, waited)

    def evicted(self, eviction: Eviction) -> None:
        self._workloads.evicted(eviction)

    def asked_to_evict(self, quota: str, answer: EvictionAnswer) -> None:
        self._workloads.asked(quota, answer)

    def event(self, fate: str) -> None:
        self._events.labels(fate).inc()

    def configuration_is(self, valid: bool) -> None:
        self._config_valid.set(valid)

    def dialect_is(self, dialect: str, valid: bool) -> None:
        self._dialect_valid.labels(dialect).set(valid)

    def definition_is(self, definition: str, read: bool) -> None:
        self._unread.labels(definition).set(not read)

    def fields_dropped(self, resource: Resource, count: int) -> None:
        self._dropped_fields.labels(f"{resource.plural}.{resource.group}").set(count)

    def policy_is(self, kind: str, name: str, in_force: bool) -> None:
        self._policy_missing.labels(kind, name).set(not in_force)

    def exposition(self) -> bytes:
        """The text format of Prometheus. May be called in another thread, one call at a time."""
        statuses = self._quotas.decisions.statuses
        there = {each.key.name for each in statuses} | names.RESERVED_QUOTAS
        self._workloads.forget(there.__contains__)
        return self._quotas.figures() + generate_latest(self._registry)
