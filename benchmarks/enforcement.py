"""Measures how fast pods are admitted and capacity is reclaimed: ``make bench-enforcement``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial

from benchmarks import (
    decision_cases,
    estimate_cases,
    local_fixture,
    reclaim_case,
    release_cases,
    resting_case,
    waiting_case,
)
from benchmarks.local_fixture import Playground
from benchmarks.report import Report
from benchmarks.table import Row
from elasticquota_operator import gc_tuning


Case = Callable[[Playground], Awaitable[Iterable[Row]]]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--turns", type=int, default=5, help="of each case; medians count")
    asked.add_argument(
        "--pod-admission", default="auto", help="who holds new pods: auto, policy or webhook"
    )
    asked.add_argument(
        "--only",
        choices=("decisions", "cluster", "releases", "reclaim", "waiting", "resting", "large"),
        help="a part of the cases",
    )
    chosen = asked.parse_args()
    gc_tuning.rest()  # as the controller does
    around = "control plane, controller and clients share the machine"
    report = Report(("beside: a bare client", ""), around)
    if chosen.only in (None, "decisions"):
        with report.case("decisions"):
            report.add(decision_cases.all_cases())
        with report.case("wait estimates"):
            report.add(estimate_cases.estimates())
    if chosen.only != "decisions":
        with report.case("a cluster"):
            asyncio.run(
                _on_a_cluster(report, chosen.pod_admission, _cases(chosen.turns, chosen.only))
            )
    report.end()


def _cases(turns: int, only: str | None) -> Mapping[str, Case]:
    parts: dict[str, dict[str, Case]] = {
        "releases": {
            **{
                str(load): partial(release_cases.releases, load=load, turns=turns)
                for load in release_cases.LOADS
            },
            "lone pods": release_cases.lone_pods,
        },
        "reclaim": {"reclaim": partial(reclaim_case.all_cases, turns=turns)},
        "waiting": {"waiting": waiting_case.all_cases},
        "resting": {"resting": resting_case.all_cases},
        "large": {"large": partial(release_cases.beside_large_pods, turns=turns)},
    }
    if only in parts:
        return parts[only]
    return {name: case for part in parts.values() for name, case in part.items()}


async def _on_a_cluster(report: Report, pod_admission: str, cases: Mapping[str, Case]) -> None:
    values = {
        "podAdmission": pod_admission,
        "controller": {"replicas": 1},
        "config": {"reclaim": {"graceSeconds": 0}},
    }
    async with local_fixture.opened(values) as ground:
        for name, case in cases.items():
            with report.case(name):
                await ground.empty()
                report.add(await case(ground))


if __name__ == "__main__":
    main()
