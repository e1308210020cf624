"""The nightly workflow runs on each Kubernetes that is built and on each declared Python, and asks
whether each grant of the chart is used.
"""

import re
import tomllib
from pathlib import Path

import yaml

from local_cluster import build


ROOT = Path(__file__).parents[2]
JOBS = yaml.safe_load((ROOT / ".github/workflows/nightly.yaml").read_text())["jobs"]


def test_the_cluster_tests_run_on_each_version_of_kubernetes_that_is_built() -> None:
    assert JOBS["kubernetes"]["strategy"]["matrix"]["minor"] == [*build.BY_MINOR]
    for minor, recipe in build.BY_MINOR.items():
        assert recipe.kubernetes.startswith(f"{minor}.")


def test_one_run_of_all_cluster_tests_uses_each_grant_of_the_chart() -> None:
    assert JOBS["grants"]["steps"][-1] == {"run": "make test-grants"}


def test_the_fast_tests_run_on_each_declared_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert {*declared} <= {*JOBS["python"]["strategy"]["matrix"]["version"]}
