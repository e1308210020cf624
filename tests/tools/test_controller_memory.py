"""The memory of the controller follows from the size of its cluster, as a page says, and so does
the limit of the chart.
"""

import pathlib
import re
import sys

import pytest
import yaml


sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))  # the benchmarks are no part of it

from benchmarks import controller_memory


ROOT = pathlib.Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "how-to" / "operate.md").read_text().split())


@pytest.mark.parametrize(
    ("pods", "quotas", "most"),
    [(5_000, 0, 137), (20_000, 1_000, 172), (50_000, 2_000, 318), (100_000, 10_000, 638)],
)
def test_what_was_measured_is_within_it(pods: int, quotas: int, most: int) -> None:
    """Figures of benchmarks/README.md; those of 50,000 and 100,000 are after bursts."""
    measured = (ROOT / "benchmarks" / "README.md").read_text()
    assert f"{most} MiB" in measured.replace("*", "")
    assert most <= controller_memory.mebibytes(pods, quotas)


def test_the_page_says_how_it_is_computed() -> None:
    assert (
        f"{controller_memory.BASE} MiB, and {controller_memory.FOR_1000_PODS} MiB for each 1,000 "
        f"pods and {controller_memory.FOR_1000_QUOTAS} MiB for each 1,000 quotas"
    ) in PAGE


def test_the_limit_of_the_chart_is_enough_for_the_cluster_that_the_page_names() -> None:
    values = yaml.safe_load((ROOT / "charts/elastic-quota-operator/values.yaml").read_text())
    limit = values["controller"]["resources"]["limits"]["memory"]
    (named,) = re.findall(r"`(\w+)` is enough for ([\d,]+) pods and ([\d,]+) quotas", PAGE)
    pods, quotas = (int(number.replace(",", "")) for number in named[1:])
    assert named[0] == limit
    assert controller_memory.mebibytes(pods, quotas) <= int(limit.removesuffix("Mi"))
