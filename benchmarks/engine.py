"""Measures speed and memory of the engine, beside the usual method: ``make bench``.

All numbers are medians of this run on this machine; compare only numbers of the same run.
"""

from benchmarks import cluster_cases, tree_cases
from benchmarks.cluster_lists import Cluster
from benchmarks.report import Report


def main() -> None:
    cluster = Cluster()
    report = Report(around="other work makes times longer than they need be")
    with report.case("trees"):
        report.add(tree_cases.all_cases())
    with report.case("a cluster"):
        report.add(cluster_cases.ingest(cluster))
        report.add(cluster_cases.start(cluster))
    report.end()


if __name__ == "__main__":
    main()
