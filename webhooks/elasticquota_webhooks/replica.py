"""What a replica of the webhook knows, and the table of its handlers; who serves it, differs.

``main`` serves it with our own server, in production. ``kopf_handlers`` serve it with Kopf's, for
development.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_webhooks import routes
from elasticquota_webhooks.cache import reflectors
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.reviews.reviews import Reviews


class Replica:
    """Caches, the watches that fill them, and the handlers that decide with them."""

    def __init__(
        self, configuration: Configuration, api: Api, namespace: str, metrics: Metrics
    ) -> None:
        """``namespace`` is that of the release."""
        self._configuration = configuration
        self._api = api
        self._namespace = namespace
        self._metrics = metrics
        self.caches = Caches(configuration.what_counts(namespace))
        quotas = reflectors.of_quotas(api, self.caches, self._unreadable)
        profiles = reflectors.of_profiles(api, self.caches, self._unreadable)
        namespaces = reflectors.of_namespaces(api, self.caches, self._unreadable)
        self.followers = (quotas, profiles, namespaces)
        """The watches without which there is no answer."""
        self._live_quotas = LiveQuotas(api, quotas, profiles)

    def table(self) -> dict[str, Reviews]:
        """The handler of each path, by the configuration in force."""
        return routes.table(
            self.caches, self._live_quotas, self._api, self._configuration, self._metrics
        )

    def reconfigure(self, configuration: Configuration) -> None:
        """Decide by another configuration; ``table`` has the new handlers."""
        self._configuration = configuration
        self.caches.count_by(configuration.what_counts(self._namespace))

    def watches(self) -> list[Callable[[], Coroutine[Any, Any, None]]]:
        """Each runs until canceled. YuniKorn's queues are followed if the configuration says so."""
        found = [each.run for each in self.followers]
        if self._configuration.dialects.yunikorn:
            found.append(reflectors.of_queues(self._api, self._configuration, self.caches).run)
            found.append(
                reflectors.of_priority_classes(self._api, self.caches, self._unreadable).run
            )
        return found

    def _unreadable(self, resource: Resource) -> None:
        self._metrics.unreadable.labels(resource.plural).inc()
