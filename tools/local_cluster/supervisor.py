"""Owns every process of a cluster: they all end when the supervisor ends.

It stops them in order on SIGTERM, or when its starter is gone (``tie``). When it is killed, the
kernel kills the components, and the process node kills its containers.
"""

import asyncio
import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

from local_cluster import api, build, components, folder, keeper, ports, state, tie
from local_cluster.autoscaler import rights


_START_SECONDS = 120.0
_PATIENCE = 5.0
_NODE_PATIENCE = 15.0
_STOP_ORDER = (
    "cluster-autoscaler",
    "process-node",
    "kube-scheduler",
    "kube-controller-manager",
    "kwok",
    "kube-apiserver",
    "etcd",
)
_LINES_OF_A_LOG = 5


class StartError(Exception):
    """The cluster did not start; the text names the component and the end of its log."""


class Supervisor:
    """Runs one cluster in one folder."""

    def __init__(
        self,
        place: folder.Folder,
        binaries: Mapping[str, Path],
        *,
        bare_authority: bool,
        feature_gates: Sequence[str],
        autoscaler: bool,
    ) -> None:
        self._place = place
        self._bare_authority = bare_authority
        self._feature_gates = feature_gates
        self._autoscaler = autoscaler
        self._binaries = binaries
        self._keepers: dict[str, keeper.Keeper] = {}
        self._network, self._network_holder = ports.reserve_network()
        self._port_holders = [ports.reserve() for _ in range(4)]
        numbers = [ports.number(holder) for holder in self._port_holders]
        self._ends = components.Endpoints(*numbers[:3])
        self._service_port = numbers[3]

    async def run(self, stop: asyncio.Event) -> None:
        """Start the cluster, keep it until ``stop`` is set, end it."""
        try:
            starting = asyncio.create_task(self._start())
            stopping = asyncio.create_task(stop.wait())
            await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not starting.done():
                starting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await starting
                tie.tell("ready")
            await stopping
        finally:
            await self._stop()

    async def _start(self) -> None:
        components.identities(self._place, self._ends, self._network, bare=self._bare_authority)
        await self._keep("etcd", components.etcd(self._place, self._ends))
        await self._keep(
            "kube-apiserver", components.apiserver(self._place, self._ends, self._feature_gates)
        )
        tie.tell("progress", "etcd and kube-apiserver are starting (about 4 s)")
        async with api.Client(self._ends.api_url, self._place.pki, "supervisor") as client:
            await self._until_ready(client)
            tie.tell("progress", "kube-apiserver is ready; starting the rest")
            await self._keep("kube-controller-manager", components.controller_manager(self._place))
            await self._keep(
                "kube-scheduler", components.scheduler(self._place, self._feature_gates)
            )
            await self._keep("kwok", components.kwok(self._place))
            # SIGTERM, so that it can stop its containers
            node = components.process_node(self._place, self._ends, self._network)
            await self._keep("process-node", node, orphaned=signal.SIGTERM)
            if self._autoscaler:
                await rights.give(client)
                await self._keep(
                    "cluster-autoscaler", components.autoscaler(self._place, self._ends)
                )
            for path in (
                "/api/v1/namespaces/default/serviceaccounts/default",
                "/api/v1/nodes/process-node",
            ):
                if not await api.eventually(_START_SECONDS, client, path):
                    raise StartError(f"{path} did not appear within {_START_SECONDS:.0f} s")

    async def _until_ready(self, client: api.Client) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _START_SECONDS
        while not await client.healthy():
            for name in ("etcd", "kube-apiserver"):
                if self._keepers[name].ended.is_set():
                    raise StartError(f"{name} ended while starting; {self._last_words(name)}")
            if loop.time() > deadline:
                words = self._last_words("kube-apiserver")
                raise StartError(
                    f"kube-apiserver is not ready after {_START_SECONDS:.0f} s; {words}"
                )
            await asyncio.sleep(0.1)

    async def _keep(
        self, name: str, arguments: list[str], orphaned: signal.Signals = signal.SIGKILL
    ) -> None:
        """Start a program of the control plane, or a module of ours."""
        kept = self._keepers[name] = keeper.Keeper(
            name,
            [str(self._binaries.get(name, sys.executable)), *arguments],
            log=self._place.log(name),
            changed=self._write_state,
            environment={**os.environ, "PYTHONPATH": str(build.TOOLS)},
            orphaned=orphaned,
        )
        await kept.start()

    async def _stop(self) -> None:
        for name in _STOP_ORDER:
            if name in self._keepers:
                patience = _NODE_PATIENCE if name == "process-node" else _PATIENCE
                await self._keepers[name].stop(patience)
        self._place.clear_data()
        for holder in (self._network_holder, *self._port_holders):
            holder.close()

    def _write_state(self) -> None:
        state.write(
            self._place.state,
            state.State(
                supervisor=state.identify(os.getpid()),
                api=self._ends.api_url,
                service_port=self._service_port,
                binaries={name: str(path) for name, path in self._binaries.items()},
                components={
                    name: state.Component(process=kept.identity, restarts=kept.restarts)
                    for name, kept in self._keepers.items()
                    if kept.identity is not None
                },
            ),
        )

    def _last_words(self, name: str) -> str:
        log = self._place.log(name)
        lines = log.read_text(errors="replace").splitlines()[-_LINES_OF_A_LOG:]
        return "\n".join([f"the end of {log}:", *lines])


def main() -> int:
    """Read the orders and run the cluster until its end."""
    orders = tie.orders()
    if orders is None:
        return 1
    place = folder.Folder(Path(orders.folder))
    try:
        place.take()
        place.sweep()
        place.prepare()
    except (folder.FolderError, OSError) as error:
        tie.tell("failed", str(error))
        return 1
    with place.log("supervisor").open("ab", buffering=0) as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    try:
        asyncio.run(_supervise(place, orders))
    except StartError as error:
        tie.tell("failed", str(error))
        return 1
    except Exception as error:  # noqa: BLE001 - the starter must hear of it, whatever it is
        traceback.print_exc()
        tie.tell("failed", f"{error!r}; see {place.log('supervisor')}")
        return 1
    return 0


async def _supervise(place: folder.Folder, orders: tie.Orders) -> None:
    stop = asyncio.Event()
    for what in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(what, stop.set)
    obeying = asyncio.create_task(tie.obey(stop))
    binaries = {name: Path(path) for name, path in orders.binaries.items()}
    await Supervisor(
        place,
        binaries,
        bare_authority=orders.bare_authority,
        feature_gates=orders.feature_gates,
        autoscaler=orders.autoscaler,
    ).run(stop)
    obeying.cancel()
