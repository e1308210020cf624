"""Measures one start and the pod events after it, in a new process.

The process reads lists from standard input, each behind a line with kind and length, and after them
events, as ``event LENGTH``: each event is applied, and a decision made. It prints one line of JSON.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import perf_counter, process_time
from typing import IO, Final

import msgspec

from benchmarks import measure, product
from elasticquota import resources
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.constraints import Constraints
from elasticquota.model.decision import Decisions
from elasticquota.structs import replace
from elasticquota_operator import gc_tuning


_WARM_UP = 10
"""Events that fill the caches of a controller that has just started."""
_HERE: Final = Path(__file__).parent.parent


def measured(documents: Iterable[tuple[str, bytes]], waiting: int) -> Mapping[str, float]:
    """Seconds, bytes and counts by name; so many pods have to wait.

    Raises ``WrongAnswerError`` if not all of them are ungated or have a reason to wait.
    """
    path = os.pathsep.join(str(_HERE / part) for part in ("", "operator", "webhooks"))
    with subprocess.Popen(
        # -P: modules come from the path only, not from the script's own folder.
        [sys.executable, "-P", __file__],
        cwd=_HERE,
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        with process.stdin as stdin:
            for plural, document in documents:
                stdin.write(b"%s %d\n" % (plural.encode(), len(document)))
                stdin.write(document)
        found = msgspec.json.decode(process.stdout.read(), type=dict[str, float])
    if found["answered"] != waiting:
        raise measure.WrongAnswerError(
            f"{found['answered']:.0f} of {waiting} waiting pods are released or say why they wait"
        )
    return found


def run(lines: IO[bytes]) -> dict[str, float]:
    """What ``measured`` returns, for what stands in ``lines``."""
    gc_tuning.rest()  # as the controller does
    before, started = measure.resident(), process_time()
    ledger, cache = Ledger(), CycleCache()
    events: list[float] = []
    found: dict[str, float] = {}
    while header := lines.readline():
        plural, length = header.decode("ascii").split()
        document = lines.read(int(length))
        if plural != "event":
            product.take_page(ledger, plural, document)
            continue
        if not found:
            found, decisions = _decided(ledger, cache, before, started)
            _settle(ledger, cache, decisions)
        began = perf_counter()
        product.take_documents(ledger, [(False, document)])
        product.decision(ledger, cache)
        events.append(perf_counter() - began)
    if events:
        found["event_seconds"] = statistics.median(events[_WARM_UP:])
    else:
        found, _ = _decided(ledger, cache, before, started)
    return {**found, "most_bytes": measure.most_resident()}


def _decided(
    ledger: Ledger, cache: CycleCache, before: int, started: float
) -> tuple[dict[str, float], Decisions]:
    kept = product.standing(ledger)
    read = process_time()
    kept_bytes = measure.resident() - before
    decisions = product.decision(ledger, cache)
    decided = process_time()
    del kept
    found = {
        "reading_seconds": read - started,
        "deciding_seconds": decided - read,
        "kept_bytes": kept_bytes,
        "answered": len(decisions.releases) + len(decisions.waits),
    }
    return found, decisions


def _settle(ledger: Ledger, cache: CycleCache, decisions: Decisions) -> None:
    """Bind what is released, as the scheduler does, until all that is left waits."""
    free = {name: node.allocatable for name, node in ledger.nodes.items()}
    for pod in ledger.pods.values():
        if pod.node_name:
            free[pod.node_name] = resources.subtract(free[pod.node_name], pod.request)
    nodes: dict[Constraints, list[str]] = {}
    while decisions.releases:
        for release in decisions.releases:
            pod = ledger.pods[release.pod]
            allowed = nodes.get(pod.constraints)
            if allowed is None:
                found = ledger.nodes.values()
                allowed = [node.name for node in found if not pod.constraints.obstacle(node)]
                nodes[pod.constraints] = allowed
            name = next(name for name in allowed if resources.fits(pod.request, free[name]))
            free[name] = resources.subtract(free[name], pod.request)
            ledger.upsert_pod(replace(pod, gates=(), node_name=name, started=pod.created))
        decisions = product.decision(ledger, cache)


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(run(sys.stdin.buffer)))
