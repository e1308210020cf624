"""A controller of the same code outside of the cluster, whose surroundings a test can spoil.

It has the rights of the installed ones, leads instead of them, and reaches the API server through a
``relay``. Its clock and its standard error are the test's to choose.
"""

import json
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
from installation import CONTROLLER, NAMESPACE, Installation
from local_cluster import cluster as local
from relay import Relay
from users import User
from waiting import eventually


NAME = "stand-in"

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
"""Runs the program with a wall clock that is wrong by so many seconds; others stay right."""


class StandIn:
    """The process, the wire it hangs on, and what it wrote."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", wire: Relay, address: str, log: Path
    ) -> None:
        self.process = process
        self.relay = wire
        self._address = address
        self._log = log

    @property
    def ended(self) -> int | None:
        """How it ended; None while it runs."""
        return self.process.poll()

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def page(self, path: str) -> str:
        """One of its own pages; raises ``OSError``."""
        with urllib.request.urlopen(f"http://{self._address}/{path}", timeout=5) as answer:
            return str(answer.read().decode())

    @property
    def leads(self) -> bool:
        """Whether it says so itself."""
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
) -> Iterator[StandIn]:
    """Inside the block it leads, or did; afterwards an installed one does.

    ``settings`` go over the installed configuration, ``clock`` is by how many seconds its wall
    clock is wrong, ``stderr`` is where its log goes.
    """
    host, _, port = cluster.api.removeprefix("https://").rpartition(":")
    log = folder / "log"
    with relay.to(int(port)) as wire:
        environment = {
            **os.environ,
            "KUBECONFIG": str(_kubeconfig(admin, folder, f"https://{host}:{wire.port}")),
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
        found = StandIn(process, wire, f"127.0.0.1:{free}", log)
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


def _lead(admin: User, product: Installation, found: StandIn) -> None:
    """Give it the Lease, once it is a candidate: the holder sees another in its place and ends."""

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


def _kubeconfig(admin: User, folder: Path, server: str) -> Path:
    request = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": 3600},
    }
    issued = admin.post("ServiceAccount", CONTROLLER, NAMESPACE, "token", request)
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "c",
                "cluster": {
                    "server": server,
                    "certificate-authority": str(admin.configuration.ssl_ca_cert),
                },
            }
        ],
        "users": [{"name": "u", "user": {"token": issued["status"]["token"]}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    place = folder / "kubeconfig"
    place.write_text(json.dumps(config))
    return place
