"""The composition root: each part of the controller is made here, once, after what it needs.

Parts that concern each other share plain objects, which are made first: what is counted
(``Ledger``), the configuration in force (``Settings``), what is not decided yet
(``PendingChanges``), what is admitted and not carried out yet (``Backlog``), and what became of
decisions (``Outcomes``). No part is given a function of one that is made later.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from elasticquota.jobs.kinds import table
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.pod_groups import reading
from elasticquota_config.model import Configuration
from elasticquota_config.reload import ConfigurationFile
from elasticquota_export import ledger_dump
from elasticquota_kube.client import paths
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.events import Recorder
from elasticquota_kube.leaderelection import Elector
from elasticquota_operator.context.backlog import Backlog
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.context.outcomes import Outcomes
from elasticquota_operator.context.pending_changes import PendingChanges
from elasticquota_operator.context.runnable import Runnable
from elasticquota_operator.context.settings import Settings
from elasticquota_operator.cycle import Cycle, CycleParts
from elasticquota_operator.engine import Engine
from elasticquota_operator.informers import cluster_objects, ledger_handlers
from elasticquota_operator.informers.crd_informer import CrdInformer
from elasticquota_operator.informers.device_objects import DeviceObjects
from elasticquota_operator.informers.group_objects import GroupObjects
from elasticquota_operator.informers.own_definitions import OwnDefinitions
from elasticquota_operator.informers.policy_objects import PolicyObjects
from elasticquota_operator.informers.resync import Resync
from elasticquota_operator.integrations import sources
from elasticquota_operator.integrations.awaited_quotas import AwaitedQuotas
from elasticquota_operator.integrations.quota_sync import QuotaSync
from elasticquota_operator.integrations.sources import ExternalSource
from elasticquota_operator.integrations.yunikorn_source import YuniKornSource
from elasticquota_operator.jobs.controller import JobController
from elasticquota_operator.jobs.informer import job_informer
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.jobs.queue_writer import QueueWriter
from elasticquota_operator.jobs.queueunit_writer import QueueUnitWriter
from elasticquota_operator.leader_guard import LeaderOnlyApi
from elasticquota_operator.pages.metrics import Telemetry
from elasticquota_operator.pages.server import PageServer
from elasticquota_operator.provisioning.provisioner import Provisioner
from elasticquota_operator.reporting.forecasts import Forecasts
from elasticquota_operator.reporting.reporter import Reporter
from elasticquota_operator.writers.annotation_writer import AnnotationWriter
from elasticquota_operator.writers.dry_run_recorder import DryRunRecorder
from elasticquota_operator.writers.evictor import Evictor
from elasticquota_operator.writers.namespace_writer import NamespaceWriter
from elasticquota_operator.writers.root_writer import RootWriter
from elasticquota_operator.writers.status_writer import StatusWriter
from elasticquota_operator.writers.ungater import Ungater


COMPONENT = "elasticquota.dev/controller"


class Composition:
    """The parts, as the life cycle needs them; create it inside the event loop that runs them."""

    def __init__(
        self,
        settings: Settings,
        who: Credentials,
        identity: str,
        file: Path | None,
        end: Callable[[], None],
    ) -> None:
        """``end`` is called when the API server's store was set back."""
        configuration, dialects = settings.configuration, settings.configuration.dialects

        # What all parts share.
        changes = PendingChanges()
        self.elector = elector = _elector(who, settings, identity, changes)
        self.context = context = _context(settings, who, identity, elector, changes)
        ledger, telemetry = context.ledger, context.telemetry

        # Jobs.
        self.devices = DeviceObjects(context, follows=configuration.dra == "auto")
        tracker = self.devices.tracker
        adapters = configuration.adapters()
        ordering = JobOrdering(context, by_priority=dialects.queue_priority)
        jobs = JobController(
            context,
            ordering,
            terms=configuration.jobs.terms(),
            sink=None if tracker is None else tracker.jobs,
        )
        units = QueueUnitWriter(context, jobs, ordering)
        job_queues = QueueWriter(context, jobs, ordering, of_all_quotas=dialects.queue_per_quota)
        informers = [job_informer(context, each, jobs) for each in adapters]
        # Without a kind of job nothing is watched, and no decision changes.
        watches: Sequence[CrdInformer[Any] | QueueUnitWriter | QueueWriter] = (
            (ordering.classes, *informers, units, job_queues) if adapters else ()
        )

        # Quotas of other systems.
        yunikorn = [
            YuniKornSource(context, namespace, places_pods=configuration.pod_admission == "webhook")
            for namespace in ([dialects.yunikorn_namespace] if dialects.yunikorn else [])
        ]
        external = [ExternalSource(context, dialect) for dialect in sources.chosen(dialects)]
        sync = QuotaSync(context, [*external, *yunikorn], blocking=ordering.blocking)
        awaited = AwaitedQuotas(ledger, sync, yunikorn)

        # Writers, and what hears of what they did.
        forecasts = Forecasts(context)
        reporter = Reporter(
            context,
            configuration.kinds_of_jobs(),
            jobs.queued,
            refresh=configuration.controller.event_refresh_seconds,
        )
        context.outcomes.on_admitted += [telemetry.admitted]
        context.outcomes.on_evicted += [reporter.evicted, forecasts.evicted, telemetry.evicted]
        context.outcomes.on_suspended += [reporter.suspended, forecasts.evicted, telemetry.evicted]
        provisioner = Provisioner(context, configuration.provisioning.terms(), jobs)
        self.roots = RootWriter(context)
        ungater = Ungater(context, expects=forecasts.expects)
        evictor = Evictor(context)
        statuses = StatusWriter(context)
        annotations = AnnotationWriter(context, statuses)
        namespaces = NamespaceWriter(context.api, ledger)
        parts = CycleParts(
            refreshers=[self.devices, provisioner, jobs],
            unheld=[self.roots],
            holders=[awaited, provisioner],
            writers=[
                jobs,
                units,
                job_queues,
                ungater,
                evictor,
                DryRunRecorder(context.recorder),
                reporter,
                statuses,
                namespaces,
                sync,
                awaited,  # after what it reports on
                annotations,
            ],
        )

        # What fills the caches.
        self.resync = Resync(
            context.api,
            {paths.QUOTAS: context.quotas, paths.PROFILES: context.profiles},
            on_repair=partial(_repaired, context),
            on_set_back=end,
        )
        self.reflectors = cluster_objects.reflectors(
            context,
            job_labels=table.labels(adapters),
            groups=reading.reader(configuration.group_adapters()),
            devices=tracker,
            to_pods=(*(each.pods for each in yunikorn), reporter.owners),
            to_namespaces=[each.namespaces for each in yunikorn],
        )
        definitions = OwnDefinitions(context)
        policies = PolicyObjects(
            context.api,
            configuration.installed_policies(),
            leading=context.leading,
            report=telemetry.policy_is,
        )
        groups = GroupObjects(context, configuration.group_adapters())
        self.followers: Sequence[Runnable] = (
            self.resync,
            *self.reflectors,
            sync,
            *watches,
            *([jobs] if adapters else []),
            groups,
            provisioner,
            self.devices,
            definitions,
            policies,
            *_files(file, context),
        )
        """They fill caches, and some write too."""
        self.engine = Engine(
            context,
            changes,
            Cycle(settings, ordering, forecasts, parts),
            filled=(
                self.resync.synced,
                definitions.asked,
                *(reflector.synced for reflector in self.reflectors),
                *(watch.filled for watch in watches),
                *groups.filled,
                *provisioner.filled,
                *self.devices.filled,
            ),
        )
        self.writers: Sequence[Runnable] = (
            context.recorder,
            self.roots,
            statuses,
            annotations,
            namespaces,
            ungater,
            evictor,
            reporter,
        )
        self.pages = PageServer(
            configuration, who, telemetry, partial(_objects, context), self.engine.decided
        )


