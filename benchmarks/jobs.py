"""Measures how fast suspended jobs are started: ``make bench-jobs``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

import argparse
import asyncio
import os
import platform

from benchmarks import job_cases, local_fixture, table
from benchmarks.table import Row


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--turns", type=int, default=5, help="medians count")
    turns = asked.parse_args().turns
    busy_before = os.getloadavg()[0]
    rows = asyncio.run(_on_a_cluster(turns))
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {busy_before:.1f} "
        "before; control plane, controller and clients share the machine\n"
    )
    print(table.text(rows, ("beside: a bare client", "")))


async def _on_a_cluster(turns: int) -> list[Row]:
    on = {"jobs": True}
    values = {"controller": {"replicas": 1}, "dialects": on, "crds": {"dialects": on}}
    async with local_fixture.opened(values) as ground:
        return await job_cases.all_cases(ground, turns)


if __name__ == "__main__":
    main()
