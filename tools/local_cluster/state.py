"""Records the running processes in one JSON file, which is replaced whole on each change.

A process is identified by its id *and* its start time, because the kernel reuses ids.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec


class Process(msgspec.Struct, frozen=True):
    """A process of this machine, distinct from every later process with its id."""

    pid: int
    started: int
    """Clock ticks after boot, as the kernel counts."""

    def alive(self) -> bool:
        """Whether exactly this process still runs (a zombie does not)."""
        return _start_of(self.pid) == self.started

    def send(self, what: signal.Signals) -> None:
        """Send a signal; do nothing when the process is gone."""
        if self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, what)

    def kill(self) -> None:
        """Kill what is left of the process group that it leads.

        Every process we record leads a group. The kernel does not give a group's id to a new
        process while the group has members, so a group whose leader is gone is still ours.
        """
        if _start_of(self.pid) in {self.started, None}:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)


class Component(msgspec.Struct, frozen=True):
    """One program of the control plane."""

    process: Process
    restarts: int = 0


class State(msgspec.Struct, frozen=True, rename="camel"):
    """A cluster as its supervisor last wrote it."""

    supervisor: Process
    api: str
    service_port: int
    binaries: dict[str, str]
    components: dict[str, Component]


class Containers(msgspec.Struct, frozen=True):
    """Processes of the process node's pods, by ``namespace/pod/container``."""

    running: dict[str, Process]


def identify(pid: int) -> Process:
    """The process that has this id now. Raises ProcessLookupError when there is none."""
    started = _start_of(pid)
    if started is None:
        raise ProcessLookupError(f"no process {pid}")
    return Process(pid=pid, started=started)


def write(path: Path, value: State | Containers) -> None:
    """Replace the file by ``value`` in one step."""
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(value)))
    fresh.replace(path)


def read(path: Path) -> State | None:
    """The state on file; None when there is none or it is not one of ours."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=State)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def read_containers(path: Path) -> Containers:
    """The containers on file; none when the file is missing or not one of ours."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Containers)
    except (FileNotFoundError, msgspec.DecodeError):
        return Containers(running={})


def recorded_processes(path: Path) -> Iterator[Process]:
    """Every process that a state or containers file names, whether it lives or not."""
    known = read(path)
    if known is not None:
        yield known.supervisor
        for component in known.components.values():
            yield component.process
    yield from read_containers(path).running.values()


def _start_of(pid: int) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # the second field is the program's name in parentheses and may hold anything
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in {"Z", "X"} else int(fields[19])
