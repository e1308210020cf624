"""The cluster of the demo: a new local control plane, or an existing cluster.

Both install the operator from its chart. The local one offers the API server's audit log and lets
the demo kill the controller's process. In an existing cluster the demo sees only which pods went,
and deletes the controller's pod without grace instead.
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


# Waiting for a grace of five seconds twice would show nothing more.
VALUES = {"config": {"reclaim": {"graceSeconds": 2}}}

_REPOSITORY = build.TOOLS.parent
_RELEASED = (product.RELEASE, "-n", product.NAMESPACE)


class Ground(Protocol):
    """What the steps need of the cluster besides kubectl."""

    client: Client
    note: str
    """What is special about the installation here."""
    evictor: str
    """The user that evicts, as far as it can be seen."""

    def command(self) -> str:
        """The command that installs the product."""

    def install(self) -> str:
        """Install the product unless it is installed; returns the result in a few words."""

    def evictions(self, namespace: str) -> Callable[[], Sequence[evictions.Eviction]]:
        """A function that returns the evictions in ``namespace`` from now on."""

    def kill(self, pod: str) -> str:
        """Kill the controller without warning; returns the command that did it."""

    def closing_lines(self) -> Sequence[str]:
        """Commands to look around and to clean up."""


class Local:
    """A new local control plane in a folder."""

    evictor = evictions.CONTROLLER
    note = (
        "The values place the operator's pods on the one node that runs real processes, and "
        "shorten "
        "the grace period of a reclaim from 5 s to 2 s. All other nodes are simulated by kwok."
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

    def closing_lines(self) -> Sequence[str]:
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
    """The cluster of KUBECONFIG; its control plane is not touched."""

    evictor = evictions.UNKNOWN
    note = "The demo runs in the cluster of KUBECONFIG and does not touch its control plane."

    def __init__(self, kubeconfig: Path, kubectl: Path, helm: Path) -> None:
        self._helm = helm
        self.client = Client(kubectl, kubeconfig, _REPOSITORY)

    def command(self) -> str:
        return product.command()

    def install(self) -> str:
        if self.client.program(self._helm, "status", *_RELEASED).code == 0:
            return "it is already installed; the demo uses it unchanged"
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

    def closing_lines(self) -> Sequence[str]:
        return (
            "kubectl get elasticquota -A",
            "elastic-quota tree",
            "make demo ARGS='--existing --down'",
            f"helm uninstall {product.RELEASE} -n {product.NAMESPACE}",
        )


def existing(say: Callable[[str], None]) -> Existing:
    """The cluster that KUBECONFIG names. Raises ``CommandError`` that says what is missing."""
    place = os.environ.get("KUBECONFIG", "")
    if not place or not Path(place).is_file():
        raise CommandError("--existing needs KUBECONFIG with the kubeconfig file of the cluster")
    found = {name: shutil.which(name) for name in ("kubectl", "helm")}
    built = {} if all(found.values()) else binaries.find(say)
    kubectl, helm = (Path(found[name] or built[name]) for name in ("kubectl", "helm"))
    return Existing(Path(place), kubectl, helm)
