"""The supervisor is tied to its starter by two pipes: orders go in, news come out.

The first order names the folder and the programs. As long as ``stay`` was not said, the end of the
pipe of orders, which the kernel brings about however the starter ends, is the order to stop. News
are JSON lines: progress, then ready or failed; nobody has to listen to them.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from local_cluster import build


_STAY = "stay"


class TieError(Exception):
    """The supervisor did not bring the cluster up; the text says why."""


class Orders(msgspec.Struct, frozen=True):
    """What a supervisor is told first."""

    folder: str
    binaries: dict[str, str]
    bare_authority: bool = False


class Tie:
    """The starter's end."""

    def __init__(
        self, folder: Path, binaries: Mapping[str, Path], *, bare_authority: bool = False
    ) -> None:
        self._supervisor = subprocess.Popen(
            # the folder is an argument only to be seen in a list of processes
            [sys.executable, "-m", "local_cluster", "supervise", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=build.TOOLS,
            env={**os.environ, "PYTHONPATH": str(build.TOOLS)},
            start_new_session=True,  # a Ctrl-C is for the starter, who decides
        )
        programs = {name: str(path) for name, path in binaries.items()}
        orders = Orders(str(folder), programs, bare_authority)
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
        """Let the cluster live on after this process."""
        self._say(_STAY.encode())

    def cut(self) -> None:
        """Have the cluster stopped, whatever of it has started, and wait until it has."""
        self._close()
        self._supervisor.wait()

    def _say(self, line: bytes) -> None:
        if self._supervisor.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # its last news say why it is gone
                self._supervisor.stdin.write(line + b"\n")
                self._supervisor.stdin.flush()

    def _close(self) -> None:
        for pipe in (self._supervisor.stdin, self._supervisor.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def orders() -> Orders | None:
    """The supervisor's orders; None when its starter ended before it could say them."""
    try:
        return msgspec.json.decode(sys.stdin.buffer.readline(), type=Orders)
    except msgspec.DecodeError:
        return None


async def obey(stop: asyncio.Event) -> None:
    """Set ``stop`` when the starter is gone, unless it said that the cluster stays."""
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
