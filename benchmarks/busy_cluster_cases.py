"""The controller on a real API server: restart, statuses, rest, and takeover by a standby.

A change counts from its acknowledgment by the API server to the moment when a watch of quotas shows
the figure that contains it. Pods come and go in two ways: single pods, each in a quota without any
other change; and jobs of ten pods that start or end together in one quota, for which changes are
merged.
"""

import asyncio
import json
import signal
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from benchmarks import controller_process, measure
from benchmarks.busy_cluster import QUOTAS, Estate
from benchmarks.controller_process import ControllerProcess
from benchmarks.measure import Times
from benchmarks.table import Row, Target


RUNNING_AT_RESTART: Final = 5_000
RUNNING: Final = 20_000
EVENTS_A_SECOND: Final = 50
EVENTS_A_CHANGE: Final = 1.5
"""A pod that starts is two events of the watch (created, running), one that ends is one."""

JOB: Final = 10
_MEBI: Final = 1 << 20
_SETTLED: Final = 15.0
_PATIENCE: Final = 60.0


async def all_cases(
    estate: Estate, turns: int, idle: float, seconds: float, pods: int
) -> AsyncIterator[Row]:
    """Run the cases by turns on one cluster, which grows to ``pods`` running pods."""
    few = min(RUNNING_AT_RESTART, pods)
    measure.say(f"{few:,} pods shall run")
    await estate.fill(few)
    async for row in _restarts(estate, turns):
        yield row
    measure.say(f"{pods:,} pods shall run")
    await estate.fill(pods)
    with estate.controller("steady") as controller:
        await asyncio.to_thread(controller.await_event, controller_process.LEADS)
        await estate.quiet()
        async for row in _changes(estate, controller, seconds):
            yield row
        async for row in _idle(estate, controller, idle):
            yield row
    async for row in _succession(estate, turns):
        yield row


async def _restarts(estate: Estate, turns: int) -> AsyncIterator[Row]:
    """A pod is gated, no controller runs; then a controller starts and ungates it."""
    times: list[float] = []
    cpu: list[float] = []
    memory = 0
    for turn in range(turns):
        measure.say(f"restart, turn {turn + 1} of {turns}")
        name = f"waits-{turn}"
        await estate.ask(name)
        with estate.controller(f"restart-{turn}") as controller:
            await estate.sights.until(lambda: name in estate.sights.released)  # noqa: B023 - at once
            times.append(estate.sights.released[name] - controller.started)
            cpu.append(controller.cpu_seconds())
            if turn == turns - 1:
                await estate.quiet()
                await asyncio.to_thread(controller.rested_cpu_seconds)
                memory = controller.memory()[0]
        await estate.drop(name)
    size = f"{sum(map(len, estate.standing.values())):,} pods, {QUOTAS:,} quotas"
    yield Row(
        f"{size}: process start to first release", median(times), "s", Target(2),
        note=f"{min(times):.2f} to {max(times):.2f}, {median(cpu):.2f} s of the processor",
    )  # fmt: skip
    yield Row(f"{size}: memory", memory / _MEBI, "MiB", Target(130))


@dataclass(slots=True)
class _Awaited:
    """Changes that the status of a quota does not show yet: the expected figure, and since when."""

    changes: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def add(self, quota: str, figure: int) -> None:
        self.changes.setdefault(quota, []).append((figure, time.perf_counter()))

    def seen(self, quota: str, figure: int) -> None:
        """Record a status: it contains every change that its figure has passed."""
        now = time.perf_counter()
        waiting = self.changes.get(quota, [])
        places = [place for place, (wanted, _) in enumerate(waiting) if wanted == figure]
        if not places:
            return
        for _, since in waiting[: places[-1] + 1]:
            self.seconds.append(max(0.0, now - since))
        del waiting[: places[-1] + 1]
        if not waiting:
            del self.changes[quota]


async def _changes(
    estate: Estate, controller: ControllerProcess, seconds: float
) -> AsyncIterator[Row]:
    for title, at_once in (("one here, one there", 1), (f"jobs of {JOB}", JOB)):
        measure.say(f"status after changes, {title}, {seconds:.0f} s")
        begun, ended, writes, events, cpu = await _measured(estate, controller, seconds, at_once)
        case = f"status after a change ({title})"
        for what, times in (("a pod begins", begun), ("a pod ends", ended)):
            yield Row(f"{case}, {what}: p50", times.median * 1e3, "ms", Target(150))
            yield Row(f"{case}, {what}: p99", times.p99 * 1e3, "ms", Target(1_000))
        yield Row(
            f"{case}: API writes for one pod event", sum(writes.values()) / events, "",
            Target(0.5) if at_once > 1 else None,
            note=f"{events / seconds:.0f} events/s; "
            + ", ".join(f"{kind} {count}" for kind, count in sorted(writes.items()))
            + f"; {100 * cpu / seconds:.0f}% of a core, {_slowness(controller)}",
        )  # fmt: skip