def _elector(
    who: Credentials, settings: Settings, identity: str, changes: PendingChanges
) -> Elector:
    lease = settings.configuration.lease
    return Elector(
        who,
        namespace=settings.home,
        name=lease.name,
        identity=identity,
        duration=lease.duration_seconds,
        renew=lease.renew_seconds,
        retry=lease.retry_seconds,
        on_started=changes.touch_from_thread,
    )


def _context(
    settings: Settings, who: Credentials, identity: str, elector: Elector, changes: PendingChanges
) -> ControllerContext:
    configuration, ledger, touch = settings.configuration, Ledger(), changes.touch

    def leading() -> bool:
        return elector.leading

    telemetry = Telemetry(
        leading,
        created=partial(_created, ledger),
        which=configuration.metrics.quotas,
        for_koordinator=configuration.compat_metrics,
    )
    api = LeaderOnlyApi(who, leading, on_call=telemetry.called)
    backlog = Backlog(ledger)
    yields = backlog.ungating_many
    to_quotas = ledger_handlers.of_quotas(ledger, touch)
    to_profiles = ledger_handlers.of_profiles(ledger, touch)
    return ControllerContext(
        api=api,
        recorder=Recorder(api, COMPONENT, identity, yields=yields, on_fate=telemetry.event),
        settings=settings,
        ledger=ledger,
        quotas=ManifestStore(to_quotas.on_change, others=False),
        profiles=ManifestStore(to_profiles.on_change, others=False),
        touch=touch,
        leading=leading,
        telemetry=telemetry,
        backlog=backlog,
        outcomes=Outcomes(),
    )


def _created(ledger: Ledger, key: Key) -> str:
    """When the pod or job was created; empty: it is gone."""
    found = ledger.pods.get(key) or ledger.jobs.get(key)
    return "" if found is None else found.created


def _repaired(context: ControllerContext, plural: str, count: int) -> None:
    context.telemetry.repaired(plural, count)
    context.touch()


def _files(file: Path | None, context: ControllerContext) -> Sequence[ConfigurationFile]:
    """The configuration file, if there is one, whose live keys are taken over."""
    settings, telemetry = context.settings, context.telemetry

    def take(written: Configuration) -> None:
        settings.replace(written)
        context.touch()

    if file is None:
        return ()
    return (ConfigurationFile(file, settings.configuration, take, telemetry.configuration_is),)


def _objects(context: ControllerContext) -> Iterator[Mapping[str, Any]]:
    """What decisions rest on, as objects of the API."""
    yield ledger_dump.in_force(context.settings.configuration, context.settings.home)
    yield from ledger_dump.objects(context.ledger, context.profiles.list(), context.quotas.list())
