"""The webhook's server on its own core, called from another core; Kopf's server by turns.

Both have the same handlers, caches and certificate, and get the same requests over the same number
of connections. On a machine with only one core, or a shared one, rates mean little; the processor
time per review means more then, and is printed beside them.
"""

import asyncio
import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from benchmarks import load, measure, reviews, webhook_process
from benchmarks.load import Answers
from benchmarks.measure import WrongAnswerError
from benchmarks.table import Row, Target


COUNT: Final = 20_000
KOPF_COUNT: Final = 2_000
TURNS: Final = 4
CONNECTIONS: Final = 16
AT_ONCE: Final = 500
BURSTS: Final = 10
READERS: Final = 4
"""Clients that read the metrics all the time, as dashboards do."""
LIMIT: Final = 512
"""MiB that the chart allows the webhook."""
EDITS: Final = 20
"""Edits per second of quotas that the watch shows."""
POST: Final = f"POST /{webhook_process.TOKEN}/".encode()
"""The start of a request of the API server."""

_TICK: Final = os.sysconf("SC_CLK_TCK")


class WebhookReplica:
    """A server in its own process, on the first core when there are two."""

    def __init__(self, which: str, edits: int = 0) -> None:
        self._which = which
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.webhook_process", which, str(edits)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) > 1:
            os.sched_setaffinity(self._process.pid, {cores[0]})
        assert self._process.stdout is not None
        where = json.loads(self._process.stdout.readline())
        self.port: int = where["port"]
        self.bundle: str = where["bundle"]
        self._metrics: int = where["metrics"]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, requests: Sequence[bytes], count: int, connections: int = CONNECTIONS) -> Answers:
        """Send the requests and check the answers."""
        asked = self.addressed(requests)
        answers = asyncio.run(load.ask(self.port, self.bundle, asked, count, connections))
        if answers.lost or answers.codes != {200: count} or answers.allowed != count:
            raise WrongAnswerError(
                f"{answers.lost} lost, codes {answers.codes}, {answers.allowed} allowed of {count}"
            )
        return answers

    def addressed(self, requests: Sequence[bytes]) -> list[bytes]:
        """The requests with the paths that this server accepts."""
        post = b"POST /" if self._which in ("kopf", "unlimited") else POST
        return [each.replace(b"POST /", post, 1) for each in requests]

    def cpu_seconds(self) -> float:
        """Processor seconds since the start."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text("ascii").rpartition(")")[2]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / _TICK

    @contextmanager
    def scraped(self) -> Iterator[None]:
        """Readers ask for the metrics, one time after the other, as many dashboards do."""
        done = threading.Event()

        def read() -> None:
            pages = http.client.HTTPConnection(webhook_process.ADDRESS, self._metrics)
            while not done.is_set():
                pages.request("GET", "/metrics")
                if b"elasticquota_webhook_reviews_total" not in pages.getresponse().read():
                    raise WrongAnswerError("the page of metrics counts no review")
            pages.close()

        with ThreadPoolExecutor(READERS) as readers:
            reading = [readers.submit(read) for _ in range(READERS)]
            try:
                yield
            finally:
                done.set()
            for each in reading:
                each.result()

    def resident(self) -> int:
        """Bytes in memory."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGESIZE")


