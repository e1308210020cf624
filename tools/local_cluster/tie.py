"""Ties the supervisor to its starter by two pipes: one for orders, one for news.

The first order names the folder and the programs. Until ``stay`` is sent, the end of the order pipe
means stop; the kernel closes it however the starter ends. News are JSON lines: progress, then ready
or failed; the supervisor does not need a reader.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from local_cluster import build


_STAY = "stay"


class TieError(Exception):
    """The supervisor could not start the cluster; the text says why."""


class Orders(msgspec.Struct, frozen=True):
    """What a supervisor gets first."""

    folder: str
    binaries: dict[str, str]
    bare_authority: bool = False
    feature_gates: list[str] = []
    autoscaler: bool = False


class Tie:
    """The starter's end of the pipes."""

    def __init__(
        self,
        folder: Path,
        binaries: Mapping[str, Path],
        *,
        bare_authority: bool = False,
        feature_gates: Sequence[str] = (),
        autoscaler: bool = False,
    ) -> None:
        self._supervisor = subprocess.Popen(
            # The folder is an argument only to be visible in a list of processes.
            [sys.executable, "-m", "local_cluster", "supervise", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=build.TOOLS,
            env={**os.environ, "PYTHONPATH": str(build.TOOLS)},
            start_new_session=True,  # a Ctrl-C is for the starter, which decides
        )
        programs = {name: str(path) for name, path in binaries.items()}
        orders = Orders(str(folder), programs, bare_authority, list(feature_gates), autoscaler)
        self._say(msgspec.json.encode(orders))

    def await_ready(self, say: Callable[[str], None]) -> None:
        """Pass progress on to ``say`` until the cluster is ready. Raises ``TieError``."""
        for line in self._supervisor.stdout or ():
            news: dict[str, str] = json.loads(line)
            if "progress" in news:
                say(news["progress"])
            elif "failed" in news:
                raise TieError(news["failed"])
            else:
                return
        raise TieError("the supervisor ended without a word")

    def loosen(self) -> None:
        """Let the cluster run on after this process ends."""
        self._say(_STAY.encode())

    def cut(self) -> None:
        """Stop the cluster, however far it has started, and wait until it has stopped."""
        self._close()
        self._supervisor.wait()

    def _say(self, line: bytes) -> None:
        if self._supervisor.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # its last news explain why it is gone
                self._supervisor.stdin.write(line + b"\n")
                self._supervisor.stdin.flush()

    def _close(self) -> None:
        for pipe in (self._supervisor.stdin, self._supervisor.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def orders() -> Orders | None:
    """The supervisor's orders; None when its starter ended before it sent them."""
    try:
        return msgspec.json.decode(sys.stdin.buffer.readline(), type=Orders)
    except msgspec.DecodeError:
        return None


async def obey(stop: asyncio.Event) -> None:
    """Set ``stop`` when the starter is gone, unless it ordered the cluster to stay."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line := await reader.readline():
        if line.strip() == _STAY.encode():
            return
    stop.set()


def tell(what: str, text: str = "") -> None:
    """Send news to the starter, who may be gone by now."""
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), json.dumps({what: text}).encode() + b"\n")
