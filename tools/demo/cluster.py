"""The cluster of the demo: a new local control plane, with the operator from its chart."""

import os
import signal
from collections.abc import Callable, Sequence

from demo import evictions
from demo.client import Client, CommandError
from local_cluster import build, cluster, product


# Waiting for a grace of five seconds twice would show nothing more.
VALUES = {"config": {"reclaim": {"graceSeconds": 2}}}

_REPOSITORY = build.TOOLS.parent


class Ground:
    """A new local control plane in a folder, and what the steps need of it besides kubectl."""

    note = (
        "The values place the operator's pods on the one node that runs real processes, and "
        "shorten "
        "the grace period of a reclaim from 5 s to 2 s. All other nodes are simulated by kwok."
    )

    def __init__(self, running: cluster.Cluster) -> None:
        self._cluster = running
        self.client = Client(running.binary("kubectl"), running.kubeconfig, _REPOSITORY)

    def command(self) -> str:
        """The command that installs the product."""
        return f"{product.command()} -f {self._cluster.folder / product.VALUES_FILE}"

    def install(self) -> str:
        """Install the product; returns the result in a few words."""
        product.install(self._cluster, VALUES)
        return "two controllers and two webhooks are ready"

    def evictions(self, namespace: str) -> Callable[[], Sequence[evictions.Eviction]]:
        """A function that returns the evictions in ``namespace`` from now on."""
        return evictions.Record(self._cluster.audit_log, namespace).read

    def kill(self, pod: str) -> str:
        """Kill the controller without warning; returns the command that did it."""
        pid = self._cluster.pod_pid(product.NAMESPACE, pod, "controller")
        if pid is None:
            raise CommandError(f"the controller of pod {pod} does not run")
        os.kill(pid, signal.SIGKILL)
        return f"kill -9 {pid}"

    def closing_lines(self) -> Sequence[str]:
        """Commands to look around."""
        folders = {self._cluster.binary(name).parent: None for name in ("kubectl", "helm")}
        programs = ":".join(str(folder) for folder in [*folders, _REPOSITORY / ".venv" / "bin"])
        return (
            f"export KUBECONFIG={self._cluster.kubeconfig} PATH={programs}:$PATH",
            "kubectl get elasticquota -A",
            "elastic-quota tree",
            "kubectl get pods -A -o wide",
            "kubectl scale deployment/api -n team-b --replicas=0",
        )
