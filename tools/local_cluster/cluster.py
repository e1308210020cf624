"""Starts, finds and controls a local cluster.

``start`` creates a new cluster in a folder; ``attach`` finds the one that runs there. A tied
cluster ends with the process that started it, however that process ends; any other runs until
``stop``.
"""

import http.client
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from local_cluster import binaries, build, certificates, folder, state, tie


_STOP_SECONDS = 45.0
_RESTART_SECONDS = 180.0
_LOOK_EVERY_SECONDS = 0.05
_REQUEST_SECONDS = 2.0


class ClusterError(Exception):
    """An operation on the cluster failed; the text says which and why."""


class Cluster:
    """A cluster that runs in a folder. Use as a context manager to stop it at the end."""

    def __init__(
        self, place: folder.Folder, known: state.State, starter: tie.Tie | None = None
    ) -> None:
        self._place = place
        self._supervisor = known.supervisor
        self._binaries = known.binaries
        self._tie = starter
        self.folder = place.root
        self.kubeconfig = place.kubeconfig
        self.audit_log = place.audit_log
        self.api = known.api
        self.service_port = known.service_port
        """A port of 127.0.0.1 kept free for the operator's webhook Service."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def binary(self, name: str) -> Path:
        """The path of a program that fits this cluster, such as kubectl or helm."""
        return Path(self._binaries[name])

    def running(self) -> bool:
        """Whether the cluster's supervisor is alive."""
        return self._supervisor.alive()

    def components(self) -> Mapping[str, state.Component]:
        """The current process of each component and how often it was restarted."""
        known = state.read(self._place.state)
        return known.components if known else {}

    def component(self, name: str) -> state.Component:
        """One of them; raises ``ClusterError`` when it does not run."""
        found = self.components().get(name)
        if found is None:
            raise ClusterError(f"no component {name} runs in {self.folder}")
        return found

    def restart(self, component: str) -> None:
        """Kill a component without warning and wait until its next process is ready."""
        former = self.component(component).process
        former.kill()
        self._wait(
            lambda: self._succeeded(component, former),
            _RESTART_SECONDS,
            f"{component} did not come back",
        )

    def pause(self, component: str) -> None:
        """Freeze a component: its connections stay open and nothing answers."""
        self.component(component).process.send(signal.SIGSTOP)

    def resume(self, component: str) -> None:
        """Let a paused component go on."""
        self.component(component).process.send(signal.SIGCONT)

    def pod_pid(self, namespace: str, pod: str, container: str) -> int | None:
        """The process id of a container on the process node; None when it does not run."""
        known = state.read_containers(self._place.containers)
        process = known.running.get(f"{namespace}/{pod}/{container}")
        return process.pid if process is not None and process.alive() else None

    def pod_log(self, namespace: str, pod: str, container: str) -> Path:
        """The output of a container on the process node, over all of its restarts."""
        return self._place.pod_log(namespace, pod, container)

    def stop(self) -> None:
        """End every process of the cluster and remove its data; the logs stay."""
        self._supervisor.send(signal.SIGTERM)
        self._wait(
            lambda: not self._supervisor.alive(), _STOP_SECONDS, "the supervisor does not end"
        )
        if self._tie is not None:
            self._tie.cut()

    def _succeeded(self, component: str, former: state.Process) -> bool:
        try:
            process = self.component(component).process
        except ClusterError:
            return False
        if process == former or not process.alive():
            return False
        return component not in {"etcd", "kube-apiserver"} or self._ready()

    def _ready(self) -> bool:
        context = certificates.trust(self._place.pki)
        context.load_cert_chain(self._place.pki / "admin.crt", self._place.pki / "admin.key")
        asking = http.client.HTTPSConnection(
            self.api.removeprefix("https://"), timeout=_REQUEST_SECONDS, context=context
        )
        try:
            asking.request("GET", "/readyz")
            return asking.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            asking.close()

    def _wait(self, done: Callable[[], bool], seconds: float, otherwise: str) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                raise ClusterError(f"{otherwise} within {seconds:.0f} s; logs: {self._place.logs}")
            time.sleep(_LOOK_EVERY_SECONDS)


def start(
    where: Path,
    *,
    tied: bool = True,
    bare_authority: bool = False,
    feature_gates: Sequence[str] = (),
    autoscaler: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Cluster:
    """Start a new cluster in the folder ``where`` and wait until it is usable (about 5 s).

    Missing programs are built first, which takes minutes once; ``say`` gets a line for what takes
    time. A tied cluster ends with the calling process; the certificates of a bare authority carry
    only what is required. With ``feature_gates`` API server and scheduler have these features and
    serve alpha and beta APIs. With ``autoscaler`` the simulated autoscaler runs, which does nothing
    until a ConfigMap describes groups of nodes. Raises ``ClusterError`` when a cluster already runs
    there or this one does not start; nothing is left running then.
    """
    if sys.platform != "linux":
        raise ClusterError("the local cluster needs Linux (parent-death signals, 127.0.0.0/8)")
    place = folder.Folder(where)
    if place.held():
        raise ClusterError(f"a cluster runs already in {place.root}")
    try:
        programs = binaries.find(say)
    except build.BuildError as error:
        raise ClusterError(str(error)) from None
    starter = tie.Tie(
        place.root,
        programs,
        bare_authority=bare_authority,
        feature_gates=feature_gates,
        autoscaler=autoscaler,
    )
    try:
        starter.await_ready(say)
    except tie.TieError as error:
        starter.cut()
        raise ClusterError(str(error)) from None
    except BaseException:
        starter.cut()
        raise
    known = state.read(place.state)
    if known is None:
        starter.cut()
        raise ClusterError(f"the cluster in {place.root} ended as soon as it was ready")
    if not tied:
        starter.loosen()
    return Cluster(place, known, starter)


def attach(where: Path) -> Cluster | None:
    """The cluster that runs in the folder ``where``, started by any process; None without one."""
    place = folder.Folder(where)
    known = state.read(place.state)
    if known is None or not place.held():
        return None
    return Cluster(place, known)