async def _measured(
    estate: Estate, controller: ControllerProcess, seconds: float, at_once: int
) -> tuple[Times, Times, dict[str, int], int, float]:
    """Pods start and end by turns; each quota rests between two changes of its own."""
    begins, ends = _Awaited(), _Awaited()
    expected = {leaf: len(names) for leaf, names in estate.standing.items()}

    def told(quota: str, figure: int) -> None:
        begins.seen(quota, figure)
        ends.seen(quota, figure)

    async def change(quota: str, awaited: _Awaited, act: Callable[..., object], step: int) -> None:
        await act(quota)  # type: ignore[misc]  # start or stop
        expected[quota] += step
        awaited.add(quota, expected[quota])
        if estate.figures.pods.get(quota) == expected[quota]:
            awaited.seen(quota, expected[quota])

    estate.figures.told = told
    before, cpu = writes(estate, controller), controller.cpu_seconds()
    events = estate.sights.count
    started = time.perf_counter()
    pause = at_once * EVENTS_A_CHANGE / EVENTS_A_SECOND
    async with asyncio.TaskGroup() as tasks:
        turn = 0
        while (now := time.perf_counter() - started) < seconds:
            quota = estate.leaves[turn * 37 % len(estate.leaves)]
            starting = turn % 2 == 0
            act, awaited = (estate.start, begins) if starting else (estate.stop, ends)
            there = len(estate.standing[quota])
            for _ in range(at_once if starting else min(at_once, there)):
                tasks.create_task(change(quota, awaited, act, 1 if starting else -1))
            turn += 1
            await asyncio.sleep(max(0.0, turn * pause - now))
    async with asyncio.timeout(_PATIENCE):
        while begins.changes or ends.changes:  # noqa: ASYNC110 - asked a few times
            await asyncio.sleep(0.1)
    estate.figures.told = lambda _quota, _figure: None
    await asyncio.sleep(_SETTLED)
    after = writes(estate, controller)
    made = {kind: count - before.get(kind, 0) for kind, count in after.items()}
    return (
        Times(tuple(begins.seconds)),
        Times(tuple(ends.seconds)),
        {kind: count for kind, count in made.items() if count},
        estate.sights.count - events,
        controller.cpu_seconds() - cpu,
    )


def _slowness(controller: ControllerProcess) -> str:
    """How long calls and cycles have taken since the start; shows the machine's other load."""
    calls = [
        sum(value for labels, value in controller.samples(f"elasticquota_api_call_seconds_{part}")
            if labels["verb"] == "patch" and labels["resource"] == "elasticquotas")
        for part in ("sum", "count")
    ]  # fmt: skip
    ((_, deciding),) = controller.samples("elasticquota_decide_seconds_sum")
    ((_, rounds),) = controller.samples("elasticquota_decide_seconds_count")
    return (
        f"a patch {1000 * calls[0] / max(calls[1], 1):.0f} ms, "
        f"a round {1000 * deciding / rounds:.0f} ms"
    )


def writes(estate: Estate, controller: ControllerProcess) -> dict[str, int]:
    """What the controller has written so far: calls by the audit log, events by its own count."""
    found: dict[str, int] = {}
    with estate.audit_log.open(encoding="utf-8") as lines:
        for line in lines:
            if estate.account not in line:
                continue
            entry = json.loads(line)
            where = entry["objectRef"]
            kind = "/".join(filter(None, (where["resource"], where.get("subresource"))))
            found[kind] = found.get(kind, 0) + 1
    for labels, value in controller.samples("elasticquota_api_calls_total"):
        if labels["resource"] == "events":
            found["events"] = found.get("events", 0) + int(value)
    return found


async def _idle(
    estate: Estate, controller: ControllerProcess, seconds: float
) -> AsyncIterator[Row]:
    measure.say(f"nothing happens for {seconds:.0f} s")
    await asyncio.to_thread(controller.rested_cpu_seconds)
    before, cpu = writes(estate, controller), controller.cpu_seconds()
    await asyncio.sleep(seconds)
    spent = controller.cpu_seconds() - cpu
    written = {
        kind: count - before.get(kind, 0)
        for kind, count in writes(estate, controller).items()
        if count > before.get(kind, 0)
    }
    size = f"{sum(map(len, estate.standing.values())):,} pods"
    yield Row(f"{size}, nothing happens: of a core", 100 * spent / seconds, "%", Target(1))
    yield Row(
        f"{size}, nothing happens: API writes", sum(written.values()), "", Target(0),
        note=f"in {seconds:.0f} s, without the Lease {written or ''}",
    )  # fmt: skip
    yield Row(f"{size}: memory", controller.memory()[0] / _MEBI, "MiB")


async def _succession(estate: Estate, turns: int) -> AsyncIterator[Row]:
    """The leader ends; a pod is created; the standby takes over and ungates it."""
    taken: dict[signal.Signals, list[float]] = {signal.SIGKILL: [], signal.SIGTERM: []}
    for number, times in taken.items():
        for turn in range(turns):
            measure.say(f"{number.name} of the leader, turn {turn + 1} of {turns}")
            name = f"orphan-{number.name.lower()}-{turn}"
            with estate.controller(f"leader-{name}") as leader:
                await asyncio.to_thread(leader.await_event, controller_process.LEADS)
                with estate.controller(f"standby-{name}") as standby:
                    await asyncio.to_thread(standby.await_event, controller_process.DECIDED)
                    await asyncio.to_thread(standby.rested_cpu_seconds)
                    started = time.perf_counter()
                    ending = asyncio.create_task(asyncio.to_thread(leader.end, number))
                    await estate.ask(name)
                    await estate.sights.until(lambda: name in estate.sights.released)  # noqa: B023 - at once
                    times.append(estate.sights.released[name] - started)
                    await ending
            await estate.drop(name)
    for number, bound in ((signal.SIGKILL, 20), (signal.SIGTERM, 3)):
        times = taken[number]
        yield Row(
            f"leader ends by {number.name}: next one releases", max(times), "s", Target(bound),
            note=f"the longest of {turns}; shortest {min(times):.1f}",
        )  # fmt: skip
