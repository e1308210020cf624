"""The controller as a process seen from outside: its log, its processor time, its memory.

It runs ``elastic-quota run controller`` with a kubeconfig, as in a pod. Nothing is changed for the
measurement; its own numbers come from its pages.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from prometheus_client.parser import text_string_to_metric_families

from benchmarks import measure
from local_cluster import ports


DECIDED: Final = "caches filled, candidate for the Lease"
LEADS: Final = "leading"
FILLED: Final = "filled"
"""The message of ``kopf_process``."""

ABSENT: Final = ("kubernetes", "rich", "pygments", "websocket", "dateutil")
"""Packages that are installed for development only; Kopf and structlog load them if present."""

_BARE: Final = (
    "import sys; sys.modules.update(dict.fromkeys({absent}));"
    "from elasticquota_cli.main import main; sys.exit(main({arguments}))"
)

_ADDRESS: Final = "127.0.0.1"
_PATIENCE: Final = 300.0
_STILL: Final = 1.0


class ControllerProcess:
    """A process that runs during the ``with`` block and is ended by SIGTERM."""

    def __init__(
        self,
        folder: Path,
        kubeconfig: Path,
        *,
        identity: str = "measured",
        namespace: str = "elastic-quota-system",
        configuration: Mapping[str, Any] = {},
        command: tuple[str, ...] = (),
    ) -> None:
        """Run ``command`` in place of the controller, with the same environment."""
        self._reserved = [ports.reserve() for _ in range(2)]
        self._port, liveness = map(ports.number, self._reserved)
        config = folder / f"{identity}.yaml"
        own = {
            "controller": {"port": self._port, "livenessPort": liveness},
            "logging": {"format": "json"},
        }
        config.write_text(json.dumps({**configuration, **own}))
        arguments = ["run", "controller", "--config", str(config)]
        ours = (sys.executable, "-c", _BARE.format(absent=ABSENT, arguments=arguments))
        self._command = command or ours
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig),
            "POD_NAME": identity,
            "POD_NAMESPACE": namespace,
            "POD_IP": _ADDRESS,
        }
        self.log = folder / f"{identity}.log"
        self._seen: dict[str, tuple[float, float]] = {}
        self._changed = threading.Condition()

    def __enter__(self) -> Self:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self.end()

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send it a signal, and wait until it is gone."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        self._process.wait(_PATIENCE)
        self._reader.join()
        for each in self._reserved:
            each.close()

    def await_event(self, event: str) -> tuple[float, float]:
        """Wall seconds since the start, and CPU seconds, at the first such line of its log."""
        with self._changed:
            done = self._changed.wait_for(
                lambda: event in self._seen or self._process.poll() is not None, _PATIENCE
            )
            if not done or event not in self._seen:
                raise TimeoutError(f"the process did not say '{event}': {self._tail()}")
            return self._seen[event]

    def cpu_seconds(self) -> float:
        """Processor seconds of all threads since its start."""
        return measure.processor_seconds(self._process.pid)

    def rested_cpu_seconds(self) -> float:
        """The same once it is almost idle."""
        before = self.cpu_seconds()
        while True:
            time.sleep(_STILL)
            after = self.cpu_seconds()
            if after - before < 0.05 * _STILL:
                return after
            before = after

    def memory(self) -> tuple[int, int]:
        """Bytes in memory now, and at the peak."""
        status = Path(f"/proc/{self._process.pid}/status").read_text("ascii").splitlines()
        found = dict(line.split(":", 1) for line in status)
        now, most = (int(found[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))
        return now, most

    def page(self, path: str) -> bytes:
        """The answer of its own server."""
        with urllib.request.urlopen(f"http://{_ADDRESS}:{self._port}{path}") as answer:
            content: bytes = answer.read()
            return content

    def samples(self, name: str) -> list[tuple[dict[str, str], float]]:
        """Labels and values of a metric."""
        return [
            (found.labels, found.value)
            for family in text_string_to_metric_families(self.page("/metrics").decode())
            for found in family.samples
            if found.name == name
        ]

    def _read(self) -> None:
        assert self._process.stderr is not None
        with self.log.open("wb") as kept:
            for line in self._process.stderr:
                at = time.perf_counter() - self.started
                kept.write(line)
                kept.flush()
                try:
                    event = json.loads(line).get("event", "")
                except ValueError:
                    event = line.decode(errors="replace").strip()
                with self._changed:
                    if event not in self._seen and self._process.poll() is None:
                        self._seen[event] = (at, self.cpu_seconds())
                    self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def _tail(self) -> str:
        return " ".join(self.log.read_text(errors="replace").splitlines()[-5:])
