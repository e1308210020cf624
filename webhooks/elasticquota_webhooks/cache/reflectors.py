"""The watches that fill the caches: quotas, profiles, namespaces, and for YuniKorn's queues."""

from collections.abc import Callable
from typing import Any

from elasticquota.wire.admission.review import AnyObject
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.quota.profiles import ProfileManifest
from elasticquota.wire.quota.quotas import StoredQuota
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer.queue_config import FollowedConfig
from elasticquota_kube.informer.reflector import Reflector
from elasticquota_kube.informer.store import FanOut
from elasticquota_webhooks.cache.caches import Caches


OnPoison = Callable[[Resource], None]
"""Called for each object that cannot be decoded."""


def of_quotas(
    api: Api, caches: Caches, on_poison: OnPoison = lambda _: None
) -> Reflector[StoredQuota]:
    """Fills all caches that quotas are kept in."""
    sinks = FanOut(caches.quotas, caches.published, caches.queues.quotas)
    return Reflector(api, paths.QUOTAS, StoredQuota, sinks, on_poison=on_poison)


def of_profiles(api: Api, caches: Caches, on_poison: OnPoison) -> Reflector[Any]:
    return Reflector(api, paths.PROFILES, ProfileManifest, caches.profiles, on_poison=on_poison)


def of_namespaces(api: Api, caches: Caches, on_poison: OnPoison) -> Reflector[Any]:
    sinks = FanOut(caches.namespaces, caches.queues.namespaces)
    return Reflector(api, paths.NAMESPACES, NamespaceManifest, sinks, on_poison=on_poison)


def of_priority_classes(api: Api, caches: Caches, on_poison: OnPoison) -> Reflector[AnyObject]:
    """Priority classes say whether their pods are evicted last."""
    sink = caches.queues.priority_classes
    return Reflector(api, paths.PRIORITY_CLASSES, AnyObject, sink, on_poison=on_poison)


def of_queues(api: Api, configuration: Configuration, caches: Caches) -> FollowedConfig:
    """YuniKorn's queue configuration; the process is ready before it has been read."""
    found = FollowedConfig(
        api,
        configuration.dialects.yunikorn_namespace,
        lambda: None,
        places_pods=configuration.pod_admission == "webhook",
    )
    caches.queues.follow(found)
    return found
