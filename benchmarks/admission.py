"""Measures how fast reviews are answered, beside Kopf's own server: ``make bench-admission``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

import argparse
from collections.abc import Iterator

from benchmarks import hostile_cases, hostile_connections, webhook_cases
from benchmarks.report import Report
from benchmarks.table import Row


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--reviews", type=int, default=1_000_000, help="of the memory case; 0: none")
    asked.add_argument("--cluster", action="store_true", help="pods through a real API server too")
    asked.add_argument("--only", choices=("bursts",), help="a part of the cases")
    chosen = asked.parse_args()
    around = "the server has one core, its clients the other"
    report = Report(("beside: Kopf's server, or none", ""), around)
    for name, rows in _cases(chosen):
        with report.case(name):
            report.add(rows)
    report.end()


def _cases(chosen: argparse.Namespace) -> Iterator[tuple[str, Iterator[Row]]]:
    if not chosen.only:
        yield "reviews", webhook_cases.all_cases()
        yield "hostile reviews", hostile_cases.all_cases()
        yield "hostile connections", hostile_connections.all_cases()
    yield "bursts", webhook_cases.bursts()
    if chosen.only:
        return
    if chosen.reviews:
        yield "memory", webhook_cases.memory(chosen.reviews)
    if chosen.cluster:
        from benchmarks import pod_creation  # noqa: PLC0415 - needs what the control plane needs

        yield "pods", pod_creation.all_cases()


if __name__ == "__main__":
    main()
