"""The controller reads a large cluster from the replay server: its start, and pod events.

Processor seconds count, of the whole process from its first instruction on, including TLS and the
imports: on a shared machine the wall clock means little. They do not include the replay server.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from benchmarks import controller_memory, controller_process, measure, replay_lists
from benchmarks.cluster_lists import BATCH, Cluster
from benchmarks.controller_process import ControllerProcess
from benchmarks.measure import WrongAnswerError
from benchmarks.table import Row, Target
from elasticquota.wire.kubernetes import pods


LARGE: Final = Cluster()
LARGEST: Final = Cluster(pods=100_000, nodes=10_000, quotas=10_000)
STREAM: Final = 10_000
"""Pods that are created and deleted; about four events each."""

EXPIRING: Final = Cluster(pods=10_000, nodes=1_000, quotas=400)
EXPIRIES: Final = 20
FOLLOWED: Final = 3
"""Kinds of that cluster that reflectors follow: pods, nodes, namespaces."""

BURSTS: Final = 10
READERS: Final = 4
"""Clients that read the metrics, as dashboards do."""
_READ_EVERY: Final = 1.0
"""Seconds of a reader between two pages; a dashboard waits fifteen. Without a pause readers take
most of the process, and ten bursts did not end within twenty minutes."""
INDEXED: Final = (500, 1_000, 2_000)
"""Pods that Kopf indexes; its time grows with their square."""

_DECODED: Final = 5_000
_PATIENCE: Final = 60.0
_GLANCE: Final = 0.1
"""Seconds between two reads of a metrics page, which does not report its changes."""
_MEBI: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Begun:
    """The cost of a start, until the first decision."""

    wall_seconds: float
    cpu_seconds: float
    resident: int
    most_resident: int


class ReplayServer:
    """``replay_process`` for the time of the block."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.kubeconfig = folder / "replay.kubeconfig"
        self._arguments = [str(each) for each in (cluster.pods, cluster.nodes, cluster.quotas)]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.replay_process", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self.kubeconfig.write_text(self._process.stdout.readline())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def send(self, count: int) -> dict[str, float]:
        """Send the events of ``count`` pods; returns when the last has been sent."""
        return self._order(f"send {count}")

    def expire(self, how: str) -> None:
        """End all watches because their history is gone, by ``stream`` or by ``response``."""
        self._order(f"expire {how}")

    def _order(self, line: str) -> dict[str, float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        told: dict[str, float] = json.loads(self._process.stdout.readline())
        return told


def large(turns: int) -> Iterator[Row]:
    """Measure cold start and events at the size that has bounds."""
    begun: list[Begun] = []
    for turn in range(turns):
        measure.say(f"cold start, turn {turn + 1} of {turns}")
        with _reading(LARGE) as (controller, server):
            begun.append(_begun(controller))
            if turn == turns - 1:
                events = list(_events(controller, server, "pod events"))
    typical = sorted(begun, key=lambda each: each.cpu_seconds)[len(begun) // 2]
    kopf_cpu, kopf_bytes = _kopf_reads(LARGE)
    case = f"{_size(LARGE)}: start to first decision"
    yield Row(
        case, typical.cpu_seconds, "CPU s", Target(5), each_leaf=kopf_cpu,
        note=f"wall {typical.wall_seconds:.1f} s; beside: kopf.on.event, extrapolated",
    )  # fmt: skip
    yield Row(
        f"{case}, memory", typical.resident / _MEBI, "MiB", Target(256),
        each_leaf=kopf_bytes / _MEBI, note=f"at most {typical.most_resident / _MEBI:.0f}",
    )  # fmt: skip
    yield _kopf_indexes()
    yield from events


def expiring() -> Iterator[Row]:
    """A-06: the history of every watch expires again and again, and everything is read again."""
    case = f"{_size(EXPIRING)}: history gone {EXPIRIES} times"
    measure.say(case)
    with _reading(EXPIRING) as (controller, server):
        _begun(controller)
        spent, sizes = [controller.rested_cpu_seconds()], [controller.memory()[0]]
        for turn in range(1, EXPIRIES + 1):
            server.expire(("stream", "response")[turn % 2])
            _await_expiries(controller, FOLLOWED * turn)
            spent.append(controller.rested_cpu_seconds())
            sizes.append(controller.memory()[0])
        if len(_pods(controller)) != EXPIRING.pods:
            raise WrongAnswerError("the pods after the last reading are not those that there are")
    yield Row(f"{case}, to read all again", (spent[-1] - spent[0]) / EXPIRIES, "CPU s")
    yield Row(
        f"{case}, growth of memory", (sizes[-1] / sizes[0] - 1) * 100, "%",
        Target(5), note=", ".join(f"{size / _MEBI:.0f}" for size in sizes) + " MiB",
    )  # fmt: skip


def bursts() -> Iterator[Row]:
    """Events as fast as they are read, again and again, while decisions take seconds.

    Then the same while others read its metrics each second, and while one reads all objects too:
    that page keeps the pods as they were when it was asked for, so memory has no bound there.
    """
    case = f"{_size(LARGE)}: {BURSTS} bursts of {STREAM:,} pods"
    metrics = ("/metrics",) * READERS
    yield from _bursts(case, lambda _: nullcontext())
    yield from _bursts(
        f"{case}, metrics read each second", lambda controller: _being_read(controller, metrics)
    )
    yield from _bursts(
        f"{case}, all objects too",
        lambda controller: _being_read(controller, (*metrics, "/debug/ledger")),
        bound=False,
    )


def _bursts(
    case: str,
    meanwhile: Callable[[ControllerProcess], AbstractContextManager[None]],
    *,
    bound: bool = True,
) -> Iterator[Row]:
    measure.say(case)
    with _reading(LARGE) as (controller, server):
        sizes = [_begun(controller).resident]
        with meanwhile(controller):
            for _ in range(BURSTS):
                server.send(STREAM)
                sizes.append(controller.memory()[0])
            most = controller.memory()[1]
        _await_pods(controller, LARGE.pods + BATCH)  # the page itself takes memory
    yield Row(
        f"{case}, memory against the start", sizes[-1] / sizes[0], "x",
        Target(1.4) if bound else None,
        note=", ".join(f"{size / _MEBI:.0f}" for size in sizes) + " MiB",
    )  # fmt: skip
    allowed = controller_memory.mebibytes(LARGE.pods, LARGE.quotas)
    yield Row(f"{case}, memory at most", most / _MEBI, "MiB", Target(allowed) if bound else None)


@contextmanager
def _being_read(controller: ControllerProcess, pages: Sequence[str]) -> Iterator[None]:
    """A client for each of these pages reads it, each time a second after the last."""
    done = threading.Event()

    def read(page: str) -> None:
        while not done.wait(_READ_EVERY):
            controller.page(page)

    with ThreadPoolExecutor(len(pages)) as clients:
        for page in pages:
            clients.submit(read, page)
        try:
            yield
        finally:
            done.set()


def _await_pods(controller: ControllerProcess, wanted: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while (found := len(_pods(controller))) != wanted:
        if time.monotonic() > deadline:
            raise WrongAnswerError(f"{found} pods instead of {wanted} after the stream")
        time.sleep(_GLANCE)


def _await_expiries(controller: ControllerProcess, wanted: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while (found := _expiries(controller)) < wanted:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{found:.0f} of {wanted} watches were started again")
        time.sleep(_GLANCE)


def _expiries(controller: ControllerProcess) -> float:
    samples = controller.samples("elasticquota_watch_restarts_total")
    return sum(count for labels, count in samples if labels["reason"] == "Expired")


def decode() -> Row:
    """How fast the machine is now, by a constant amount of work."""
    read = msgspec.json.Decoder(pods.PodManifest).decode
    documents = list(replay_lists.Pods(Cluster(_DECODED, 50, 100)).all())
    started = time.process_time()
    for document in documents:
        read(document)
    spent = time.process_time() - started
    size = sum(map(len, documents)) / len(documents) / 1000
    return Row(
        "to compare machines by: typed decode of a recorded pod", spent / _DECODED * 1e6, "us",
        note=f"{size:.1f} KB",
    )  # fmt: skip


def largest() -> Iterator[Row]:
    """Measure twice the pods and five times the quotas."""
    measure.say(f"{_size(LARGEST)}")
    with _reading(LARGEST) as (controller, server):
        begun = _begun(controller)
        case = f"{_size(LARGEST)}: start to first decision"
        yield Row(case, begun.cpu_seconds, "CPU s", note=f"wall {begun.wall_seconds:.1f} s")
        yield Row(f"{case}, memory", begun.resident / _MEBI, "MiB",
                  note=f"at most {begun.most_resident / _MEBI:.0f}")  # fmt: skip
        yield from _events(controller, server, "the same: pod events", bound=False)


@contextmanager
def _reading(cluster: Cluster) -> Iterator[tuple[ControllerProcess, ReplayServer]]:
    with (
        tempfile.TemporaryDirectory() as named,
        ReplayServer(cluster, Path(named)) as server,
        ControllerProcess(Path(named), server.kubeconfig) as controller,
    ):
        yield controller, server


def _begun(process: ControllerProcess, event: str = controller_process.DECIDED) -> Begun:
    wall, cpu = process.await_event(event)
    return Begun(wall, cpu, *process.memory())


def _events(
    controller: ControllerProcess, server: ReplayServer, case: str, *, bound: bool = True
) -> Iterator[Row]:
    """A stream as fast as it is read, and the processor time until everything is decided."""
    yield decode()
    before = controller.rested_cpu_seconds()
    deciding, rounds = _decided(controller)
    before_them = len(_pods(controller))
    told = server.send(STREAM)
    taken = controller.rested_cpu_seconds() - before
    if len(_pods(controller)) != before_them + BATCH:
        raise WrongAnswerError("the pods after the stream are not those that stayed")
    spent, more = (after - past for after, past in zip(_decided(controller),
                   (deciding, rounds), strict=True))  # fmt: skip
    count = told["events"]
    yield Row(
        case, count / taken, "/CPU s", Target(10_000, at_least=True) if bound else None,
        note=f"{told['bytes'] / count / 1000:.1f} KB each, wall {told['seconds']:.1f} s; "
        f"{more:.0f} rounds of decisions took {spent:.1f} s",
    )  # fmt: skip
    yield Row(f"{case}: memory after", controller.memory()[0] / _MEBI, "MiB")


def _decided(controller: ControllerProcess) -> tuple[float, float]:
    """Seconds of all cycles, and their number."""
    ((_, seconds),) = controller.samples("elasticquota_decide_seconds_sum")
    ((_, rounds),) = controller.samples("elasticquota_decide_seconds_count")
    return seconds, rounds


def _pods(controller: ControllerProcess) -> list[str]:
    listed = json.loads(controller.page("/debug/ledger"))["items"]
    return [found["metadata"]["name"] for found in listed if found["kind"] == "Pod"]


def _kopf_reads(cluster: Cluster) -> tuple[float, float]:
    """CPU seconds and bytes, extrapolated from a tenth and a fifth of the pods."""
    found: list[Begun] = []
    for part in (10, 5):
        measure.say(f"Kopf reads one of {part} parts of the same")
        sizes = (cluster.pods, cluster.nodes, cluster.quotas)
        found.append(_kopf("event", Cluster(*(size // part for size in sizes))))
    tenth, fifth = found
    return (
        fifth.cpu_seconds + 8 * (fifth.cpu_seconds - tenth.cpu_seconds),
        fifth.resident + 8 * (fifth.resident - tenth.resident),
    )


def _kopf_indexes() -> Row:
    """Kopf's own index at sizes that finish, and an extrapolation to the whole."""
    by_size: dict[int, float] = {}
    for count in INDEXED:
        measure.say(f"Kopf indexes {count:,} pods")
        by_size[count] = _kopf("index", Cluster(count, count // 10, count // 20)).cpu_seconds
    power = measure.exponent(by_size)
    whole = by_size[INDEXED[-1]] * (LARGE.pods / INDEXED[-1]) ** power
    return Row(
        f"kopf.index of {INDEXED[-1]:,} pods", by_size[INDEXED[-1]], "CPU s",
        note=f"grows with the power {power:.1f}: {whole / 3600:.1f} hours for {LARGE.pods:,}",
    )  # fmt: skip


def _kopf(way: str, cluster: Cluster) -> Begun:
    count = cluster.pods + cluster.nodes + cluster.quotas + 1
    command = (sys.executable, "-m", "benchmarks.kopf_process", way, str(count))
    with (
        tempfile.TemporaryDirectory() as named,
        ReplayServer(cluster, Path(named)) as server,
        ControllerProcess(Path(named), server.kubeconfig, command=command) as process,
    ):
        return _begun(process, controller_process.FILLED)


def _size(cluster: Cluster) -> str:
    return f"{cluster.pods:,} pods, {cluster.nodes:,} nodes, {cluster.quotas:,} quotas"
