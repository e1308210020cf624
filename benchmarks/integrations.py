"""Measures how fast external objects become quotas: ``make bench-dialects``.

All numbers are of this run on this machine; compare only numbers of the same run.
"""

from benchmarks import integration_cases
from benchmarks.report import Report
from elasticquota_operator import gc_tuning


def main() -> None:
    gc_tuning.rest()  # as the controller does
    report = Report(("", ""))
    with report.case("external objects"):
        report.add(integration_cases.all_cases())
    report.end()


if __name__ == "__main__":
    main()
