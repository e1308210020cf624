"""The controller process: everything is put together here, started, and ended in order.

Started: the watches; when all caches are filled and a first decision was made, the candidacy for
the Lease, so that only a process that can lead does. Ended (the task is cancelled, which is what
SIGTERM does): writing stops, the Lease is given back so that the standby need not wait for its end,
Kopf ends. A process that lost the Lease or one of its parts ends at once: the next one starts from
live state.
"""

import asyncio
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import structlog

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota.scheduling import decide
from elasticquota.scheduling.round_cache import RoundCache
from elasticquota_config.model import Configuration
from elasticquota_config.reload import ConfigurationFile
from elasticquota_export import ledger_dump
from elasticquota_kube import listening
from elasticquota_kube.client import credentials, paths
from elasticquota_kube.client.credentials import Credentials
from elasticquota_kube.client.parallel import Fan
from elasticquota_kube.events import Recorder
from elasticquota_kube.informer.reflector import Reflector
from elasticquota_kube.leaderelection import Elector
from elasticquota_operator import gc_tuning
from elasticquota_operator.actors import Actors
from elasticquota_operator.engine import Engine
from elasticquota_operator.informers import ledger_handlers
from elasticquota_operator.informers.custom_resources import Watcher
from elasticquota_operator.informers.manifest_store import ManifestStore
from elasticquota_operator.informers.resync import Resync
from elasticquota_operator.leader_guard import LeaderOnlyApi
from elasticquota_operator.pages import http
from elasticquota_operator.pages import ledger as pages_ledger
from elasticquota_operator.pages.metrics import Telemetry
from elasticquota_operator.runnable import Runnable


COMPONENT = "elasticquota.dev/controller"

log = structlog.get_logger(__name__)


async def run(configuration: Configuration, file: Path | None = None) -> None:
    """Be the controller until cancelled; ``file`` is followed.

    Raises `CredentialsError`, or what broke.
    """
    who = credentials.load()
    namespace = os.environ.get("POD_NAMESPACE") or who.namespace
    identity = os.environ.get("POD_NAME") or f"{socket.gethostname()}-{os.getpid()}"
    controller = Controller(configuration, who, namespace, identity, file)
    await controller.run(listening.hosts())


