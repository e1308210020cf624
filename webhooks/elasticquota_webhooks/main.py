"""Runs the webhook process: caches, certificate, listener, probes and a graceful end.

A restarted process only reads from the API server, and is ready within a second or two. On SIGTERM
it reports that it is not ready, keeps answering while the Service removes it from its endpoints,
and then closes. An unexpected error in any part ends the whole process, and the kubelet restarts
it.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import structlog

from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.kubernetes.review import AnyObject
from elasticquota.wire.quota.profiles import ProfileManifest
from elasticquota.wire.quota.quotas import StoredQuota
from elasticquota_config.model import Configuration
from elasticquota_config.reload import ConfigurationFile
from elasticquota_kube import listening
from elasticquota_kube.client import credentials, paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer.queue_config import FollowedConfig
from elasticquota_kube.informer.reflector import Reflector
from elasticquota_kube.informer.store import FanOut
from elasticquota_kube.scrape_access import ANYONE, ScrapeAccess
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.live_capacity_quotas import LiveCapacityQuotas
from elasticquota_webhooks.cache.live_nodes import LiveNodes
from elasticquota_webhooks.cache.live_pods import LivePods
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.certificates import modes, timing
from elasticquota_webhooks.certificates.serving_certificate import Certificate
from elasticquota_webhooks.certificates.timing import Timing
from elasticquota_webhooks.handlers import passed_over, workload_admission
from elasticquota_webhooks.handlers.dry_run import DryRun
from elasticquota_webhooks.handlers.integrations import queue_admission
from elasticquota_webhooks.handlers.integrations.capacity_admission import CapacityAdmission
from elasticquota_webhooks.handlers.integrations.job_admission import JobAdmission
from elasticquota_webhooks.handlers.integrations.queue_admission import QueueAdmission
from elasticquota_webhooks.handlers.integrations.tree_admission import TreeAdmission
from elasticquota_webhooks.handlers.pod_admission import PodAdmission
from elasticquota_webhooks.handlers.profile_admission import ProfileAdmission
from elasticquota_webhooks.handlers.quota_admission import QuotaAdmission
from elasticquota_webhooks.handlers.resize_admission import ResizeAdmission
from elasticquota_webhooks.handlers.reviews import Reviews
from elasticquota_webhooks.server.contact import Contact
from elasticquota_webhooks.server.health import Health
from elasticquota_webhooks.server.listener import Server
from elasticquota_webhooks.server.metrics import Metrics
from elasticquota_webhooks.server.webhook_paths import WebhookPaths


DRAIN_SECONDS: Final = 5.0
"""How long the Service may still send reviews to a replica that is shutting down."""

log = structlog.get_logger(__name__)


async def run(configuration: Configuration, file: Path | None = None) -> None:
    """Serve until SIGTERM or SIGINT, and reload ``file`` when it changes.

    Raises ``CredentialsError`` and ``OSError`` at the start.
    """
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    found = credentials.load()
    namespace = os.environ.get("POD_NAMESPACE") or found.namespace
    async with Api(found) as api:
        await serve(
            configuration, api, namespace, listening.hosts(), stop, DRAIN_SECONDS, file=file
        )


async def serve(
    configuration: Configuration,
    api: Api,
    namespace: str,
    hosts: Sequence[str],
    stop: asyncio.Event,
    drain_seconds: float,
    times: Timing = timing.NORMAL,
    *,
    file: Path | None = None,
) -> None:
    """Serve on ``hosts`` until ``stop`` is set, as the webhook of ``namespace``."""
    settings = configuration.webhook
    metrics = Metrics()
    caches = Caches(configuration.what_counts(namespace))
    certificate = Certificate()
    paths_taken = WebhookPaths(times.linger)
    manager = modes.manager(settings, api, namespace, certificate, paths_taken, times)
    metrics.certificate_expires.set_function(certificate.expires)
    metrics.registry.register(manager)
    contact = Contact(api, namespace)

    def unreadable(resource: Resource) -> None:
        metrics.unreadable.labels(resource.plural).inc()

    quotas = follower(api, caches, unreadable)
    followers = (quotas, *_others(api, caches, unreadable))
    live_quotas = LiveQuotas(api, quotas)
    server = Server(
        routes(caches, live_quotas, api, configuration, metrics),
        certificate.context,
        metrics,
        paths_taken.route,
    )

    def heartbeats() -> dict[str, float]:
        heard = {each.resource.plural: each.last_answered for each in followers}
        return {**heard, "contact": contact.last_heard}

    health = Health(
        metrics,
        (
            lambda: "stopping" if stop.is_set() else "",
            lambda: "" if caches.filled else "quotas, profiles and namespaces are still being read",
            manager.missing,
            contact.missing,
            lambda: "" if server.listening else "not listening yet",
        ),
        heartbeats,
        ScrapeAccess(api) if configuration.metrics.authorization else ANYONE,
    )

    def reconfigure(changed: Configuration) -> None:
        caches.count_by(changed.what_counts(namespace))
        server.serve(routes(caches, live_quotas, api, changed, metrics))

    async def listen() -> None:
        await manager.shown.wait()
        await server.start(hosts, settings.port)
        log.info("listening", addresses=list(hosts), port=settings.port)

    await health.start(hosts, settings.health_port)
    try:
        async with asyncio.TaskGroup() as group:
            following = [each.run() for each in followers]
            works = [*following, manager.run(), contact.run(), listen()]
            if configuration.dialects.yunikorn:
                works.append(_queues(api, configuration, caches).run())
                works.append(_priority_classes(api, caches, unreadable).run())
            if file is not None:
                followed = ConfigurationFile(
                    file, configuration, reconfigure, metrics.config_valid.set
                )
                works.append(followed.run())
            tasks = [group.create_task(work) for work in works]
            await stop.wait()
            server.leave()
            await drain(drain_seconds)
            await server.stop()
            for task in tasks:
                task.cancel()
    finally:
        await server.stop()
        await health.stop()


async def drain(seconds: float) -> None:
    """Wait until the Service has removed this replica; no event says so, so the time is a guess."""
    log.info("stopping", drain_seconds=seconds)
    await asyncio.sleep(seconds)


def routes(
    caches: Caches,
    live_quotas: LiveQuotas,
    api: Api,
    configuration: Configuration,
    metrics: Metrics,
) -> dict[str, Reviews]:
    """The handler of each path, without the token that stands before it (``webhook_paths``)."""
    validation = configuration.validation()
    quotas = QuotaAdmission(
        caches,
        live_quotas,
        LivePods(api),
        configuration.controller_user,
        validation,
        configuration.policy(),
    )
    profiles = ProfileAdmission(caches, LiveNodes(api), validation)
    dialects = configuration.dialects
    pods = PodAdmission(
        caches,
        validation,
        configuration.controller_user,
        aliases=dialects.ack or dialects.jobs,
        refuses_at_creation=configuration.admission.refuse_at_creation,
    )
    jobs = JobAdmission(caches, configuration.adapters(), validation)
    resizes = ResizeAdmission(caches, validation)
    capacity = CapacityAdmission(LiveCapacityQuotas(api))
    dry_runs = DryRun(caches, validation, configuration.policy())
    queues = QueueAdmission(places_pods=configuration.pod_admission == "webhook")
    return {
        "/mutate/elasticquota": Reviews("mutate-elasticquota", quotas.default, metrics),
        "/validate/elasticquota": Reviews("validate-elasticquota", quotas.validate, metrics),
        "/validate/profile": Reviews("validate-profile", profiles.validate, metrics),
        "/mutate/pod": Reviews("mutate-pod", pods.default, metrics),
        "/validate/pod": Reviews("validate-pod", pods.validate, metrics),
        "/validate/dry-run": Reviews("validate-dry-run", dry_runs.validate, metrics),
        "/validate/keys": Reviews("validate-keys", passed_over.validate, metrics),
        "/validate/capacity": Reviews("validate-capacity", capacity.validate, metrics),
        "/mutate/job": Reviews("mutate-job", jobs.default, metrics),
        "/validate/tree": Reviews("validate-tree", TreeAdmission(api).validate, metrics),
        "/validate/queues": Reviews("validate-queues", queues.validate, metrics),
        "/validate/namespace": Reviews(
            "validate-namespace", queue_admission.validate_namespace, metrics
        ),
        "/mutate/workload": Reviews("mutate-workload", workload_admission.default, metrics),
        "/validate/resize": Reviews("validate-resize", resizes.validate, metrics),
    }


def follower(
    api: Api, caches: Caches, unreadable: Callable[[Resource], None] = lambda _: None
) -> Reflector[StoredQuota]:
    """The reflector of the quotas; it fills all caches that quotas are kept in."""
    sinks = FanOut(caches.quotas, caches.published, caches.queues.quotas)
    return Reflector(api, paths.QUOTAS, StoredQuota, sinks, on_poison=unreadable)


def _queues(api: Api, configuration: Configuration, caches: Caches) -> FollowedConfig:
    """Follow YuniKorn's queue configuration; the process is ready before it has been read."""
    found = FollowedConfig(
        api,
        configuration.dialects.yunikorn_namespace,
        lambda: None,
        places_pods=configuration.pod_admission == "webhook",
    )
    caches.queues.follow(found)
    return found


def _priority_classes(
    api: Api, caches: Caches, unreadable: Callable[[Resource], None]
) -> Reflector[AnyObject]:
    """The reflector of priority classes, which say whether their pods are evicted last."""
    sink = caches.queues.priority_classes
    return Reflector(api, paths.PRIORITY_CLASSES, AnyObject, sink, on_poison=unreadable)


def _others(
    api: Api, caches: Caches, unreadable: Callable[[Resource], None]
) -> tuple[Reflector[Any], ...]:
    return (
        Reflector(api, paths.PROFILES, ProfileManifest, caches.profiles, on_poison=unreadable),
        Reflector(
            api,
            paths.NAMESPACES,
            NamespaceManifest,
            FanOut(caches.namespaces, caches.queues.namespaces),
            on_poison=unreadable,
        ),
    )
