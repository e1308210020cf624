"""Measures how fast suspended Jobs start: a thousand in twenty quotas, beside a bare client.

The bare client has as many connections as the controller has concurrent writes. It only clears
``suspend`` of as many Jobs without a quota while no controller runs. In both cases the Job
controller creates their pods at the same time, and they run. A third case has pods with another
controller's gate, so that only the Job controller is at work. All cases use the same watch.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, Final, NamedTuple

import msgspec

from benchmarks import cluster_fixtures, local_fixture, measure
from benchmarks.local_fixture import OUTSIDE, TEAMS, Playground
from benchmarks.table import Row, Target
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Document
from elasticquota_kube.client.rest.session import SessionRequest
from elasticquota_kube.informer import reflector
from elasticquota_operator.jobs import suspender


JOBS: Final = paths.Resource("batch", "v1", "jobs")
QUOTAS: Final = 20
EACH: Final = 50
_ALL: Final = QUOTAS * EACH
_PATIENCE: Final = 300.0


class _Spec(msgspec.Struct):
    suspend: bool = False


class _JobSeen(msgspec.Struct):
    metadata: ObjectMeta
    spec: _Spec


class _Sights:
    """When each Job was first seen unsuspended, by name."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.started: dict[str, float] = {}
        self._changed = asyncio.Event()

    def upsert(self, job: _JobSeen, /) -> None:
        self.there.add(job.metadata.name)
        if not job.spec.suspend:
            self.started.setdefault(job.metadata.name, time.perf_counter())
        self._changed.set()

    def delete(self, key: reflector.ObjectKey, /) -> None:
        self.there.discard(key.name)
        self.started.pop(key.name, None)
        self._changed.set()

    def synced(self) -> None:
        pass

    async def until(self, job_count: int, started: int) -> None:
        async with asyncio.timeout(_PATIENCE):
            while (len(self.there), len(self.started)) != (job_count, started):
                self._changed.clear()
                await self._changed.wait()


class _Start(NamedTuple):
    """How a thousand Jobs were started."""

    rate: float
    """Jobs a second until the last one was seen unsuspended."""
    first: float
    """Seconds until the first one was."""
    processor: Mapping[str, float]
    """Processor milliseconds for a Job until then, by process."""


async def all_cases(ground: Playground, turns: int) -> list[Row]:
    ours: list[_Start] = []
    bare: list[_Start] = []
    held: list[_Start] = []
    calls: list[float] = []
    sights = _Sights()
    watch = reflector.Reflector(ground.api, JOBS, _JobSeen, sights, label_selector="measured")
    watching = asyncio.create_task(watch.run())
    for turn in range(turns):
        measure.say(f"{_ALL} jobs, turn {turn + 1} of {turns}")
        held.append(await _bare(ground, sights, held=True))
        bare.append(await _bare(ground, sights, held=False))
        start, spent = await _ours(ground, sights)
        ours.append(start)
        calls.append(spent)
        measure.say(
            f"started {ours[-1].rate:.0f}/s, bare {bare[-1].rate:.0f}/s, "
            f"{held[-1].rate:.0f}/s where no pod runs, {calls[-1]:.1f} calls a job"
        )
    watching.cancel()
    return [*_rows(ours, bare, held, median(calls)), *_processor(ours, bare)]


async def _ours(ground: Playground, sights: _Sights) -> tuple[_Start, float]:
    """All jobs are queued; then there is room for all of them at once."""
    await ground.controller(replicas=1)
    await ground.quotas({f"team-{number}": 0 for number in range(QUOTAS)})
    await ground.gate(is_open=False)
    await _create(ground, TEAMS, held=False)
    await sights.until(_ALL, 0)
    before = sum((await ground.calls()).values())
    start = await _started(ground, sights, lambda: ground.gate(is_open=True))
    spent = (sum((await ground.calls()).values()) - before) / _ALL
    await _clear(ground, sights, TEAMS)
    return start, spent


async def _bare(ground: Playground, sights: _Sights, *, held: bool) -> _Start:
    await ground.controller(replicas=0)
    await _create(ground, OUTSIDE, held=held)
    await sights.until(_ALL, 0)
    change = {"spec": {"suspend": False}}
    calls = (ground.api.patch(JOBS, OUTSIDE, f"job-{number}", change) for number in range(_ALL))
    start = await _started(
        ground, sights, lambda: cluster_fixtures.many(calls, wide=suspender.STARTING)
    )
    await _clear(ground, sights, OUTSIDE)
    return start


async def _started(
    ground: Playground, sights: _Sights, act: Callable[[], Awaitable[object]]
) -> _Start:
    """Act, and wait until all Jobs were seen unsuspended."""
    processes = await ground.processes()
    before = {name: measure.processor_seconds(pid) for name, pid in processes.items()}
    begun = time.perf_counter()
    await act()
    await sights.until(_ALL, _ALL)
    spent = {
        name: (measure.processor_seconds(pid) - before[name]) / _ALL * 1e3
        for name, pid in processes.items()
    }
    seen = sights.started.values()
    return _Start(_ALL / (max(seen) - begun), min(seen) - begun, spent)


async def _create(ground: Playground, namespace: str, *, held: bool) -> None:
    await cluster_fixtures.many(
        ground.api.create(JOBS, namespace, _job(number, namespace, held=held))
        for number in range(_ALL)
    )


async def _clear(ground: Playground, sights: _Sights, namespace: str) -> None:
    options = {"propagationPolicy": "Background"}
    asked = SessionRequest("deletecollection", "jobs", "DELETE", JOBS.list(namespace), options)
    await ground.api.within(_PATIENCE).send(asked)
    await sights.until(0, 0)
    await ground.clear()


def _job(number: int, namespace: str, *, held: bool) -> Document:
    """A Job of one pod; of a quota, or of none; ``held``: its pod has another controller's gate."""
    quota = f"team-{number % QUOTAS}" if namespace == TEAMS else None
    pod: Any = local_fixture.pod(f"job-{number}", quota)
    if not held:
        pod["spec"]["schedulingGates"] = []
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": f"job-{number}", "labels": {"measured": "yes"}},
        "spec": {
            "suspend": True,
            "template": {
                "metadata": {"labels": pod["metadata"]["labels"]},
                "spec": {"restartPolicy": "Never", **pod["spec"]},
            },
        },
    }


def _rows(
    ours: Sequence[_Start], bare: Sequence[_Start], held: Sequence[_Start], calls: float
) -> Iterator[Row]:
    case = f"{_ALL} suspended jobs in {QUOTAS} quotas"
    rate, beside = _median_rate(ours), _median_rate(bare)
    yield Row(f"{case}, started", rate, "/s", each_leaf=beside)
    yield Row(f"{case}, against bare", rate / beside, "x", Target(0.8, at_least=True))
    yield Row(f"{case}, against bare where no pod runs", rate / _median_rate(held), "x")
    yield Row(f"{case}, until the first starts", median(each.first for each in ours), "s")
    yield Row(f"{case}, calls a job, pods included", calls, "")


def _processor(ours: Sequence[_Start], bare: Sequence[_Start]) -> Iterator[Row]:
    """What a start costs each process, with the pods that come to life meanwhile."""
    for name in ours[0].processor:
        spent = median(each.processor[name] for each in ours)
        beside = median(each.processor.get(name, 0.0) for each in bare)
        if spent or beside:  # in steps of 10 ms of all jobs
            yield Row(f"processor of {name} for a job", spent, "ms", note=f"bare: {beside:.2f} ms")


def _median_rate(starts: Sequence[_Start]) -> float:
    return median(each.rate for each in starts)
