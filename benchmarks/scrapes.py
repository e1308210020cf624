"""What metrics cost the decision cycle with 1,000 quotas: ``make bench-scrapes``.

In one run, in turns: a cycle alone, a cycle that is metered and published, and the same while
another thread makes the text of a scrape without a pause, which Prometheus does twice a minute. In
each cycle one pod comes and one goes. Times are milliseconds.
"""

import gc
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from elasticquota.forecast.forecaster import Forecaster
from elasticquota.metering.meter import Meter
from elasticquota_operator.pages.metrics import Telemetry
from worlds import World


QUOTAS: Final = 1000
CYCLES: Final = 20
TURNS: Final = 2


class Times(NamedTuple):
    """Milliseconds of one cycle."""

    processor: float
    clock: float


class _Unmetered(Meter):
    """Counts nothing: how it was before."""

    def follow(self, statuses: object, now: int) -> set[str]:  # noqa: ARG002 - overrides
        return set()


class Bench:
    """A tree of 1,000 quotas with a pod each, which is decided again and again."""

    def __init__(self) -> None:
        self._world = World(nodes=50, cpu=64)
        for number in range(QUOTAS):
            self._world.quota(f"q{number}", min=2, max=8)
            for pod in self._world.pods(f"q{number}", 1, 1):
                self._world.ledger.upsert_pod(pod)
        self._now = 1_767_225_600_000
        self.telemetry = Telemetry(lambda: True)
        self._metered, self._plain = Forecaster(), Forecaster()
        self._plain.meter = _Unmetered()
        for forecaster in (self._metered, self._plain):
            self._cycle(forecaster, publishes=True)

    def cycles(self, *, metered: bool) -> list[Times]:
        """The times of each cycle."""
        forecaster = self._metered if metered else self._plain
        return [self._cycle(forecaster, publishes=metered) for _ in range(CYCLES)]

    def _cycle(self, forecaster: Forecaster, *, publishes: bool) -> Times:
        for pod in self._world.pods("q0", 1, 1):
            self._world.ledger.upsert_pod(pod)
        self._now += 1000
        began, used = time.perf_counter(), time.thread_time()
        self._world.ledger.set_time(self._now)
        decisions = forecaster.follow(self._world.ledger, self._world.decide(self._now), self._now)
        if publishes:
            self.telemetry.decided(decisions, 0.01)
        used, took = time.thread_time() - used, time.perf_counter() - began
        self._world.ledger.delete_pod(pod.key)
        return Times(used * 1000, took * 1000)


@contextmanager
def scraped(telemetry: Telemetry, seconds: list[float]) -> Iterator[None]:
    """Another thread makes the text all the time inside the block."""
    ended = threading.Event()

    def scrape() -> None:
        while not ended.is_set():
            began = time.perf_counter()
            telemetry.exposition()
            seconds.append(time.perf_counter() - began)

    thread = threading.Thread(target=scrape)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def main() -> None:
    bench = Bench()
    gc.freeze()
    found: dict[str, list[Times]] = {"alone": [], "metered and published": [], "during scrapes": []}
    alone, published, during = found.values()
    scrapes: list[float] = []
    for _ in range(TURNS):
        alone += bench.cycles(metered=False)
        published += bench.cycles(metered=True)
        with scraped(bench.telemetry, scrapes):
            during += bench.cycles(metered=True)
    print(f"{'cycle of 1,000 quotas':30}{'processor, ms':>15}{'clock, ms':>12}   medians")
    for title, times in found.items():
        processor, clock = (statistics.median(each) for each in zip(*times, strict=True))
        print(f"{title:30}{processor:15.1f}{clock:12.1f}")
    size = len(bench.telemetry.exposition())
    print(f"a scrape beside cycles: {statistics.median(scrapes):.2f} s, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