class Controller:
    """All parts, wired; to be made inside the event loop that runs it."""

    def __init__(
        self,
        configuration: Configuration,
        who: Credentials,
        namespace: str,
        identity: str,
        file: Path | None = None,
    ) -> None:
        self._port = configuration.controller.port
        self._ledger = ledger = Ledger()
        self._namespace = namespace
        self._go_by(configuration)
        self._loop = asyncio.get_running_loop()
        lease = configuration.lease
        self._elector = Elector(
            who,
            namespace=namespace,
            name=lease.name,
            identity=identity,
            duration=lease.duration_seconds,
            renew=lease.renew_seconds,
            retry=lease.retry_seconds,
            on_started=self._started_to_lead,
        )
        self._telemetry = Telemetry(self._leading, for_peer=configuration.compat_metrics)
        self._file = self._followed(file, configuration)
        self._api = LeaderOnlyApi(who, self._leading, on_call=self._telemetry.called)
        self._recorder = Recorder(
            self._api,
            COMPONENT,
            identity,
            yields=self._letting_a_crowd_in,
            on_fate=self._telemetry.event,
        )

        quota_feed = ledger_handlers.of_quotas(ledger, self._touch)
        profile_feed = ledger_handlers.of_profiles(ledger, self._touch)
        quotas = ManifestStore(quota_feed.take, quota_feed.forget, others=False)
        profiles = ManifestStore(profile_feed.take, profile_feed.forget, others=False)
        self._stores = {paths.QUOTAS: quotas, paths.PROFILES: profiles}
        self._watcher = Watcher(who, self._deliver)
        self._sweeper = Resync(self._api, self._stores, on_repair=self._repaired)
        self._actors = Actors(
            self._api,
            ledger,
            self._recorder,
            self._touch,
            quotas=quotas,
            profiles=profiles,
            configuration=configuration,
            home=namespace,
            accounting=lambda: self._policy.accounting,
            leading=self._leading,
            telemetry=self._telemetry,
        )
        self._reflectors = self._follow(ledger)
        notes = RoundCache()
        self._engine = Engine(
            ledger,
            lambda books, now: self._decided(books, now, notes),
            self._actors.take,
            leading=self._leading,
            filled=(
                self._sweeper.synced,
                *(found.synced for found in self._reflectors),
                *self._actors.filled,
            ),
            witness=self._telemetry,
        )

    async def run(self, hosts: Sequence[str]) -> None:
        """Run until cancelled or until a part breaks, then end in order."""
        ready = self._engine.decided
        more = [pages_ledger.route(self._objects, ready)]
        pages = http.application(self._heartbeats, ready, self._telemetry, more=more)
        runner = await http.serve(pages, hosts, self._port)
        log.info("controller started", addresses=list(hosts), port=self._port)
        try:
            async with self._api, asyncio.TaskGroup() as tasks:
                parts: tuple[Runnable, ...] = (
                    self._sweeper,
                    *self._reflectors,
                    self._recorder,
                    *self._actors.parts,
                    self._engine,
                    *self._file,
                )
                for part in parts:
                    tasks.create_task(part.run(), name=type(part).__name__)
                tasks.create_task(self._watch_custom_resources(), name="Watcher")
                tasks.create_task(self._campaign(), name="Campaign")
        finally:
            # At once: whoever is cancelled twice comes no further, and Kopf's thread would stay.
            self._watcher.ask_to_stop()
            try:
                # No task writes any more, so the Lease may go to another.
                await asyncio.to_thread(self._elector.release, 4.0)
                await self._watcher.stop(4.0)
            finally:
                await runner.cleanup()
            log.info("controller ended")

    async def _watch_custom_resources(self) -> None:
        # Kopf gives up on kinds that are not installed yet; the sweep waits for them. And it reads
        # all quotas once more, at 1 ms each: what it takes must not be taken from the first lists.
        await self._engine.decided.wait()
        self._watcher.start()
        await self._watcher.ended.wait()
        raise RuntimeError("Kopf has ended by itself")

    async def _campaign(self) -> None:
        await self._engine.decided.wait()
        gc_tuning.settle()
        log.info("caches filled, standing for leader")
        self._elector.start()

    def _decided(self, ledger: Ledger, now: int, notes: RoundCache) -> Decisions:
        self._actors.look()
        return decide.decide(ledger, now, self._policy, notes)

    def _go_by(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._policy = configuration.policy(self._namespace)

    def _change(self, configuration: Configuration) -> None:
        self._go_by(configuration)
        self._actors.go_by(configuration)
        self._touch()

    def _followed(
        self, file: Path | None, configuration: Configuration
    ) -> tuple[ConfigurationFile, ...]:
        if file is None:
            return ()
        tell = self._telemetry.configuration_is
        return (ConfigurationFile(file, configuration, self._change, tell),)

    def _deliver(self, plural: str, kind: str, manifest: Mapping[str, Any]) -> None:
        store = next(found for place, found in self._stores.items() if place.plural == plural)
        if kind == "DELETED":
            store.drop(manifest)
        elif store.put(manifest):
            self._touch()  # even if it means the same: what we publish on it may be forged

    def _repaired(self, plural: str, count: int) -> None:
        self._telemetry.repaired(plural, count)
        self._touch()

    def _follow(self, ledger: Ledger) -> tuple[Reflector[Any], ...]:
        pods = ledger_handlers.of_pods(ledger, self._touch, self._actors.job_labels)
        nodes = ledger_handlers.of_nodes(ledger, self._touch)
        namespaces = ledger_handlers.of_namespaces(ledger, self._touch)
        told: dict[str, Any] = {
            "on_restart": self._telemetry.watch_restarted,
            "on_poison": self._telemetry.unreadable,
        }
        return (
            Reflector(
                self._api,
                paths.PODS,
                pods.kind,
                Fan(pods, *self._actors.pods),
                field_selector="status.phase!=Succeeded,status.phase!=Failed",
                **told,
            ),
            Reflector(self._api, paths.NODES, nodes.kind, nodes, **told),
            Reflector(self._api, paths.NAMESPACES, namespaces.kind, namespaces, **told),
        )

    def _objects(self) -> Iterator[Mapping[str, Any]]:
        profiles, quotas = self._stores[paths.PROFILES], self._stores[paths.QUOTAS]
        yield ledger_dump.in_force(self._configuration, self._namespace)
        yield from ledger_dump.objects(self._ledger, profiles.manifests(), quotas.manifests())

    def _heartbeats(self) -> dict[str, float]:
        heard = {found.resource.plural: found.last_heard for found in self._reflectors}
        heard["sweep"] = self._sweeper.last_heard
        if self._elector.last_heard is not None:  # by a connection and a thread of its own
            heard["lease"] = self._elector.last_heard
        return heard

    def _letting_a_crowd_in(self) -> bool:
        """Whether reports give way."""
        return self._actors.ungating_many()

    def _leading(self) -> bool:
        return self._elector.leading

    def _started_to_lead(self) -> None:
        """Called in the elector's thread."""
        self._loop.call_soon_threadsafe(self._touch)

    def _touch(self) -> None:
        self._engine.touch()
