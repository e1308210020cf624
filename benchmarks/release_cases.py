"""Ungating: many held pods after one edit, many new pods into free room, single pods, and new pods
beside pods that cannot be written.

A bare client with sixteen connections runs beside the first case, by turns in the same run. It only
removes the gates of as many pods while no controller runs: this is the most that the API server can
do here.
"""

import asyncio
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from benchmarks import cluster_fixtures, local_fixture, measure
from benchmarks.local_fixture import OUTSIDE, TEAMS, Playground
from benchmarks.measure import Times
from benchmarks.table import Row, Target
from elasticquota import names
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Document
from elasticquota_kube.client.rest.errors import ApiError


@dataclass(frozen=True, slots=True)
class Load:
    """A number of pods in each of a number of quotas."""

    quotas: int
    each: int

    @property
    def pods(self) -> int:
        return self.quotas * self.each

    def __str__(self) -> str:
        return f"{self.quotas} quotas x {self.each} pods"


LOADS: Final = (Load(20, 100), Load(100, 6))
LONE: Final = 50
LARGE: Final = 24
"""Pods at the size limit of the store, of which no write succeeds."""
_LIMIT: Final = 1_572_864
_SPARE: Final = 8
"""Bytes that are left for changes."""


@dataclass(slots=True)
class Rates:
    """Pods per second in each turn, and what one pod cost."""

    released: list[float] = field(default_factory=list)
    running: list[float] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)
    """Of the controller."""
    processor: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds until the last pod runs, by process."""


async def releases(ground: Playground, load: Load, turns: int) -> Iterable[Row]:
    held, bare, new = Rates(), Rates(), Rates()
    for turn in range(turns):
        measure.say(f"{load}, turn {turn + 1} of {turns}")
        await _bare(ground, load, bare)
        await _held(ground, load, held)
        await _new(ground, load, new)
        measure.say(
            f"released {held.released[-1]:.0f}/s, bare {bare.released[-1]:.0f}/s; "
            f"to Running {held.running[-1]:.0f}/s, bare {bare.running[-1]:.0f}/s"
        )
    return _rows(load, held, bare, new)


async def lone_pods(ground: Playground) -> Iterable[Row]:
    await ground.controller(replicas=1)
    measure.say("lone pods")
    return _lone_rows(await _lone(ground))


async def beside_large_pods(ground: Playground, turns: int) -> Iterable[Row]:
    """The large ones are never deleted: the cluster ends with this case."""
    load, alone, beside = LOADS[1], Rates(), Rates()
    await ground.controller(replicas=1)
    await ground.quotas({**_teams(load), "large": 0})
    for rates in (alone, beside):
        for turn in range(turns):
            measure.say(f"{load}, turn {turn + 1} of {turns}")
            await _measure(ground, load, rates, ground.create(_pods(load)))
            await ground.clear()
            measure.say(f"to Running {rates.running[-1]:.0f}/s")
        if rates is alone:
            await _create_large(ground)
    what = f"{load}, new, beside {LARGE} pods at the size limit"
    ratio = median(beside.running) / median(alone.running)
    server, without = (median(each.processor["kube-apiserver"]) for each in (beside, alone))
    return (
        Row(f"{what}, to Running", median(beside.running), "/s"),
        Row(f"{what}, to Running, against without them", ratio, "x", Target(0.8, at_least=True)),
        Row(f"{what}, kube-apiserver, for a pod", server, "ms"),
        Row(f"{what}, the same, against without them", server / without, "x", Target(1.25)),
    )


async def _create_large(ground: Playground) -> None:
    """Find the largest pod that is stored, and create some."""
    least, most = 1_500_000, _LIMIT
    while most - least > _SPARE:
        middle = (least + most) // 2
        try:
            await ground.api.create(paths.PODS, TEAMS, _large(f"trial-{middle}", middle))
        except ApiError as error:
            if not error.is_too_large_to_store:
                raise
            most = middle
        else:
            least = middle
    await ground.create(_large(f"large-{number:07}", least - _SPARE) for number in range(LARGE))


def _large(name: str, size: int) -> Document:
    made = local_fixture.pod(name, "large", milli=1)
    made["metadata"]["labels"] = {names.QUOTA_NAME: "large", **local_fixture.KEPT}
    made["spec"]["containers"][0]["env"] = [{"name": "LARGE", "value": "x" * size}]
    return made


async def _held(ground: Playground, load: Load, rates: Rates) -> None:
    """All pods wait with a reason; then there is room for all of them at once."""
    await ground.controller(replicas=1)
    await ground.quotas(_teams(load))
    await ground.gate(is_open=False)
    await ground.calls()  # at rest: it has seen the gate, which comes by another watch than pods
    await ground.create(_pods(load))
    before = sum((await ground.calls()).values())
    if ground.sights.released:
        raise measure.WrongAnswerError("pods were released that had no room")
    await _measure(ground, load, rates, ground.gate(is_open=True))
    rates.calls.append((sum((await ground.calls()).values()) - before) / load.pods)
    await ground.clear()


async def _new(ground: Playground, load: Load, rates: Rates) -> None:
    """All pods are created into free room."""
    before = sum((await ground.calls()).values())
    await _measure(ground, load, rates, ground.create(_pods(load)))
    rates.calls.append((sum((await ground.calls()).values()) - before) / load.pods)
    await ground.clear()


async def _bare(ground: Playground, load: Load, rates: Rates) -> None:
    await ground.controller(replicas=0)
    names = [f"bare-{number}" for number in range(load.pods)]
    await ground.create(local_fixture.pod(name, None) for name in names)
    await ground.sights.until(lambda: len(ground.sights.created) == load.pods)
    change = [{"op": "remove", "path": "/spec/schedulingGates/0"}]
    patches = (ground.api.patch(paths.PODS, OUTSIDE, name, change, kind="json") for name in names)
    await _measure(ground, load, rates, cluster_fixtures.many(patches))
    await ground.clear()


async def _measure(
    ground: Playground, load: Load, rates: Rates, act: Coroutine[None, None, object]
) -> None:
    """Act, and wait until all pods were seen running."""
    sights, processes = ground.sights, await ground.processes()
    before = {name: measure.processor_seconds(pid) for name, pid in processes.items()}
    started = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(act)
        await sights.until(lambda: len(sights.running) == load.pods)
    for name, pid in processes.items():
        spent = (measure.processor_seconds(pid) - before[name]) / load.pods * 1e3
        rates.processor.setdefault(name, []).append(spent)
    rates.released.append(load.pods / (max(sights.released.values()) - started))
    rates.running.append(load.pods / (max(sights.running.values()) - started))


async def _lone(ground: Playground) -> Times:
    """Seconds from the request for a pod until its ungating is seen, one after the other."""
    await ground.quotas({"team-0": 1})
    seconds: list[float] = []
    for turn in range(LONE):
        name = f"lone-{turn}"
        started = time.perf_counter()
        await ground.api.create(paths.PODS, TEAMS, local_fixture.pod(name, "team-0"))
        await ground.sights.until(lambda: name in ground.sights.running)  # noqa: B023 - at once
        seconds.append(ground.sights.released[name] - started)
        await ground.calls()  # at rest
    await ground.clear()
    return Times(tuple(seconds))


def _teams(load: Load) -> Mapping[str, int]:
    return {f"team-{number}": 0 for number in range(load.quotas)}


def _pods(load: Load) -> Iterable[Document]:
    """The pods of all quotas, by turns."""
    for number in range(load.pods):
        team = f"team-{number % load.quotas}"
        yield local_fixture.pod(f"{team}-{number // load.quotas}", team)


def _rows(load: Load, held: Rates, bare: Rates, new: Rates) -> Iterator[Row]:
    for what, ours, theirs in (
        ("released", median(held.released), median(bare.released)),
        ("to Running", median(held.running), median(bare.running)),
    ):
        yield Row(f"{load}, held, {what}", ours, "/s", each_leaf=theirs)
        yield Row(
            f"{load}, held, {what}, against bare", ours / theirs, "x", Target(0.8, at_least=True)
        )
    yield Row(f"{load}, held, calls a pod", median(held.calls), "", Target(2))
    for name, taken in held.processor.items():
        beside = bare.processor.get(name)
        yield Row(
            f"{load}, held, {name}, for a pod", median(taken), "ms",
            each_leaf=None if beside is None else median(beside),
        )  # fmt: skip
    yield Row(f"{load}, new, to Running", median(new.running), "/s")
    yield Row(f"{load}, new, calls a pod", median(new.calls), "", Target(2))


def _lone_rows(times: Times) -> Iterator[Row]:
    yield Row("a lone pod, creation to release, p50", times.median * 1e3, "ms", Target(150))
    yield Row("a lone pod, creation to release, p99", times.p99 * 1e3, "ms", Target(500))
