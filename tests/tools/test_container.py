"""A container's process is started, restarted and ended as its pod specifies."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import answering
from local_cluster import state
from local_cluster.process_node import container, mounts, refusal


class Watched:
    """A container of a test, and its output."""

    def __init__(self, folder: Path, policy: str = "Always", **manifest: Any) -> None:
        self.log = folder / "log"
        self.changes = 0
        self._folder = folder
        self.refusals = 0
        self.it = container.Container(
            {"name": "c", "image": "i", **manifest},
            pod_name="ns/pod",
            pod_ip="127.0.0.1",
            policy=policy,
            grace=5,
            plan=self._plan,
            changed=self._count,
        )
        self.running = asyncio.create_task(self.it.run())

    async def _plan(self, manifest: dict[str, Any]) -> container.Plan:
        del manifest
        if self.refusals:
            self.refusals -= 1
            raise refusal.config('secret "nope" not found')
        environment = {"PATH": os.environ["PATH"]}
        return container.Plan(environment, mounts.Mounts({}), self._folder, self.log)

    def _count(self) -> None:
        self.changes += 1

    async def until(self, seen: Callable[[], object]) -> None:
        for _ in range(1000):
            if seen():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"not within 10 s, last state: {self.it.state}")

    async def has_written(self, text: str) -> None:
        await self.until(lambda: self.log.exists() and text in self.log.read_text())


async def test_a_killed_process_is_started_again_and_counted(tmp_path: Path) -> None:
    watched = Watched(tmp_path, command=["sleep", "1000"])
    state = watched.it.state
    await watched.until(lambda: state.ready)
    first = state.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    await watched.until(lambda: state.restarts == 1 and state.ready)
    assert state.pid != first
    assert state.last["terminated"]["exitCode"] == 137
    await watched.it.stop(0)
    await watched.running


async def test_restart_policy_never_is_followed(tmp_path: Path) -> None:
    never = Watched(tmp_path, "Never", command=["sh", "-c", "exit 3"])
    await never.running
    assert (never.it.state.exit_code, never.it.state.restarts) == (3, 0)


async def test_a_process_may_use_its_grace_period_to_end(tmp_path: Path) -> None:
    script = "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    watched = Watched(tmp_path, command=["sh", "-c", script])
    await watched.has_written("up")
    await watched.it.stop(10)
    await watched.running
    assert watched.log.read_text() == "up\nbye\n"


async def test_a_process_that_ignores_sigterm_is_killed_with_its_children(tmp_path: Path) -> None:
    script = "trap '' TERM; sleep 1000 & echo $!; wait"
    watched = Watched(tmp_path, command=["sh", "-c", script])
    await watched.has_written("\n")
    child = int(watched.log.read_text())
    await watched.it.stop(0.3)
    await watched.running
    assert watched.it.state.exit_code == 137
    await watched.until(lambda: not alive(child))


async def test_a_container_is_ready_when_its_probes_say_so(tmp_path: Path) -> None:
    async with answering.server() as (well, port):
        watched = Watched(
            tmp_path,
            command=["sleep", "1000"],
            startupProbe={**answering.probe(port, "started"), "failureThreshold": 1000},
            readinessProbe={**answering.probe(port, "ready"), "failureThreshold": 1},
        )
        state = watched.it.state
        await watched.until(lambda: state.pid)
        assert (state.started, state.ready) == (False, False)
        well.add("started")
        await watched.until(lambda: state.started)
        assert not state.ready
        well.add("ready")
        await watched.until(lambda: state.ready)
        well.clear()
        await watched.until(lambda: not state.ready)
        assert state.restarts == 0
        await watched.it.stop(0)
        await watched.running


async def test_a_container_is_not_ready_before_its_first_probe(tmp_path: Path) -> None:
    probe = {**answering.probe(1, "any"), "initialDelaySeconds": 1000}
    watched = Watched(tmp_path, command=["sleep", "1000"], readinessProbe=probe)
    await watched.until(lambda: watched.it.state.started)
    assert not watched.it.state.ready
    await watched.it.stop(0)
    await watched.running


async def test_child_processes_end_with_their_process(tmp_path: Path) -> None:
    watched = Watched(tmp_path, "Never", command=["sh", "-c", "sleep 1000 & echo $!"])
    await watched.running
    left = int(watched.log.read_text())
    await watched.until(lambda: not alive(left))


async def test_a_container_that_fails_its_liveness_probe_is_restarted(tmp_path: Path) -> None:
    async with answering.server() as (_, port):
        probe = {**answering.probe(port, "alive"), "failureThreshold": 2}
        watched = Watched(tmp_path, command=["sleep", "1000"], livenessProbe=probe)
        await watched.until(lambda: watched.it.state.restarts == 1)
        assert watched.it.state.last["terminated"]["exitCode"] == 143
        await watched.it.stop(0)
        await watched.running


async def test_a_container_reports_a_missing_object_until_it_exists(tmp_path: Path) -> None:
    watched = Watched(tmp_path, command=["sleep", "1000"])
    watched.refusals = 1
    await watched.until(lambda: watched.it.state.state.get("waiting", {}).get("message"))
    assert watched.it.state.state == {
        "waiting": {"reason": "CreateContainerConfigError", "message": 'secret "nope" not found'}
    }
    await watched.until(lambda: watched.it.state.pid)
    await watched.it.stop(0)
    await watched.running


async def test_a_command_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    watched = Watched(tmp_path, command=["sleep", "1\0"])
    await watched.until(lambda: "embedded null byte" in str(watched.it.state.state))
    await watched.it.stop(0)
    await watched.running


async def test_a_container_without_a_command_says_what_is_missing(tmp_path: Path) -> None:
    watched = Watched(tmp_path, args=["x"])
    await watched.until(lambda: "names no command" in str(watched.it.state.state))
    await watched.it.stop(0)
    await watched.running


def alive(pid: int) -> bool:
    try:
        return state.identify(pid).alive()
    except ProcessLookupError:
        return False
