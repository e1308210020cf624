"""Clusters of 5,000 and 10,000 nodes in thirty pools, each read and decided in a new process."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from benchmarks import first_decision, measure
from benchmarks.cluster_lists import Cluster
from benchmarks.pool_lists import PooledCluster
from benchmarks.table import Row, Target


_NODES: Final = (5_000, 10_000)
"""Together they offer the same; fewer nodes are larger ones."""
_EVENTS: Final = 60
_MEBI: Final = 1 << 20

_FIGURES: Final[Sequence[tuple[str, str, float, str, float]]] = (
    ("one pod event, to decisions", "event_seconds", 1e3, "ms", 500),
    ("first decision", "deciding_seconds", 1.0, "CPU s", 3.6),
    ("lists to ledger and forest", "reading_seconds", 1.0, "CPU s", 5.2),
    ("ledger and forest", "kept_bytes", 1 / _MEBI, "MiB", 115),
    ("process at most", "most_bytes", 1 / _MEBI, "MiB", 340),
)
"""Case, key of ``first_decision``, factor, unit, and bound."""


def all_cases(turns: int) -> Iterator[Row]:
    for nodes in _NODES:
        cluster = PooledCluster(nodes=nodes)
        title = f"{nodes:,} nodes in 30 pools, {cluster.pods:,} pods, 200 constraints"
        yield from _rows(title, cluster, turns)


def _rows(title: str, cluster: Cluster, turns: int) -> Iterator[Row]:
    documents = [*cluster.pages(), *_events(cluster)]
    runs = []
    for turn in range(turns):
        measure.say(f"{title}: turn {turn + 1}")
        runs.append(first_decision.measured(documents, cluster.waiting))
    for case, key, factor, unit, bound in _FIGURES:
        figure = statistics.median(run[key] for run in runs) * factor
        yield Row(f"{title}: {case}", figure, unit, Target(bound))


def _events(cluster: Cluster) -> Iterator[tuple[str, bytes]]:
    """New pods that wait, each an event."""
    for number in range(cluster.pods, cluster.pods + _EVENTS):
        yield "event", msgspec.json.encode(cluster.waiting_pod(number))
