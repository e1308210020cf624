"""Manages the folder of one cluster: its secrets, data, logs and the state of its processes.

The supervisor locks the folder as long as the cluster lives, so whether it runs does not depend on
process ids. The next start removes what a dead cluster left; a folder with other content is never
touched.
"""

import fcntl
import os
import shutil
import time
from pathlib import Path

from local_cluster import state


_LOCK_ATTEMPTS = 5
_LOCK_PAUSE = 0.05


class FolderError(Exception):
    """The folder cannot be used for a cluster; the text says why and what to do."""


class Folder:
    """The paths of one cluster, all below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.lock = self.root / "lock"
        self.state = self.root / "state.json"
        self.kubeconfig = self.root / "kubeconfig"
        self.pki = self.root / "pki"
        self.etcd = self.root / "etcd"
        self.logs = self.root / "logs"
        self.pod_logs = self.root / "logs" / "pods"
        self.audit_log = self.root / "logs" / "audit.log"
        self.pods = self.root / "pods"
        self.containers = self.root / "containers.json"

    def log(self, component: str) -> Path:
        """The log file of ``component``."""
        return self.logs / f"{component}.log"

    def pod_log(self, namespace: str, pod: str, container: str) -> Path:
        """The output file of one container, over all of its restarts."""
        return self.pod_logs / f"{namespace}_{pod}_{container}.log"

    def held(self) -> bool:
        """Whether a live supervisor owns this folder."""
        try:
            descriptor = os.open(self.lock, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def take(self) -> int:
        """Lock the folder for the life of this process; creates it when it is missing.

        Returns the descriptor that holds the lock. Raises ``FolderError`` when another supervisor
        holds it, or when the folder has content that is not ours.
        """
        if self.root.exists() and not self.lock.exists() and any(self.root.iterdir()):
            raise FolderError(
                f"{self.root} is not empty and holds no cluster: choose another folder with --dir"
            )
        self.root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600)
        for _ in range(_LOCK_ATTEMPTS):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_LOCK_PAUSE)  # it may be held for a moment by ``held`` of another
            else:
                return descriptor
        os.close(descriptor)
        raise FolderError(f"a cluster runs already in {self.root}")

    def sweep(self) -> None:
        """Remove what an earlier cluster left here, including its processes."""
        for leftover in (self.state, self.containers):
            for process in state.recorded_processes(leftover):
                process.kill()
        for path in (self.kubeconfig, self.state, self.containers):
            path.unlink(missing_ok=True)
        for path in (self.pki, self.etcd, self.logs, self.pods):
            shutil.rmtree(path, ignore_errors=True)

    def prepare(self) -> None:
        """Create the empty folders of a new cluster, readable by their owner only."""
        for path in (self.pki, self.etcd, self.logs, self.pod_logs, self.pods):
            path.mkdir(mode=0o700)

    def clear_data(self) -> None:
        """Remove data and secrets of a stopped cluster; its logs stay."""
        for path in (self.kubeconfig, self.state, self.containers):
            path.unlink(missing_ok=True)
        for path in (self.pki, self.etcd, self.pods):
            shutil.rmtree(path, ignore_errors=True)
