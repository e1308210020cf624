"""Measures speed and memory of the engine, beside the usual method: ``make bench``.

All numbers are medians of this run on this machine; compare only numbers of the same run.
"""

import os
import platform

from benchmarks import cluster_cases, table, tree_cases
from benchmarks.cluster_lists import Cluster


def main() -> None:
    cluster = Cluster()
    busy_before = os.getloadavg()[0]
    rows = [
        *tree_cases.all_cases(),
        *cluster_cases.ingest(cluster),
        *cluster_cases.start(cluster),
    ]
    bound = [row for row in rows if row.reach is not None]
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {busy_before:.1f} "
        f"before; on a machine that is busy with other work times are longer than they need be\n"
    )
    print(table.text(rows))
    print(f"\n{sum(row.reached for row in bound)} of {len(bound)} reached")


if __name__ == "__main__":
    main()
