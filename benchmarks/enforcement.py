"""Measures how fast pods are admitted and capacity is reclaimed: ``make bench-enforcement``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

import argparse
import asyncio
import os
import platform

from benchmarks import (
    decision_cases,
    estimate_cases,
    local_fixture,
    reclaim_case,
    release_cases,
    resting_case,
    table,
    waiting_case,
)
from benchmarks.table import Row
from elasticquota_operator import gc_tuning


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--turns", type=int, default=5, help="of each case; medians count")
    asked.add_argument(
        "--pod-admission", default="auto", help="who holds new pods: auto, policy or webhook"
    )
    asked.add_argument(
        "--only", choices=("decisions", "cluster", "waiting", "resting"), help="a part of the cases"
    )
    chosen = asked.parse_args()
    busy_before = os.getloadavg()[0]
    gc_tuning.rest()  # as the controller does
    rows: list[Row] = []
    if chosen.only in (None, "decisions"):
        rows += decision_cases.all_cases()
        rows += estimate_cases.estimates()
    if chosen.only != "decisions":
        rows += asyncio.run(_on_a_cluster(chosen.turns, chosen.pod_admission, chosen.only))
    bound = [row for row in rows if row.reach is not None]
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {busy_before:.1f} "
        "before; control plane, controller and clients share the machine\n"
    )
    print(table.text(rows, ("beside: a bare client", "")))
    print(f"\n{sum(row.reached for row in bound)} of {len(bound)} reached")


async def _on_a_cluster(turns: int, pod_admission: str, only: str | None) -> list[Row]:
    values = {
        "podAdmission": pod_admission,
        "controller": {"replicas": 1},
        "config": {"reclaim": {"graceSeconds": 0}},
    }
    async with local_fixture.opened(values) as ground:
        if only == "waiting":
            return await waiting_case.all_cases(ground)
        if only == "resting":
            return await resting_case.all_cases(ground)
        return [
            *await release_cases.all_cases(ground, turns),
            *await reclaim_case.all_cases(ground, turns),
            *await waiting_case.all_cases(ground),
            *await resting_case.all_cases(ground),
        ]


if __name__ == "__main__":
    main()
