"""The writers together: each of them gets the decisions of a cycle, in order.

While many pods are ungated, and until nodes accept them, the API server's time goes to that:
statuses are written one at a time, and annotations, which repeat them, one a second. At other times
annotations are written one at a time while a status waits.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Decisions, Eviction
from elasticquota.model.key import Key
from elasticquota_config.model import Configuration
from elasticquota_kube.events import Regarding
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.runnable import Runnable
from elasticquota_operator.informers.group_objects import GroupObjects
from elasticquota_operator.integrations.runner import IntegrationRunner
from elasticquota_operator.jobs.queued_job import JobSink
from elasticquota_operator.jobs.runner import JobRunner
from elasticquota_operator.pages.metrics import Telemetry
from elasticquota_operator.provisioning.provisioner import Provisioner
from elasticquota_operator.reporting.forecasts import Forecasts
from elasticquota_operator.reporting.reporter import Reporter
from elasticquota_operator.workqueue import workers
from elasticquota_operator.writers.annotation_writer import AnnotationWriter
from elasticquota_operator.writers.dry_run_recorder import DryRunRecorder
from elasticquota_operator.writers.evictor import Evictor
from elasticquota_operator.writers.namespace_writer import NamespaceWriter
from elasticquota_operator.writers.root_writer import RootWriter
from elasticquota_operator.writers.status_writer import StatusWriter
from elasticquota_operator.writers.ungater import Ungater


ANNOTATION_PAUSE: Final = 1.0
"""Seconds after each write of annotations while many pods are ungated."""


class Actors:
    """Call ``refresh()`` before each cycle and ``apply()`` after it.

    ``followers`` and ``writers`` run as tasks; the followers fill caches, and write too.

    ``accounting()`` returns the current settings.
    """

    def __init__(
        self,
        context: ControllerContext,
        *,
        configuration: Configuration,
        accounting: Callable[[], Accounting],
        telemetry: Telemetry,
        forecasts: Forecasts,
        jobs: JobSink | None = None,
    ) -> None:
        """``jobs`` takes the queued jobs, by default the ledger."""
        api, ledger, backlogged = context.api, context.ledger, self.ungating_many
        self._take_keys(configuration)
        self._forecasts = forecasts
        self._telemetry = telemetry
        self._reporter = Reporter(
            context,
            jobs=configuration.kinds_of_jobs(),
            job=self._job,
            refresh=configuration.controller.event_refresh_seconds,
        )
        self._jobs = JobRunner(
            context,
            adapters=configuration.adapters(),
            terms=configuration.jobs.terms(),
            external=configuration.jobs.external_queue_labels,
            dialects=configuration.dialects,
            snapshot=lambda: ledger.update(accounting()),
            yields=self.admitting_many,
            on_started=telemetry.admitted,
            on_suspended=self._suspended,
            sink=jobs,
        )
        self.job_queues = self._jobs.queues.job_queues
        """What the Queues say about the order."""
        self._provisioner = Provisioner(
            context, configuration.provisioning.terms(), self._jobs.controller
        )
        self.roots = RootWriter(api, context.quotas, context.profiles)
        self._ungater = Ungater(context, expects=forecasts.expects, on_released=telemetry.admitted)
        self._statuses = StatusWriter(context, yields=backlogged)
        self._annotations = AnnotationWriter(
            api,
            context.quotas,
            yields=lambda: backlogged() or self._statuses.is_busy(),
            pause=lambda: ANNOTATION_PAUSE if backlogged() else workers.PAUSE,
        )
        self._namespaces = NamespaceWriter(api, ledger)
        self._following = IntegrationRunner(
            context,
            dialects=configuration.dialects,
            places_pods=configuration.pod_admission == "webhook",
            system=lambda: accounting().system_namespaces,
            blocking=self._jobs.queues.blocking,
            telemetry=telemetry,
        )
        self._evictor = Evictor(
            context,
            delete_after=configuration.reclaim.delete_after_seconds or None,
            on_outcome=telemetry.asked_to_evict,
            on_evicted=self._evicted,
            spares=lambda gone: ledger.snapshot.forest.observes(gone.quota),
        )
        self._dry_run = DryRunRecorder(context.recorder)
        self._groups = GroupObjects(context, configuration.group_adapters())
        self.followers: Sequence[Runnable] = (
            self._following,
            self._jobs,
            self._groups,
            self._provisioner,
        )
        self.writers: Sequence[Runnable] = (
            self.roots,
            self._statuses,
            self._annotations,
            self._namespaces,
            self._ungater,
            self._evictor,
            self._reporter,
        )
        self.filled: Sequence[asyncio.Event] = (
            *self._jobs.filled,
            *self._groups.filled,
            *self._provisioner.filled,
        )
        """Events that are set once the jobs, the objects of pod groups, and the requests for nodes
        are listed."""
        self.job_labels = self._jobs.labels
        """Labels that link pods to jobs, the outermost job first."""
        self.pods = (*self._following.pods, self._reporter.owners)
        self.namespaces = self._following.namespaces
        """More handlers of the events of pods and namespaces."""

    def ungating_many(self) -> bool:
        """Whether statuses, annotations and events yield to ungating."""
        return self.admitting_many() or self._ungater.awaits_nodes()

    def admitting_many(self) -> bool:
        """Whether more pods or jobs are admitted than may be started at a time."""
        return self._ungater.is_backlogged() or self._jobs.controller.is_backlogged()

    def reconfigure(self, configuration: Configuration) -> None:
        """Apply the changed keys that need no restart."""
        self._take_keys(configuration)
        self._evictor.delete_after(configuration.reclaim.delete_after_seconds or None)

    def _evicted(self, eviction: Eviction) -> None:
        self._reporter.evicted(eviction)
        self._forecasts.evicted(eviction)
        self._telemetry.evicted(eviction)

    def _suspended(self, eviction: Eviction) -> None:
        self._reporter.suspended(eviction)
        self._forecasts.evicted(eviction)
        self._telemetry.evicted(eviction)

    def _job(self, key: Key) -> Regarding | None:
        found = self._jobs.controller.queued.get(key)
        return None if found is None else found.regarding

    def _take_keys(self, configuration: Configuration) -> None:
        self._keeps_quotas = not configuration.beside_koordinator
        """Whether quota objects and Koordinator's annotations are ours to write."""
        self._annotates = configuration.compat_annotations and self._keeps_quotas

    def refresh(self) -> None:
        """Update the queued jobs and the groups in the ledger."""
        self._provisioner.refresh()
        self._jobs.controller.refresh()

    def apply(self, decisions: Decisions) -> None:
        self.roots.apply(decisions if self._keeps_quotas else Decisions())
        decisions = self._provisioner.apply(self._following.hold(decisions))
        self._jobs.apply(decisions.jobs)
        self._ungater.apply(decisions)
        self._evictor.apply(decisions.evictions)
        self._dry_run.apply(decisions)
        self._reporter.apply(decisions)
        self._statuses.apply(decisions)
        self._namespaces.apply(decisions)
        self._following.apply(decisions)
        self._annotations.apply(decisions if self._annotates else Decisions())
