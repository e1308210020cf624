"""docs/kubernetes-versions.md names the versions that the tests run."""

import re
import tomllib
from pathlib import Path

import yaml

from local_cluster import build


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/kubernetes-versions.md").read_text(encoding="utf-8")
ROWS = {
    cells[0]: cells
    for line in PAGE.partition("## Matrix")[2].partition("\n## ")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| what ")
    for cells in [[cell.strip() for cell in line.strip().strip("|").split(" | ")]]
}
TESTED = 1


def test_each_row_says_what_is_tested() -> None:
    assert len(ROWS) > 15
    assert all(cells[TESTED] for cells in ROWS.values())


def test_servers_and_kubectl_are_those_that_are_built() -> None:
    for recipe in (build.NEWEST, build.OLDEST):
        assert recipe.kubernetes in ROWS["Kubernetes servers"][TESTED]
        assert recipe.kubernetes in ROWS["`kubectl`"][TESTED]


def test_helm_is_the_one_that_is_built() -> None:
    modules = (build.TOOLS / "go.mod").read_text(encoding="utf-8")
    (version,) = re.findall(r"helm\.sh/helm/v4 v([\d.]+)", modules)
    assert ROWS["Helm"][TESTED].startswith(version)


def test_what_the_chart_refuses_is_what_the_page_says() -> None:
    chart = yaml.safe_load((ROOT / "charts/elastic-quota-operator/Chart.yaml").read_text())
    oldest = ".".join(build.OLDEST.kubernetes.split(".")[:2])
    assert chart["kubeVersion"] == f">={oldest}.0-0"
    assert f"before {oldest}: the chart refuses it" in ROWS["Kubernetes servers"][-1]


def test_the_versions_of_python_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    row = ROWS["Python of the command line"]
    assert all(version in row[TESTED] for version in declared)
    assert "3.12.0 to 3.12.3" in row[-1]
    assert all(f"!=3.12.{patch}" in project["requires-python"] for patch in range(4))
