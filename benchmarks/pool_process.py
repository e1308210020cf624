"""Measures one start and the pod events after it, by the code that is first on the path.

Reads lists from standard input as ``first_decision`` does, then the same pods again one by one as
``event LENGTH``: each event is applied, and a decision made. Prints one line of JSON. It uses only
what ``benchmarks.product`` has had for long, so that ``pool_cases`` can run it with the code of an
older commit.
"""

import statistics
import sys
from time import perf_counter, process_time
from typing import IO

import msgspec

from benchmarks import measure, product
from elasticquota import resources
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.constraints import Constraints
from elasticquota.model.decision import Decisions
from elasticquota_operator import gc_tuning


try:
    from elasticquota.structs import replace
except ImportError:  # the code of a commit before 2026-11-26
    from dataclasses import replace  # type: ignore[assignment]
try:
    from elasticquota.decisions.cycle_cache import CycleCache
except ImportError:  # the code of a commit before 2026-11-27
    from elasticquota.scheduling.cycle_cache import CycleCache  # type: ignore[import-not-found, no-redef]


_WARM_UP = 10
"""Events that fill the caches of a controller that has just started."""


def run(lines: IO[bytes]) -> dict[str, float]:
    """Seconds, bytes and counts by name."""
    gc_tuning.rest()
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
            found = _decided(ledger, cache, before, started)
        began = perf_counter()
        product.take_documents(ledger, [(False, document)])
        product.decision(ledger, cache)
        events.append(perf_counter() - began)
    return {
        **found,
        "event_seconds": statistics.median(events[_WARM_UP:]),
        "most_bytes": measure.most_resident(),
    }


def _decided(ledger: Ledger, cache: CycleCache, before: int, started: float) -> dict[str, float]:
    kept = product.standing(ledger)
    read = process_time()
    kept_bytes = measure.resident() - before
    decisions = product.decision(ledger, cache)
    decided = process_time()
    del kept
    _settle(ledger, cache, decisions)
    return {
        "reading_seconds": read - started,
        "deciding_seconds": decided - read,
        "kept_bytes": kept_bytes,
        "answered": len(decisions.releases) + len(decisions.waits),
    }


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
