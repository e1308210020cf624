"""docs/threats.md tells of every threat, and every test that it names is there."""

import ast
import re
from pathlib import Path

import pytest


TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "threats.md"
WHERE = {"API", "schema", "policy", "webhook", "controller", "command line"}

ROWS = {
    cells[0]: cells
    for line in PAGE.read_text().splitlines()
    if re.match(r"\| S-\d", line)
    for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
}


def _tests(path: str) -> set[str]:
    tree = ast.parse((TESTS / path).read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, functions)}


def _threat(test: str) -> str:
    """The threat that a test is named after; empty for the others."""
    found = re.match(r"test_s(\d\d)_", test)
    return f"S-{found[1]}" if found else ""


def test_every_threat_has_a_row() -> None:
    assert list(ROWS) == [f"S-{number:02}" for number in range(1, len(ROWS) + 1)]


@pytest.mark.parametrize("threat", ROWS)
def test_it_says_where_it_holds_and_which_test_tries_it_or_that_it_is_open(threat: str) -> None:
    _, what, defence, where, tests = ROWS[threat]
    assert what
    assert defence
    assert set(filter(None, where.split(", "))) <= WHERE
    named = re.findall(r"`([^`]+)`", tests)
    assert named or "**open" in defence or "there is no" in defence
    for name in named:
        path, _, test = name.partition("::")
        if test:
            assert test in _tests(path), name
        else:
            assert threat in {_threat(found) for found in _tests(path)}, name


def test_every_test_that_is_named_after_a_threat_is_in_its_row() -> None:
    for path in sorted(TESTS.glob("e2e/**/test_threats*.py")):
        name = path.relative_to(TESTS).as_posix()
        for threat in {_threat(test) for test in _tests(name)} - {""}:
            assert f"`{name}`" in ROWS[threat][4], (threat, name)


def test_what_is_open_is_reported_below() -> None:
    told = PAGE.read_text().partition("## What is open")[2]
    for threat, row in ROWS.items():
        if "**open" in row[2]:
            assert threat in told, threat
