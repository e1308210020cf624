"""docs/threats.md says which layer prevents each threat, and tells at its end what is open."""

import re
from pathlib import Path

import pytest


PAGE = (Path(__file__).parents[2] / "docs" / "threats.md").read_text(encoding="utf-8")
WHERE = {"API", "schema", "policy", "webhook", "controller", "command line"}
ROWS = {
    cells[0]: cells
    for line in PAGE.splitlines()
    if re.match(r"\| S-\d", line)
    for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
}


def test_threats_are_numbered_without_a_gap() -> None:
    assert list(ROWS) == [f"S-{number:02}" for number in range(1, len(ROWS) + 1)]


@pytest.mark.parametrize("threat", ROWS)
def test_a_row_names_layers_that_there_are(threat: str) -> None:
    assert set(filter(None, ROWS[threat][3].split(", "))) <= WHERE


def test_what_is_open_is_reported_below() -> None:
    told = PAGE.partition("## What is open")[2]
    assert [
        threat for threat, row in ROWS.items() if "**open" in row[2] and threat not in told
    ] == []
