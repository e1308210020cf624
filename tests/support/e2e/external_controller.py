"""A controller of the same code outside of the cluster, whose environment a test can disturb.

It has the rights of the installed ones, leads instead of them, and reaches the API server through a
``relay``. A test sets its clock and its standard error.
"""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

import relay
import users
from installation import CONTROLLER, NAMESPACE, Installation
from local_cluster import cluster as local
from relay import Relay
from users import User
from waiting import eventually


NAME = "external-controller"

_SHIFTED = """
import datetime, sys, time
by = float(sys.argv.pop(1))
true_time, true_datetime = time.time, datetime.datetime
class Shifted(true_datetime):
    @classmethod
    def now(cls, tz=None):
        return true_datetime.now(tz) + datetime.timedelta(seconds=by)
time.time, datetime.datetime = lambda: true_time() + by, Shifted
from elasticquota_cli import main
sys.exit(main.main())
"""
"""Runs the program with a wall clock that is wrong by so many seconds; other clocks stay right."""


class ExternalController:
    """The process, the relay through which it connects, and what it wrote."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", wire: Relay, address: str, log: Path
    ) -> None:
        self.process = process
        self.relay = wire
        self._address = address
        self._log = log

    @property
    def ended(self) -> int | None:
        """Its exit code; None while it runs."""
        return self.process.poll()

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def page(self, path: str) -> str:
        """The content of one of its own pages; raises ``OSError``."""
        with urllib.request.urlopen(f"http://{self._address}/{path}", timeout=5) as answer:
            return str(answer.read().decode())

    @property
    def leads(self) -> bool:
        """Whether it reports itself as the leader."""
        return "elasticquota_leader 1.0" in self.page("metrics").splitlines()

    def is_candidate(self) -> bool:
        """Whether its caches are filled and it has decided once."""
        try:
            return self.page("readyz") == "ok\n"
        except OSError:
            return False


@contextmanager
def leading(
    cluster: local.Cluster,
    admin: User,
    product: Installation,
    folder: Path,
    *,
    settings: Mapping[str, Any] | None = None,
    clock: float = 0.0,
    stderr: Path | None = None,
) -> Iterator[ExternalController]:
    """Inside the block it leads, or did; afterwards an installed controller does.

    ``settings`` are added to the installed configuration, ``clock`` is the error of its wall clock
    in seconds, ``stderr`` is where its log goes.
    """
    host, _, port = cluster.api.removeprefix("https://").rpartition(":")
    log = folder / "log"
    account = users.account(admin, NAMESPACE, CONTROLLER)
    account.close()
    with relay.to(int(port)) as wire:
        server = f"https://{host}:{wire.port}"
        environment = {
            **os.environ,
            "KUBECONFIG": str(users.kubeconfig(account, folder, server=server)),
            "POD_NAMESPACE": NAMESPACE,
            "POD_NAME": NAME,
            "POD_IP": "127.0.0.1",
        }
        free = _free_port()
        ports = {"port": free, "livenessPort": _free_port()}
        own = {**(settings or {}), "controller": ports}
        config = str(_configuration(admin, folder, own))
        program = ["-c", _SHIFTED, str(clock), "run", "controller", "--config", config]
        with (stderr or log).open("ab") as output:
            process = subprocess.Popen([sys.executable, *program], env=environment, stderr=output)
        found = ExternalController(process, wire, f"127.0.0.1:{free}", log)
        try:
            _lead(admin, product, found)
            yield found
        finally:
            wire.cut = False
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            product.settle()


def _lead(admin: User, product: Installation, found: ExternalController) -> None:
    """Give it the Lease, once it is a candidate: the holder sees another holder and ends."""

    def standing() -> bool:
        assert found.ended is None, found.log()
        return found.is_candidate()

    eventually(standing, True, within=30)
    leader = product.leader()
    with product.restarted(leader):
        admin.patch("Lease", CONTROLLER, NAMESPACE, change={"spec": {"holderIdentity": NAME}})
    eventually(lambda: found.leads, True, within=20)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def _configuration(admin: User, folder: Path, settings: Mapping[str, Any]) -> Path:
    installed = admin.get("ConfigMap", "elastic-quota-config", NAMESPACE)["data"]["config.yaml"]
    config: dict[str, Any] = yaml.safe_load(installed)
    for section, values in settings.items():
        config[section] = {**config.get(section, {}), **values}
    place = folder / "config.yaml"
    place.write_text(yaml.safe_dump(config))
    return place
