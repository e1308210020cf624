"""docs/slo.md: each level has an objective, a measured figure, an alert and expressions."""

import re
from pathlib import Path

import pytest

import page_blocks
from reference_pages import alerts


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/slo.md").read_text(encoding="utf-8")
MEASURED = (ROOT / "benchmarks/README.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| [")
]
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
NAMES = {each.name for each in alerts.ALERTS}
CERTIFICATE = "the certificate is valid"


def title(row: list[str]) -> str:
    return row[0].partition("]")[0].strip("[ ")


def linked(text: str) -> set[str]:
    found = set(re.findall(r"\(runbooks/README\.md#(\w+)\)", text))
    return {name for name in NAMES if name.lower() in found}


def test_each_level_has_a_section_in_their_order() -> None:
    assert [title(row).lower() for row in ROWS] == [name.lower() for name in SECTIONS]
    assert len(ROWS) == 6


@pytest.mark.parametrize("row", ROWS, ids=title)
def test_a_level_has_an_objective_an_alert_that_exists_and_an_expression(row: list[str]) -> None:
    _, objective, measured, watched = row
    assert objective
    assert measured
    assert linked(watched)
    assert linked(watched) <= NAMES
    section = {name.lower(): text for name, text in SECTIONS.items()}[title(row).lower()]
    assert page_blocks.of(section, "promql")


@pytest.mark.parametrize("row", [row for row in ROWS if title(row) != CERTIFICATE], ids=title)
def test_measured_figures_are_those_of_the_benchmarks(row: list[str]) -> None:
    figures = re.findall(r"\d+(?:\.\d+)?(?= m?s\b)", row[2])
    assert figures
    for figure in figures:
        assert re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.]\d)", MEASURED), figure


def test_every_alert_is_named_with_a_level_or_said_to_have_none() -> None:
    assert linked(PAGE) == NAMES
