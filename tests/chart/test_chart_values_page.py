"""docs/contributing/chart-values.md names values that the compared charts have.

The charts are those of the Go modules at the versions that the page names.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import module_source


Values = dict[str, Any]

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs/contributing/chart-values.md").read_text(encoding="utf-8")
CERT_MANAGER: Final = ("cert_manager", "github.com/cert-manager/cert-manager")
KYVERNO: Final = ("kyverno", "github.com/kyverno/kyverno")
PROCESSES: Final = {
    "Kyverno": (
        "admissionController",
        "backgroundController",
        "cleanupController",
        "reportsController",
    ),
    "this chart": ("controller", "webhook"),
}
NO_VALUES: Final = {"null", "doctor", "--namespace", "--operator"}
"""What else stands between backticks in the table."""


def _rows() -> list[dict[str, str]]:
    lines = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line] for line in lines]
    return [dict(zip(head, row, strict=True)) for row in rows]


def _of_cert_manager() -> Values:
    """Keys of its schema as nested maps: most stand in its values as comments only."""
    chart = module_source.unpacked(*CERT_MANAGER) / "deploy/charts/cert-manager"
    schema = json.loads((chart / "values.schema.json").read_text(encoding="utf-8"))
    found: Values = {}
    for name in schema["$defs"]:
        place = found
        for key in name.removeprefix("helm-values").strip(".").split("."):
            place = place.setdefault(key, {})
    return found


def _of_kyverno() -> Values:
    chart = module_source.unpacked(*KYVERNO) / "charts/kyverno"
    found: Values = yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def charts(chart: Path) -> dict[str, Values]:
    return {
        "cert-manager": _of_cert_manager(),
        "Kyverno": _of_kyverno(),
        "this chart": yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8")),
    }


def _named(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell)) - NO_VALUES


def _missing(name: str, chart: str, values: Values) -> Iterator[str]:
    processes = PROCESSES.get(chart, ())
    paths = [name.replace("<process>", each) for each in processes] if "<" in name else [name]
    for path in paths:
        place: Any = values
        for key in path.removesuffix(".*").split("."):
            if not isinstance(place, dict) or key not in place:
                yield f"{chart}: {path}"
                break
            place = place[key]


@pytest.mark.long  # reads the modules of both projects
def test_every_value_of_the_table_is_one_of_its_chart(charts: dict[str, Values]) -> None:
    named = [(each, chart) for row in _rows() for chart in charts for each in _named(row[chart])]
    assert len(named) > 50
    assert [at for name, chart in named for at in _missing(name, chart, charts[chart])] == []


@pytest.mark.parametrize(
    ("project", "module"), [("cert-manager", CERT_MANAGER), ("Kyverno", KYVERNO)]
)
def test_the_page_names_the_versions_that_were_read(project: str, module: tuple[str, str]) -> None:
    assert f"{project} {module_source.version(*module)}" in PAGE


@pytest.mark.long  # reads the modules of both projects
def test_a_value_of_both_charts_is_one_of_ours_or_in_the_table(charts: dict[str, Values]) -> None:
    """Of what they call the same below ``global`` and at the top."""
    there = {each for row in _rows() for each in _named(row["cert-manager"])}
    theirs, others, ours = charts["cert-manager"], charts["Kyverno"], charts["this chart"]
    shared = {key for key in theirs if key in others and key not in ("global", "webhook")}
    shared |= {f"global.{key}" for key in theirs["global"] if key in others["global"]}
    assert len(shared) > 5
    known = {each.removesuffix(".*") for each in there}
    known |= {*ours, *(f"global.{key}" for key in ours["global"])}
    assert shared <= known
