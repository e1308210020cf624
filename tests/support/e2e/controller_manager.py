"""An external system whose program is a controller manager: one process with webhooks and probes.

The keys of its configuration file are those of controller-runtime, which JobSet and Kueue share.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml

import external_program
import external_release
from external_systems.recipes import System
from installation import Kubectl
from local_cluster import cluster as local
from local_cluster import ports
from users import Document, User


@dataclass(frozen=True, slots=True)
class ControllerManager:
    """Where a system is installed, and what its configuration file says besides addresses."""

    system: System
    chart: str
    """Path of its chart below its module."""
    namespace: str
    account: str
    """The ServiceAccount that its chart makes for it."""
    configuration: Document
    secret: str = ""
    """Where it keeps the certificate that it makes for its webhooks; empty: it is given one."""

    @contextmanager
    def running(
        self, cluster: local.Cluster, kubectl: Kubectl, admin: User, folder: Path
    ) -> Iterator[None]:
        """The system runs inside the block, and is uninstalled at its end."""
        program = self.system.programs(print)[self.system.name]
        chart = self.system.sources() / self.chart
        documents = external_release.rendered(cluster, chart, self.namespace)
        with ports.reserve() as hooks, ports.reserve() as probes:
            port, health = ports.number(hooks), f"127.0.0.1:{ports.number(probes)}"
            config = self._configured(port, health, folder)
            if self.secret:
                reached = external_release.by_service(documents, port)
            else:
                authority = external_program.serving(folder)
                reached = external_release.on_loopback(documents, port, authority)
            with external_release.installed(kubectl, admin, self.namespace, reached):
                account = external_program.as_account(admin, self.namespace, self.account, folder)
                command = [str(program), f"--config={config}", f"--kubeconfig={account}"]
                mount = partial(external_program.mount, admin, self.namespace, self.secret, folder)
                with external_program.running(
                    command,
                    folder / "log",
                    f"http://{health}/readyz",
                    meanwhile=mount if self.secret else lambda: None,
                ):
                    yield

    def _configured(self, port: int, health: str, folder: Path) -> Path:
        addresses = {
            "leaderElection": {"leaderElect": False},
            "internalCertManagement": {"enable": bool(self.secret)},
            "webhook": {"host": "127.0.0.1", "port": port, "certDir": str(folder)},
            "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": health},
        }
        path = folder / "config.yaml"
        path.write_text(yaml.safe_dump({**self.configuration, **addresses}))
        return path
