"""All integrations with external quota sources: their watches, the sync, and the status writers.

With no integration enabled, nothing is watched.
"""

from collections.abc import Callable, Sequence
from functools import partial

from elasticquota.integrations.yunikorn import queues
from elasticquota.model.decision import Decisions, Release
from elasticquota.structs import replace
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.kubernetes.pods import PodManifest
from elasticquota_config.sections.dialects import Dialects
from elasticquota_kube.informer.reflector import Sink
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.integrations import sources as integrations_sources
from elasticquota_operator.integrations.quota_sync import QuotaSync
from elasticquota_operator.integrations.sources import ExternalSource
from elasticquota_operator.integrations.yunikorn_source import YuniKornSource
from elasticquota_operator.pages.metrics import Telemetry


class IntegrationRunner:
    """``hold()`` and ``apply()`` in each cycle; ``run()`` as a task."""

    def __init__(
        self,
        context: ControllerContext,
        *,
        dialects: Dialects,
        places_pods: bool = True,
        system: Callable[[], frozenset[str]],
        blocking: Callable[[], frozenset[str]],
        telemetry: Telemetry,
    ) -> None:
        """``system()`` are namespaces without queues, ``blocking()`` quotas with strict queues.

        ``places_pods``: whether the webhook sees pods.
        """
        external_sources = [
            ExternalSource(context, dialect) for dialect in integrations_sources.chosen(dialects)
        ]
        sources = [
            YuniKornSource(
                context,
                namespace,
                system,
                places_pods=places_pods,
                judged=partial(telemetry.dialect_is, queues.NAME),
            )
            for namespace in ([dialects.yunikorn_namespace] if dialects.yunikorn else [])
        ]
        self.pods: Sequence[Sink[PodManifest]] = tuple(each.pods for each in sources)
        """Sinks for the watch of pods."""
        self.namespaces: Sequence[Sink[NamespaceManifest]] = tuple(
            each.namespaces for each in sources
        )
        """Sinks for the watch of namespaces."""
        self._ledger = context.ledger
        self._sources = sources
        self._sync = QuotaSync(context, [*external_sources, *sources], blocking=blocking)

    def hold(self, decisions: Decisions) -> Decisions:
        """Without the releases of pods whose own quota is about to be made."""
        admitted = tuple(each for each in decisions.releases if not self._is_early(each))
        if len(admitted) == len(decisions.releases):
            return decisions
        return replace(decisions, releases=admitted)

    def _is_early(self, release: Release) -> bool:
        pod = self._ledger.pods.get(release.pod)
        if pod is None or pod.quota_label in ("", release.quota):
            return False
        label = pod.quota_label
        return label not in self._sync.taken(queues.NAME) and any(
            source.is_coming(label) for source in self._sources
        )

    def apply(self, decisions: Decisions) -> None:
        self._sync.apply(decisions)
        for source in self._sources:
            source.report(self._sync.taken(queues.NAME))

    async def run(self) -> None:
        """Watch and write until cancelled; returns at once when nothing is to be followed."""
        await self._sync.run()
