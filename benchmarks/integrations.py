"""Measures how fast external objects become quotas: ``make bench-dialects``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

import os
import platform

from benchmarks import integration_cases, table
from elasticquota_operator import gc_tuning


def main() -> None:
    busy_before = os.getloadavg()[0]
    gc_tuning.rest()  # as the controller does
    rows = list(integration_cases.all_cases())
    bound = [row for row in rows if row.reach is not None]
    python = platform.python_version()
    print(f"Python {python}, {os.cpu_count()} cores, load {busy_before:.1f} before\n")
    print(table.text(rows, ("", "")))
    print(f"\n{sum(row.reached for row in bound)} of {len(bound)} reached")


if __name__ == "__main__":
    main()
