"""What metrics cost the decision cycle with 1,000 quotas: ``make bench-scrapes``.

In one run, in turns: a cycle alone, a cycle that is metered and published, and the same while
another thread makes the text of a scrape without a pause, which Prometheus does twice a minute. In
each cycle one pod comes and one goes. Times are milliseconds.
"""

import gc
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from elasticquota.forecast.forecaster import Forecaster
from elasticquota.metering.meter import Meter
from elasticquota_operator.pages.metrics import Telemetry
from worlds import World


QUOTAS: Final = 1000
CYCLES: Final = 40
TURNS: Final = 2


class _Unmetered(Meter):
    """Counts nothing: how it was before."""

    def follow(self, statuses: object, now: int) -> set[str]:  # noqa: ARG002
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

    def cycles(self, *, metered: bool) -> list[float]:
        """Milliseconds of each cycle."""
        forecaster = self._metered if metered else self._plain
        return [self._cycle(forecaster, publishes=metered) for _ in range(CYCLES)]

    def _cycle(self, forecaster: Forecaster, *, publishes: bool) -> float:
        for pod in self._world.pods("q0", 1, 1):
            self._world.ledger.upsert_pod(pod)
        self._now += 1000
        began = time.perf_counter()
        self._world.ledger.set_time(self._now)
        decisions = forecaster.follow(self._world.ledger, self._world.decide(self._now), self._now)
        if publishes:
            self.telemetry.decided(decisions, 0.01)
        took = (time.perf_counter() - began) * 1000
        self._world.ledger.delete_pod(pod.key)
        return took


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
    alone, published, during = [], [], []
    scrapes: list[float] = []
    for _ in range(TURNS):
        alone += bench.cycles(metered=False)
        published += bench.cycles(metered=True)
        with scraped(bench.telemetry, scrapes):
            during += bench.cycles(metered=True)
    first: Callable[[list[float]], float] = statistics.median
    print(f"{'cycle of 1,000 quotas':36}{'median, ms':>12}{'99%, ms':>10}")
    for title, found in (
        ("alone", alone),
        ("metered and published", published),
        ("the same during scrapes", during),
    ):
        print(f"{title:36}{first(found):12.2f}{statistics.quantiles(found, n=100)[98]:10.2f}")
    size = len(bench.telemetry.exposition())
    print(f"a scrape: {first(scrapes):.2f} s beside cycles, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
