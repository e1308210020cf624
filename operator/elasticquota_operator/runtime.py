"""The controller's parts, wired: started and stopped by Kopf's handlers (``handlers``).

Start, in order: ``follow`` begins the watches, ``decide`` ends with the first cycle after all
caches are filled, ``act`` starts the writers, and ``elect`` makes the process a candidate for the
Lease. Stop: writing ends, then the Lease is released, so that the standby does not wait until it
expires. A process that lost the Lease ends at once. A process with a failed part stops in order.
The next one starts from live state.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import structlog

from elasticquota.decisions import decide, nominations
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.pod_groups import reading
from elasticquota.structs import replace
from elasticquota_config.model import Configuration
from elasticquota_config.reload import ConfigurationFile
from elasticquota_export import ledger_dump
from elasticquota_kube import liveness
from elasticquota_kube.client import paths
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.events import Recorder
from elasticquota_kube.leaderelection import Elector
from elasticquota_operator import gc_tuning
from elasticquota_operator.actors import Actors
from elasticquota_operator.context import manifest_store
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.context.runnable import Runnables
from elasticquota_operator.engine import Engine
from elasticquota_operator.informers import cluster_objects, ledger_handlers
from elasticquota_operator.informers.device_objects import DeviceObjects
from elasticquota_operator.informers.own_definitions import OwnDefinitions
from elasticquota_operator.informers.policy_objects import PolicyObjects
from elasticquota_operator.informers.resync import Resync
from elasticquota_operator.leader_guard import LeaderOnlyApi
from elasticquota_operator.pages.metrics import Telemetry
from elasticquota_operator.pages.server import PageServer
from elasticquota_operator.reporting.forecasts import Forecasts


COMPONENT = "elasticquota.dev/controller"
ROOT_SECONDS: Final = 10.0
"""How long an event of a profile waits for the write of its root quota at most."""

log = structlog.get_logger(__name__)


class Runtime:
    """All parts of the controller; create it inside the event loop that runs it."""

    def __init__(
        self,
        configuration: Configuration,
        who: Credentials,
        namespace: str,
        identity: str,
        file: Path | None = None,
        end: Callable[[], None] | None = None,
    ) -> None:
        """``end`` stops the process in order when a part failed or the API server's store was set
        back; by default it sets ``ended``.
        """
        self._ledger = ledger = Ledger()
        self._namespace = namespace
        self._reconfigure(configuration)
        self._loop = asyncio.get_running_loop()
        self.credentials = who
        self.ended = asyncio.Event()
        """Kopf's flag to stop."""
        self._end = end or self.ended.set
        self._stopped = False
        self._liveness = liveness.Liveness(self._heartbeats)
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
        self._telemetry = Telemetry(
            self._leading,
            created=self._created,
            which=configuration.metrics.quotas,
            for_peer=configuration.compat_metrics,
        )
        self._file = self._followed(file, configuration)
        self._api = LeaderOnlyApi(who, self._leading, on_call=self._telemetry.called)
        self._parts = Runnables(self._api, self._end)
        self._recorder = Recorder(
            self._api,
            COMPONENT,
            identity,
            yields=self._ungates_many,
            on_fate=self._telemetry.event,
        )

        to_quotas = ledger_handlers.of_quotas(ledger, self._touch)
        to_profiles = ledger_handlers.of_profiles(ledger, self._touch)
        quotas = ManifestStore(to_quotas.on_change, others=False)
        profiles = ManifestStore(to_profiles.on_change, others=False)
        self._stores = {paths.QUOTAS: quotas, paths.PROFILES: profiles}
        self._resync = Resync(
            self._api, self._stores, on_repair=self._repaired, on_set_back=self._end
        )
        self._policies = PolicyObjects(
            self._api,
            configuration.installed_policies(),
            leading=self._leading,
            report=self._telemetry.policy_is,
        )
        context = ControllerContext(
            api=self._api,
            ledger=ledger,
            quotas=quotas,
            profiles=profiles,
            recorder=self._recorder,
            touch=self._touch,
            leading=self._leading,
            home=namespace,
            on_restart=self._telemetry.watch_restarted,
            on_definition=self._telemetry.definition_is,
            on_dropped=self._telemetry.fields_dropped,
        )
        self._definitions = OwnDefinitions(context)
        self._devices = DeviceObjects(context, follows=configuration.dra == "auto")
        self._forecasts = Forecasts(context)
        self._actors = Actors(
            context,
            configuration=configuration,
            accounting=lambda: self._policy.accounting,
            telemetry=self._telemetry,
            forecasts=self._forecasts,
            jobs=None if self._devices.tracker is None else self._devices.tracker.jobs,
        )
        self._reflectors = cluster_objects.reflectors(
            context,
            job_labels=self._actors.job_labels,
            groups=reading.reader(configuration.group_adapters()),
            devices=self._devices.tracker,
            to_pods=self._actors.pods,
            to_namespaces=self._actors.namespaces,
            on_poison=self._telemetry.unreadable,
        )
        cache = CycleCache()
        self._engine = Engine(
            ledger,
            lambda ledger, now: self._decided(ledger, now, cache),
            self._actors.apply,
            leading=self._leading,
            filled=(
                self._resync.synced,
                self._definitions.asked,
                *(reflector.synced for reflector in self._reflectors),
                *self._actors.filled,
                *self._devices.filled,
            ),
            observer=self._telemetry,
            backlogged=self._actors.admitting_many,
        )
        self._pages = PageServer(
            configuration, who, self._telemetry, self._objects, self._engine.decided
        )

    @property
    def failure(self) -> Exception | None:
        """What broke."""
        return self._parts.failure

    async def listen(self, hosts: Sequence[str]) -> None:
        """Serve our pages. Call it before ``decide``, which may wait for the API server.

        Raises ``OSError`` when an address or the port is not available.
        """
        await self._pages.listen(hosts)

    def follow(self) -> None:
        """Start to fill the caches: watches, resync, and the configuration file."""
        self._parts.start(
            self._resync,
            *self._reflectors,
            *self._actors.followers,
            self._devices,
            self._definitions,
            self._policies,
            *self._file,
        )

    async def decide(self) -> None:
        """Run one cycle when the caches are filled, and one after each change from then on.

        Waits for the API server. Raises ``RuntimeError`` when a part fails meanwhile; ``failure``
        says why.
        """
        self._parts.start(self._engine)
        await self._parts.until(self._engine.decided)

    def act(self) -> None:
        """Start the writers; they get the decisions of each cycle in which this process leads.

        Raises ``RuntimeError`` when a part has failed.
        """
        self._parts.start(self._recorder, *self._actors.writers)

    def elect(self) -> None:
        """Become a candidate for the Lease."""
        gc_tuning.settle()
        log.info("caches filled, candidate for the Lease")
        self._elector.start()

    async def stop(self) -> None:
        """End all tasks; then, when none of them can write, release the Lease.

        A second call does nothing.
        """
        if self._stopped:
            return
        self._stopped = True
        await self._parts.stop()
        await asyncio.to_thread(self._elector.release, 4.0)
        await self._pages.close()
        log.info("controller ended")

    def see(self, resource: Resource, event: str | None, manifest: Mapping[str, Any]) -> Key:
        """Take an event of Kopf's watch, a profile or quota, listed or changed; return its key."""
        store, found = self._stores[resource], manifest_store.identity(manifest)
        if event == "DELETED":
            store.delete(found)
        elif store.upsert(manifest):
            self._touch()  # even if it means the same: what we publish on it may be forged
        return Key(found.namespace, found.name)

    async def unwritten_root(self, profile: Key) -> str:
        """Wait until the root quota of a profile is what the next decision says.

        Returns why it is not, which is tried again. Empty: it is, or it is not ours to write.
        """
        found = self._ledger.profiles.get(profile)
        if found is None or not found.quota_name or not self._leading():
            return ""
        root = Key(profile.namespace, found.quota_name)
        why: ApiError | str | None = f"no answer in {ROOT_SECONDS:.0f} s"
        with suppress(TimeoutError):
            async with asyncio.timeout(ROOT_SECONDS):
                await self._engine.settled()
                why = await self._actors.roots.written(root)
        return f"root quota {root} is not written yet, and is tried again: {why}" if why else ""

    def watches(self) -> dict[str, int]:
        """Seconds since the last answer of each watch; raise ``RuntimeError`` for a dead one."""
        silent = self._liveness.silent()
        if silent:
            raise RuntimeError(
                "; ".join(f"{name}: silent for {age} s" for name, age in silent.items())
            )
        now = self._loop.time()
        return {name: round(now - at) for name, at in self._heartbeats().items()}

    def cycles(self) -> int:
        """Decision cycles so far."""
        return self._engine.cycles

    def role(self) -> str:
        """``leader`` or ``standby``."""
        return "leader" if self._leading() else "standby"

    def _decided(self, ledger: Ledger, now: int, cache: CycleCache) -> Decisions:
        self._devices.refresh()
        self._actors.refresh()
        policy = replace(self._policy, queues=self._actors.job_queues())
        if not self._engine.cycles:
            nominations.restore(ledger, self._forecasts.records(), policy)
        return self._forecasts.follow(decide.decide(ledger, now, policy, cache), now)

    def _reconfigure(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._policy = configuration.policy(self._namespace)

    def _change(self, configuration: Configuration) -> None:
        self._reconfigure(configuration)
        self._actors.reconfigure(configuration)
        self._touch()

    def _followed(
        self, file: Path | None, configuration: Configuration
    ) -> tuple[ConfigurationFile, ...]:
        if file is None:
            return ()
        tell = self._telemetry.configuration_is
        return (ConfigurationFile(file, configuration, self._change, tell),)

    def _repaired(self, plural: str, count: int) -> None:
        self._telemetry.repaired(plural, count)
        self._touch()

    def _objects(self) -> Iterator[Mapping[str, Any]]:
        profiles, quotas = self._stores[paths.PROFILES], self._stores[paths.QUOTAS]
        yield ledger_dump.in_force(self._configuration, self._namespace)
        yield from ledger_dump.objects(self._ledger, profiles.list(), quotas.list())

    def _heartbeats(self) -> dict[str, float]:
        heard = {found.resource.plural: found.last_heard for found in self._reflectors}
        heard["resync"] = self._resync.last_heard
        if self._elector.last_heard is not None:  # by a connection and a thread of its own
            heard["lease"] = self._elector.last_heard
        return heard

    def _created(self, key: Key) -> str:
        """When the pod or job was created; empty: it is gone."""
        found = self._ledger.pods.get(key) or self._ledger.jobs.get(key)
        return "" if found is None else found.created

    def _ungates_many(self) -> bool:
        """Whether reports give way."""
        return self._actors.ungating_many()

    def _leading(self) -> bool:
        return self._elector.leading

    def _started_to_lead(self) -> None:
        """Called in the elector's thread."""
        self._loop.call_soon_threadsafe(self._touch)

    def _touch(self) -> None:
        self._engine.touch()
