"""Measures how fast reviews are answered, beside Kopf's own server: ``make bench-admission``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

import argparse
import os
import platform
from collections.abc import Iterator

from benchmarks import hostile_cases, hostile_connections, table, webhook_cases
from benchmarks.table import Row


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--reviews", type=int, default=1_000_000, help="of the memory case; 0: none")
    asked.add_argument("--cluster", action="store_true", help="pods through a real API server too")
    asked.add_argument("--only", choices=("bursts",), help="a part of the cases")
    chosen = asked.parse_args()
    busy_before = os.getloadavg()[0]
    rows = list(webhook_cases.bursts()) if chosen.only else list(_rows(chosen))
    bound = [row for row in rows if row.reach is not None]
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {busy_before:.1f} "
        "before; the server has one core, its clients the other; on a machine that is busy with "
        "other work times are longer than they need be\n"
    )
    print(table.text(rows, ("beside: Kopf's server, or none", "")))
    print(f"\n{sum(row.reached for row in bound)} of {len(bound)} reached")


def _rows(chosen: argparse.Namespace) -> Iterator[Row]:
    yield from webhook_cases.all_cases()
    yield from hostile_cases.all_cases()
    yield from hostile_connections.all_cases()
    yield from webhook_cases.bursts()
    if chosen.reviews:
        yield from webhook_cases.memory(chosen.reviews)
    if chosen.cluster:
        from benchmarks import pod_creation  # noqa: PLC0415 - needs what the control plane needs

        yield from pod_creation.all_cases()


if __name__ == "__main__":
    main()
