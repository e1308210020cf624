"""A component that ends is restarted until it is stopped."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

from local_cluster import keeper


def kept(folder: Path, script: str) -> keeper.Keeper:
    return keeper.Keeper("c", ["sh", "-c", script], log=folder / "log", changed=lambda: None)


async def until(seen: Callable[[], object]) -> None:
    for _ in range(500):
        if seen():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("not within 5 s")


async def test_a_killed_component_is_started_again(tmp_path: Path) -> None:
    one = kept(tmp_path, "exec sleep 1000")
    await one.start()
    first = one.identity
    assert first is not None
    assert not one.ended.is_set()
    os.kill(first.pid, signal.SIGKILL)
    await until(lambda: one.restarts == 1 and one.identity not in {None, first})
    assert one.ended.is_set()
    await one.stop(1)
    assert one.identity is not None
    assert not one.identity.alive()
    assert one.restarts == 1


async def test_a_paused_component_can_be_stopped(tmp_path: Path) -> None:
    one = kept(tmp_path, "trap 'echo bye; exit' TERM; echo up; while :; do sleep 0.05; done")
    await one.start()
    await until(lambda: "up" in (tmp_path / "log").read_text())
    assert one.identity is not None
    one.identity.send(signal.SIGSTOP)
    await one.stop(5)
    assert (tmp_path / "log").read_text() == "up\nbye\n"


async def test_a_component_that_ignores_sigterm_is_killed_after_the_patience(
    tmp_path: Path,
) -> None:
    one = kept(tmp_path, "trap '' TERM; echo up; while :; do sleep 0.05; done")
    await one.start()
    await until(lambda: "up" in (tmp_path / "log").read_text())
    await one.stop(0.2)
    assert one.identity is not None
    assert not one.identity.alive()
