"""Measures how fast suspended jobs are started: ``make bench-jobs``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

import argparse
import asyncio

from benchmarks import job_cases, local_fixture
from benchmarks.report import Report
from benchmarks.table import Row


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--turns", type=int, default=5, help="medians count")
    turns = asked.parse_args().turns
    around = "control plane, controller and clients share the machine"
    report = Report(("beside: a bare client", ""), around)
    with report.case("jobs"):
        report.add(asyncio.run(_on_a_cluster(turns)))
    report.end()


async def _on_a_cluster(turns: int) -> list[Row]:
    on = {"jobs": True}
    values = {"controller": {"replicas": 1}, "dialects": on, "crds": {"dialects": on}}
    async with local_fixture.opened(values) as ground:
        return await job_cases.all_cases(ground, turns)


if __name__ == "__main__":
    main()
