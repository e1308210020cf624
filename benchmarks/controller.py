"""Measures what the running controller costs and how fast it acts: ``make bench-controller``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

import argparse
import asyncio
import os
import platform
from collections.abc import Iterator

from benchmarks import (
    busy_cluster,
    busy_cluster_cases,
    measure,
    pool_cases,
    replay_cases,
    scale_up_cases,
    table,
)
from benchmarks.table import Row


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--turns", type=int, default=3, help="of each start and each end")
    asked.add_argument("--idle", type=float, default=600, help="seconds that the idle case watches")
    asked.add_argument("--changes", type=float, default=60, help="seconds of each stream")
    asked.add_argument(
        "--pods", type=int, default=busy_cluster_cases.RUNNING, help="that really run"
    )
    asked.add_argument(
        "--only",
        choices=("replay", "bursts", "expiries", "fan-out", "pools", "scale-up", "cluster"),
        help="a part of the cases",
    )
    asked.add_argument("--before", help="revision that the cluster of many pools is compared with")
    chosen = asked.parse_args()
    busy_before = os.getloadavg()[0]
    rows = list(_rows(chosen))
    bound = [row for row in rows if row.reach is not None]
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {busy_before:.1f} "
        f"before and {os.getloadavg()[0]:.1f} after; servers and clients share the machine\n"
    )
    print(table.text(rows, ("beside: Kopf", "")))
    print(f"\n{sum(row.reached for row in bound)} of {len(bound)} reached")


def _rows(chosen: argparse.Namespace) -> Iterator[Row]:
    if chosen.only in (None, "replay"):
        yield from replay_cases.large(chosen.turns)
    if chosen.only in (None, "bursts"):
        yield from replay_cases.bursts()
    if chosen.only in (None, "expiries"):
        yield from replay_cases.expiring()
    if chosen.only in (None, "fan-out"):
        yield from replay_cases.largest()
    if chosen.only in (None, "pools"):
        yield from pool_cases.all_cases(chosen.before, chosen.turns)
    if chosen.only in (None, "scale-up"):
        yield from scale_up_cases.in_process()
    if chosen.only in (None, "scale-up", "cluster"):
        yield from asyncio.run(_on_a_cluster(chosen))


async def _on_a_cluster(chosen: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    async with busy_cluster.opened() as ground:
        busy = busy_cluster_cases.all_cases(
            ground, chosen.turns, chosen.idle, chosen.changes, chosen.pods
        )
        growing = scale_up_cases.on_a_cluster(ground)
        cases = {None: (busy, growing), "cluster": (busy,), "scale-up": (growing,)}
        for case in cases[chosen.only]:
            async for row in case:
                rows.append(row)
                measure.say(" | ".join(row.cells()))
    return rows


if __name__ == "__main__":
    main()
