"""Clusters of 5,000 and 10,000 nodes in thirty pools, by our code and by that of an older commit.

Both run in new processes, in turn, on the same lists and events. Without ``--before`` there is no
reference, and the rows have no bound.
"""

import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from benchmarks import first_decision, measure
from benchmarks.cluster_lists import Cluster
from benchmarks.first_decision import HERE
from benchmarks.pool_lists import PooledCluster
from benchmarks.table import Row, Target


_NODES: Final = (5_000, 10_000)
"""Together they offer the same; fewer nodes are larger ones."""
_EVENTS: Final = 60
_MEBI: Final = 1 << 20

_FIGURES: Final[Sequence[tuple[str, str, float, str, float]]] = (
    ("one pod event, to decisions", "event_seconds", 1e3, "ms", 2.0),
    ("first decision", "deciding_seconds", 1.0, "CPU s", 1.3),
    ("lists to ledger and forest", "reading_seconds", 1.0, "CPU s", 1.3),
    ("ledger and forest", "kept_bytes", 1 / _MEBI, "MiB", 1.2),
    ("process at most", "most_bytes", 1 / _MEBI, "MiB", 1.2),
)
"""Case, key of ``first_decision``, factor, unit, and how much more than before is allowed."""


def all_cases(before: str | None, turns: int) -> Iterator[Row]:
    """``before`` is a revision of this repository, the reference."""
    with _checkout(before) as reference:
        for nodes in _NODES:
            cluster = PooledCluster(nodes=nodes)
            title = f"{nodes:,} nodes in 30 pools, {cluster.pods:,} pods, 200 constraints"
            yield from _rows(title, cluster, reference, turns)


def _rows(title: str, cluster: Cluster, reference: Path | None, turns: int) -> Iterator[Row]:
    documents = [*cluster.pages(), *_events(cluster)]
    runs: dict[Path, list[Mapping[str, float]]] = {}
    for turn in range(turns):
        for code in (reference, HERE):
            if code is not None:
                measure.say(f"{title}: turn {turn + 1}, {'ours' if code == HERE else 'before'}")
                found = first_decision.measured(documents, cluster.waiting, code)
                runs.setdefault(code, []).append(found)
    for case, key, factor, unit, allowed in _FIGURES:
        medians = {code: statistics.median(r[key] for r in each) for code, each in runs.items()}
        ours = medians[HERE]
        old = medians[reference] if reference is not None else None
        yield Row(
            f"{title}: {case}",
            ours * factor,
            unit,
            None if old is None else Target(allowed * old * factor),
            note="" if old is None else f"before {old * factor:.3g}, ratio {ours / old:.2f}",
        )


def _events(cluster: Cluster) -> Iterator[tuple[str, bytes]]:
    """New pods that wait, each an event."""
    for number in range(cluster.pods, cluster.pods + _EVENTS):
        yield "event", msgspec.json.encode(cluster.waiting_pod(number))


@contextmanager
def _checkout(revision: str | None) -> Iterator[Path | None]:
    """The files of a revision, in a folder for the time of the block."""
    if revision is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", revision, "operator", "webhooks", "benchmarks"],
            cwd=HERE,
            check=True,
            stdout=subprocess.PIPE,
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)
