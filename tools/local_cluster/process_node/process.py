"""Starts a command in a session of its own; it dies with the process that started it."""

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from local_cluster import leash
from local_cluster.process_node import refusal


async def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    cwd: Path | None = None,
    *,
    log: Path,
    orphaned: signal.Signals = signal.SIGKILL,
) -> asyncio.subprocess.Process:
    """Start a command; its outputs are appended to ``log``, and it gets ``orphaned`` when we end.

    Raises ``RefusalError`` when there is no such program.
    """
    program = shutil.which(command[0], path=environment.get("PATH"))
    if program is None:
        raise refusal.RefusalError("CreateContainerError", f'no program "{command[0]}" on the PATH')
    with log.open("ab") as output:
        try:
            return await asyncio.create_subprocess_exec(
                *command,
                executable=program,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                cwd=cwd,
                start_new_session=True,
                preexec_fn=leash.die_with_parent(orphaned),
            )
        except (OSError, ValueError) as error:  # ValueError: a zero byte in a word or value
            raise refusal.RefusalError("CreateContainerError", f"{program}: {error}") from error


async def end(running: asyncio.subprocess.Process, grace: float) -> None:
    """End a process: SIGTERM, and SIGKILL to its group when ``grace`` seconds have passed."""
    if grace > 0 and running.returncode is None:
        # One that was paused would sleep through its SIGTERM.
        for what in (signal.SIGCONT, signal.SIGTERM):
            with contextlib.suppress(ProcessLookupError):
                running.send_signal(what)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await running.wait()
    kill_group(running.pid)
    await running.wait()


def kill_group(pid: int) -> None:
    """Kill what is left of the process group that ``pid`` leads or led."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
