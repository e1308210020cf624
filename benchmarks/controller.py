"""Measures what the running controller costs and how fast it acts: ``make bench-controller``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

import argparse
import asyncio
from collections.abc import Iterator

from benchmarks import (
    busy_cluster,
    busy_cluster_cases,
    pool_cases,
    replay_cases,
    scale_up_cases,
)
from benchmarks.report import Report
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
    chosen = asked.parse_args()
    report = Report(("beside: Kopf", ""), "servers and clients share the machine")
    for name, rows in _cases(chosen):
        if chosen.only in (None, name):
            with report.case(name):
                report.add(rows)
    if chosen.only in (None, "scale-up", "cluster"):
        with report.case("a cluster"):
            asyncio.run(_on_a_cluster(report, chosen))
    report.end()


def _cases(chosen: argparse.Namespace) -> Iterator[tuple[str, Iterator[Row]]]:
    yield "replay", replay_cases.large(chosen.turns)
    yield "bursts", replay_cases.bursts()
    yield "expiries", replay_cases.expiring()
    yield "fan-out", replay_cases.largest()
    yield "pools", pool_cases.all_cases(chosen.turns)
    yield "scale-up", scale_up_cases.in_process()


async def _on_a_cluster(report: Report, chosen: argparse.Namespace) -> None:
    async with busy_cluster.opened() as ground:
        busy = busy_cluster_cases.all_cases(
            ground, chosen.turns, chosen.idle, chosen.changes, chosen.pods
        )
        growing = scale_up_cases.on_a_cluster(ground)
        cases = {None: (busy, growing), "cluster": (busy,), "scale-up": (growing,)}
        for case in cases[chosen.only]:
            async for row in case:
                report.add([row])


if __name__ == "__main__":
    main()
