"""The ground the demo plays on: a fresh local control plane, or a cluster that exists already.

Both install the product from its chart. They differ in what an audience may look at and break: the
local one has the API server's audit log at hand and kills the controller's process; in another
cluster one sees only that pods went, and the controller's pod is deleted without grace instead.
"""

import os
import shutil
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from demo import evictions
from demo.client import Client, CommandError
from local_cluster import binaries, build, cluster, product


# Waiting for five seconds of grace twice would tell the audience nothing.
VALUES = {"config": {"reclaim": {"graceSeconds": 2}}}

_REPOSITORY = build.TOOLS.parent
_RELEASED = (product.RELEASE, "-n", product.NAMESPACE)


class Ground(Protocol):
    """What the steps need of the cluster besides kubectl."""

    client: Client
    note: str
    """What is peculiar to the installation here."""
    evictor: str
    """Who is seen to evict."""

    def command(self) -> str:
        """The command that installs the product."""

    def install(self) -> str:
        """Install the product unless it is there; returns in a few words what is true then."""

    def evictions(self, namespace: str) -> Callable[[], Sequence[evictions.Eviction]]:
        """A look at the evictions in ``namespace`` from now on."""

    def kill(self, pod: str) -> str:
        """End a controller without warning; returns how, as a command."""

    def farewell(self) -> Sequence[str]:
        """Commands to look around and to clean up."""


class Local:
    """A fresh control plane in a folder."""

    evictor = evictions.CONTROLLER
    note = (
        "The values put the operator's pods on the one node that starts processes, and shorten the "
        "grace before a reclaim from 5 s to 2 s. The other nodes are kwok's."
    )

    def __init__(self, running: cluster.Cluster) -> None:
        self._cluster = running
        self.client = Client(running.binary("kubectl"), running.kubeconfig, _REPOSITORY)

    def command(self) -> str:
        return f"{product.command()} -f {self._cluster.folder / product.VALUES_FILE}"

    def install(self) -> str:
        product.install(self._cluster, VALUES)
        return "two controllers and two webhooks are ready"

    def evictions(self, namespace: str) -> Callable[[], Sequence[evictions.Eviction]]:
        return evictions.Record(self._cluster.audit_log, namespace).read

    def kill(self, pod: str) -> str:
        pid = self._cluster.pod_pid(product.NAMESPACE, pod, "controller")
        if pid is None:
            raise CommandError(f"the controller of pod {pod} does not run")
        os.kill(pid, signal.SIGKILL)
        return f"kill -9 {pid}"

    def farewell(self) -> Sequence[str]:
        folders = {self._cluster.binary(name).parent: None for name in ("kubectl", "helm")}
        programs = ":".join(str(folder) for folder in [*folders, _REPOSITORY / ".venv" / "bin"])
        return (
            f"export KUBECONFIG={self._cluster.kubeconfig} PATH={programs}:$PATH",
            "kubectl get elasticquota -A",
            "elastic-quota tree",
            "kubectl get pods -A -o wide",
            "kubectl scale deployment/api -n team-b --replicas=0",
        )


class Existing:
    """The cluster of KUBECONFIG: its control plane is left alone."""

    evictor = evictions.UNKNOWN
    note = "Everything happens in the cluster of KUBECONFIG, whose control plane is left alone."

    def __init__(self, kubeconfig: Path, kubectl: Path, helm: Path) -> None:
        self._helm = helm
        self.client = Client(kubectl, kubeconfig, _REPOSITORY)

    def command(self) -> str:
        return product.command()

    def install(self) -> str:
        if self.client.program(self._helm, "status", *_RELEASED).code == 0:
            return "it is installed already, and used as it is"
        words = [*product.command().split()[1:], "--timeout", f"{product.WAIT_SECONDS}s"]
        answer = self.client.program(self._helm, *words, seconds=product.WAIT_SECONDS + 30)
        if answer.code != 0:
            raise CommandError(f"{product.command()}\n{answer.complaints.strip()}")
        return "controllers and webhooks are ready"

    def evictions(self, namespace: str) -> Callable[[], Sequence[evictions.Eviction]]:
        before = {pod["metadata"]["name"] for pod in self.client.items("pods", "-n", namespace)}

        def gone() -> list[evictions.Eviction]:
            left = {
                pod["metadata"]["name"]
                for pod in self.client.items("pods", "-n", namespace)
                if "deletionTimestamp" not in pod["metadata"]
            }
            return [evictions.Eviction(pod, evictions.UNKNOWN) for pod in sorted(before - left)]

        return gone

    def kill(self, pod: str) -> str:
        arguments = ("delete", "pod", pod, "-n", product.NAMESPACE, "--grace-period=0", "--force")
        self.client.must(*arguments)
        return f"kubectl {' '.join(arguments)}"

    def farewell(self) -> Sequence[str]:
        return (
            "kubectl get elasticquota -A",
            "elastic-quota tree",
            "make demo ARGS='--existing --down'",
            f"helm uninstall {product.RELEASE} -n {product.NAMESPACE}",
        )


def existing(say: Callable[[str], None]) -> Existing:
    """The cluster that KUBECONFIG names. Raises ``CommandError`` with what is missing."""
    place = os.environ.get("KUBECONFIG", "")
    if not place or not Path(place).is_file():
        raise CommandError("--existing needs KUBECONFIG to name the kubeconfig file of the cluster")
    found = {name: shutil.which(name) for name in ("kubectl", "helm")}
    built = {} if all(found.values()) else binaries.find(say)
    kubectl, helm = (Path(found[name] or built[name]) for name in ("kubectl", "helm"))
    return Existing(Path(place), kubectl, helm)
