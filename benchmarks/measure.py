"""How times are measured: wall clock, alternating turns, medians, and an untouched collector.

Implementations that are compared take turns in one process, so that a busy machine slows all of
them; the first turn is a warm-up and is dropped where there is a second. Each has a number of
seconds, and at least one turn, so that a slow one cannot delay the run.
"""

import math
import os
import resource
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Final, TypeVar


E = TypeVar("E")

_MOST_TURNS: Final = 31
_BLOCK: Final = 50
"""Events that one implementation handles before the next one's turn."""

_WARM_UP: Final = 100
_NANO: Final = 10**9
_TICK: Final = os.sysconf("SC_CLK_TCK")


class WrongAnswerError(Exception):
    """The measured code did not solve the task."""


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Way:
    """One implementation of the same work; ``prepare`` is not measured."""

    run: Callable[[], object]
    prepare: Callable[[], object] = _nothing


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of single turns or events, in the order in which they happened."""

    seconds: tuple[float, ...]
    processor: tuple[float, ...] = ()
    """Processor seconds of this process; only for turns."""

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def work(self) -> float:
        """The median of the processor times."""
        return statistics.median(self.processor)

    @property
    def p99(self) -> float:
        """By nearest rank; with fewer than 100 times the largest."""
        ordered = sorted(self.seconds)
        return ordered[math.ceil(0.99 * len(ordered)) - 1]


def in_turns(ways: Mapping[str, Way], seconds: float) -> dict[str, Times]:
    """The times of each implementation, each within ``seconds`` in total."""
    taken: dict[str, list[int]] = {name: [] for name in ways}
    worked: dict[str, list[int]] = {name: [] for name in ways}
    for _ in range(_MOST_TURNS):
        for name, way in ways.items():
            if sum(taken[name]) < seconds * _NANO:
                way.prepare()
                started, before = perf_counter_ns(), process_time_ns()
                way.run()
                worked[name].append(process_time_ns() - before)
                taken[name].append(perf_counter_ns() - started)
    return {
        name: _times(times[1:] or times, worked[name][1:] or worked[name])
        for name, times in taken.items()
    }


def events(
    ways: Mapping[str, Callable[[E], object]], stream: Sequence[E], seconds: float
) -> dict[str, Times]:
    """The times of each implementation for every event, or as many as fit in ``seconds``."""
    taken: dict[str, list[int]] = {name: [] for name in ways}
    for first in range(0, len(stream), _BLOCK):
        for name, act in ways.items():
            _take(act, stream[first : first + _BLOCK], taken[name], seconds)
    return {
        name: _times(times[_WARM_UP:] if len(times) > 2 * _WARM_UP else times)
        for name, times in taken.items()
    }


def _take(act: Callable[[E], object], block: Iterable[E], taken: list[int], seconds: float) -> None:
    spent = sum(taken)
    for event in block:
        if spent > seconds * _NANO:
            return
        started = perf_counter_ns()
        act(event)
        taken.append(perf_counter_ns() - started)
        spent += taken[-1]


def _times(nanoseconds: list[int], worked: Sequence[int] = ()) -> Times:
    return Times(tuple(time / _NANO for time in nanoseconds), tuple(t / _NANO for t in worked))


def exponent(by_size: Mapping[int, float]) -> float:
    """The k of cost = c * size^k, by least squares over the logarithms."""
    return statistics.linear_regression(
        [math.log(size) for size in by_size], [math.log(cost) for cost in by_size.values()]
    ).slope


def resident() -> int:
    """Bytes of this process in memory now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize()


def most_resident() -> int:
    """Peak memory of this process in bytes; getrusage would count its parent's too."""
    status = Path("/proc/self/status").read_text("ascii").splitlines()
    line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def processor_seconds(pid: int) -> float:
    """Processor seconds of all threads of a process since its start, in steps of 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2]
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / _TICK


def say(doing: str) -> None:
    """Print what is being measured."""
    print(f"measuring: {doing}", file=sys.stderr, flush=True)