def leave_the_first_core() -> None:
    """Keep this process off the first core, which the server has."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, set(cores[1:]))


def all_cases() -> Iterator[Row]:
    """Pods, quotas, both; many connections; edits meanwhile."""
    pods, quotas = reviews.pods(), reviews.quotas()
    mixed = [*pods[:19], quotas[0], *pods[19:38], quotas[1]]
    cases = {
        "new pods": (pods, COUNT),
        "new pods, one in twenty an edited quota": (mixed, COUNT),
        "edited quotas": (quotas, COUNT // 20),
    }
    with WebhookReplica("ours") as ours, WebhookReplica("kopf") as kopf:
        leave_the_first_core()
        for case, (requests, count) in cases.items():
            measure.say(f"reviews: {case}")
            yield from _compared(case, ours, kopf, requests, count)
        yield from _many_at_once(ours, pods)
    with WebhookReplica("ours", EDITS) as edited:
        measure.say(f"reviews: new pods while {EDITS} quotas a second change")
        edited.ask(pods, COUNT // 10)
        answers = edited.ask(pods, COUNT)
        case = f"new pods while {EDITS} quotas a second change"
        yield Row(f"{case}: p99", answers.times.p99 * 1e3, "ms", Target(10))


def _compared(
    case: str, ours: WebhookReplica, kopf: WebhookReplica, requests: Sequence[bytes], count: int
) -> Iterator[Row]:
    """Run by turns; returns the best rate of each, because disturbances only slow down."""
    ours.ask(requests, count // 10)
    kopf.ask(requests, KOPF_COUNT // 10)
    rates: dict[str, list[float]] = {"ours": [], "kopf": []}
    p99s: dict[str, list[float]] = {"ours": [], "kopf": []}
    costs: dict[str, list[float]] = {"ours": [], "kopf": []}
    for _ in range(TURNS):
        for name, webhook, most in (("ours", ours, count), ("kopf", kopf, KOPF_COUNT)):
            many = most // TURNS
            before = webhook.cpu_seconds()
            answers = webhook.ask(requests, many)
            costs[name].append((webhook.cpu_seconds() - before) / many * 1e6)
            rates[name].append(answers.a_second)
            p99s[name].append(answers.times.p99 * 1e3)
    bound = case == "new pods"
    yield Row(
        f"{case}: a second",
        max(rates["ours"]),
        "",
        Target(5_000, at_least=True) if bound else None,
        each_leaf=max(rates["kopf"]),
        note="the best of four turns",
    )
    yield Row(
        f"{case}: p99", min(p99s["ours"]), "ms", Target(10) if bound else None,
        each_leaf=min(p99s["kopf"]),
    )  # fmt: skip
    ratio = min(costs["kopf"]) / min(costs["ours"])
    yield Row(f"{case}: cpu each", min(costs["ours"]), "us", each_leaf=min(costs["kopf"]))
    yield Row(f"{case}: against Kopf", ratio, "x", Target(5, at_least=True) if bound else None)


def _many_at_once(ours: WebhookReplica, pods: Sequence[bytes]) -> Iterator[Row]:
    measure.say(f"reviews: {AT_ONCE} at once")
    answers = ours.ask(pods, AT_ONCE * 10, AT_ONCE)
    yield Row(
        f"{AT_ONCE} at once: p99", answers.times.p99 * 1e3, "ms", Target(650), note="none lost"
    )


def memory(count: int) -> Iterator[Row]:
    """Measure the memory that this many reviews leave behind."""
    requests = reviews.pods()
    with WebhookReplica("ours") as webhook:
        webhook.ask(requests, 20_000)
        before = webhook.resident()
        for done in range(0, count, 50_000):
            measure.say(f"memory: {done:,} of {count:,} reviews")
            webhook.ask(requests, min(50_000, count - done))
        grown = (webhook.resident() - before) / 2**20
    yield Row(f"memory after {count:,} reviews: growth", grown, "MiB", Target(5))


def bursts() -> Iterator[Row]:
    """Measure the memory that bursts of reviews over many connections leave behind.

    Then the same while others read its metrics without a pause.
    """
    case = f"{BURSTS} bursts of {COUNT:,} reviews, {AT_ONCE} at once"
    yield from _bursts(case, lambda _: nullcontext())
    yield from _bursts(f"{case}, metrics read all the time", WebhookReplica.scraped)


def _bursts(
    case: str, meanwhile: Callable[[WebhookReplica], AbstractContextManager[None]]
) -> Iterator[Row]:
    requests = [*reviews.pods(), *reviews.quotas()]
    measure.say(f"memory: {case}")
    sizes: list[float] = []
    with WebhookReplica("ours", EDITS) as webhook:
        for _ in range(BURSTS):
            with meanwhile(webhook):
                webhook.ask(requests, COUNT, AT_ONCE)
            sizes.append(webhook.resident() / 2**20)
    yield Row(
        f"{case}: memory against the first one", sizes[-1] / sizes[0], "x", Target(1.4),
        note=", ".join(f"{size:.0f}" for size in sizes) + " MiB",
    )  # fmt: skip
    yield Row(f"{case}: memory at most", max(sizes), "MiB", Target(LIMIT))
