"""A cluster's documents: pod events into the ledger, and controller starts in new processes.

A time counts only after a check: of the sums after the events, and of an answer for every waiting
pod after the start.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from benchmarks import cluster_lists, first_decision, manifests, measure, product
from benchmarks.cluster_lists import Cluster
from benchmarks.measure import Way
from benchmarks.table import Row, Target
from elasticquota import names
from elasticquota.ledger.ledger import Ledger


_BUDGET: Final = 4.0
"""Seconds for one implementation."""

_MEBI: Final = 1 << 20


def ingest(cluster: Cluster) -> Iterator[Row]:
    """Measure pod events into the ledger, until the sums can be read."""
    measure.say("pod events into the ledger")
    documents = list(cluster.pod_events(4 * cluster_lists.BATCH))
    values = [(gone, product.read_pod(document)) for gone, document in documents]
    lists = [(plural, page) for plural, page in replace(cluster, pods=0).pages()]
    ledger = Ledger()

    def prepare() -> None:
        nonlocal ledger
        ledger = Ledger()
        for plural, page in lists:
            product.take_page(ledger, plural, page)
        product.used(ledger, manifests.ROOT)

    def from_json() -> None:
        product.take_documents(ledger, documents)
        check()

    def from_values() -> None:
        product.take_values(ledger, values)
        check()

    def check() -> None:
        if product.used(ledger, manifests.ROOT).get(names.PODS) != cluster_lists.BATCH:
            raise measure.WrongAnswerError("the sums after pod events are wrong")

    times = measure.in_turns(
        {"JSON": Way(from_json, prepare), "values": Way(from_values, prepare)}, _BUDGET
    )
    size = sum(len(document) for _, document in documents) / len(documents)
    for source, bound in (("JSON", 30_000), ("values", 100_000)):
        yield Row(
            f"pod events from {source} to sums",
            len(documents) / times[source].median,
            "/s",
            Target(bound, at_least=True),
            note=f"{size / 1000:.1f} KB each" if source == "JSON" else "",
        )


def start(cluster: Cluster) -> Iterator[Row]:
    """Measure a controller's start in a new process, three times."""
    measure.say("a controller's start")
    lists = list(cluster.pages())
    runs = sorted((first_decision.measured(lists, cluster.waiting) for _ in range(3)), key=_cpu)
    typical = runs[1]
    size = sum(len(page) for _, page in lists) / 1e6
    case = f"{cluster.pods:,} pods, {cluster.nodes:,} nodes, {cluster.quotas:,} quotas"
    yield Row(
        f"{case}: ledger and forest",
        sorted(run["kept_bytes"] for run in runs)[1] / _MEBI,
        "MiB",
        Target(120),
        note=f"process at most {typical['most_bytes'] / _MEBI:.0f} MiB",
    )
    yield Row(
        f"{case}: first decisions",
        _cpu(typical),
        "CPU s",
        Target(3),
        note=f"{size:.0f} MB read in {typical['reading_seconds']:.2f}, "
        f"decided in {typical['deciding_seconds']:.2f}",
    )


def _cpu(run: Mapping[str, float]) -> float:
    return run["reading_seconds"] + run["deciding_seconds"]
