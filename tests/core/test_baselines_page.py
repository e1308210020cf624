"""docs/baselines.md has every line of what was met elsewhere, and the tests it names are there."""

import ast
import re
from pathlib import Path

import pytest


TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "baselines.md"
OWN = "cluster/test_baselines.py"

ROWS = {
    int(cells[0]): cells
    for line in PAGE.read_text().splitlines()
    if re.match(r"\| \d", line)
    for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
}


def _tests(path: str) -> set[str]:
    tree = ast.parse((TESTS / path).read_text())
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _named(number: int) -> list[str]:
    return re.findall(r"`([^`]+)`", ROWS[number][3])


def test_all_lines_are_there_in_order() -> None:
    assert list(ROWS) == list(range(1, 12))


@pytest.mark.parametrize("number", ROWS)
def test_each_says_what_was_met_and_what_we_do_and_names_tests_that_exist(number: int) -> None:
    _, met, ours, tests = ROWS[number]
    assert met
    assert ours
    assert _named(number)
    assert ", ".join(f"`{name}`" for name in _named(number)) == tests
    for name in _named(number):
        path, _, test = name.partition("::")
        assert test.startswith("test_"), name
        assert test in _tests(path), name


def test_what_was_written_for_the_page_is_on_it() -> None:
    told = {name for number in ROWS for name in _named(number)}
    assert {f"{OWN}::{test}" for test in _tests(OWN) if test.startswith("test_")} <= told
