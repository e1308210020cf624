"""Runs one container: start, probe, end, wait, start again, until its pod is removed."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local_cluster import api, backoff
from local_cluster.process_node import mounts, probes, process, refusal, status


_RETRY_SECONDS = 1.0
_BACKOFF_SECONDS = (1.0, 10.0, 60.0)
"""A kubelet begins at 10 s and ends at 5 min; here a test waits."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a container needs to start, resolved from its pod's manifest."""

    environment: Mapping[str, str]
    mounted: mounts.Mounts
    cwd: Path
    log: Path


class Container:
    """Runs one container of a pod and calls ``changed`` whenever its state changes."""

    def __init__(
        self,
        manifest: dict[str, Any],
        *,
        pod_name: str,
        pod_ip: str,
        policy: str,
        grace: float,
        plan: Callable[[dict[str, Any]], Awaitable[Plan]],
        changed: Callable[[], None],
        former: dict[str, Any] | None = None,
    ) -> None:
        self.state = status.ContainerState(manifest["name"], manifest.get("image", ""))
        self.state.waits("ContainerCreating")
        self._title = f"{pod_name}/{manifest['name']}"
        self._manifest = manifest
        self._pod_ip = pod_ip
        self._policy = policy
        self._grace = grace
        self._plan = plan
        self._changed = changed
        self._process: asyncio.subprocess.Process | None = None
        self._target: probes.Target | None = None
        self._stopping = asyncio.Event()
        if former is not None and former.get("state", {}).get("waiting") is None:
            # An earlier process node ran it, and that process is gone.
            self.state.restarts = former.get("restartCount", 0) + 1
            self.state.last = {"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown"}}

    @property
    def ports(self) -> dict[str, int]:
        """Its ports by name."""
        named = (entry for entry in self._manifest.get("ports", []) if "name" in entry)
        return {entry["name"]: entry["containerPort"] for entry in named}

    async def run(self) -> None:
        """Run until the restart policy or ``stop`` ends it."""
        pauses = backoff.Backoff(*_BACKOFF_SECONDS)
        loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            began = loop.time()
            if not await self._run_once():
                continue
            if self._stopping.is_set() or self._policy == "Never":
                return
            self.state.last = self.state.state
            pause = pauses.after(loop.time() - began)
            self.state.waits("CrashLoopBackOff", f"back-off {pause:g}s restarting failed container")
            self._changed()
            await self._sleep(pause)
            self.state.restarts += 1

    async def stop(self, grace: float) -> None:
        """End it: SIGTERM, and SIGKILL when ``grace`` seconds have passed."""
        self._stopping.set()
        if self.state.ready:
            self.state.ready = False
            self._changed()
        running = self._process
        if running is None or running.returncode is not None:
            return
        await process.end(running, grace)

    async def _run_once(self) -> bool:
        """Start and wait for the end; False when the start failed and has to be retried."""
        try:
            running = await self._start(await self._plan(self._manifest))
        except refusal.RefusalError as why:
            self.state.waits(why.reason, str(why))
        except api.ApiError as why:
            self.state.waits("ContainerCreating", str(why))
        else:
            if self._stopping.is_set():  # set while it was being started
                process.kill_group(running.pid)
            await self._attend(running)
            return True
        self._changed()
        await self._sleep(_RETRY_SECONDS)
        return False

    async def _start(self, plan: Plan) -> asyncio.subprocess.Process:
        manifest = self._manifest
        command = [
            plan.mounted.rewrite(word)
            for word in [*manifest.get("command", []), *manifest.get("args", [])]
        ]
        if not manifest.get("command"):
            raise refusal.RefusalError(
                "CreateContainerError",
                f"container {manifest['name']} names no command, and there is no image to ask",
            )
        self._target = probes.Target(self._pod_ip, self.ports)
        self._process = await process.start(command, plan.environment, plan.cwd, log=plan.log)
        return self._process

    async def _attend(self, running: asyncio.subprocess.Process) -> None:
        since = api.timestamp()
        self.state.runs(running.pid, since)
        probing = asyncio.create_task(self._probe(running))
        self._changed()
        try:
            code = await running.wait()
        finally:
            probing.cancel()
            await asyncio.gather(probing, return_exceptions=True)
            process.kill_group(running.pid)  # also what it started in its group
        self.state.ends(code, since, api.timestamp())
        self._changed()

    async def _probe(self, running: asyncio.subprocess.Process) -> None:
        """Startup first, alone; then readiness and liveness side by side."""
        manifest, target = self._manifest, self._target
        if target is None:
            return
        startup = manifest.get("startupProbe")
        if startup is not None and (why := await anext(probes.verdicts(startup, target))):
            await self._end(running, startup, f"startup probe failed: {why}")
            return
        self.state.started = True
        self.state.ready = "readinessProbe" not in manifest and not self._stopping.is_set()
        self._changed()
        async with asyncio.TaskGroup() as group:
            if (readiness := manifest.get("readinessProbe")) is not None:
                group.create_task(self._follow_readiness(readiness, target))
            if (liveness := manifest.get("livenessProbe")) is not None:
                group.create_task(self._end_when_ill(liveness, target, running))

    async def _end_when_ill(
        self, probe: dict[str, Any], target: probes.Target, running: asyncio.subprocess.Process
    ) -> None:
        async for why in probes.verdicts(probe, target):
            if why:
                await self._end(running, probe, f"liveness probe failed, restarting: {why}")
                return

    async def _follow_readiness(self, probe: dict[str, Any], target: probes.Target) -> None:
        async for why in probes.verdicts(probe, target):
            ready = not why and not self._stopping.is_set()
            if ready != self.state.ready:
                if why:
                    self._note(f"readiness probe failed: {why}")
                self.state.ready = ready
                self._changed()

    async def _end(
        self, running: asyncio.subprocess.Process, probe: dict[str, Any], why: str
    ) -> None:
        self._note(why)
        await process.end(running, probe.get("terminationGracePeriodSeconds", self._grace))

    def _note(self, what: str) -> None:
        print(f"{api.timestamp()} {self._title}: {what}", flush=True)

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
