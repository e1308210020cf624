"""docs/webhook-practices.md tells of all 32 practices, and every test that it names is there."""

import ast
import re
from pathlib import Path

import pytest


TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "webhook-practices.md"

ROWS = {
    int(cells[0]): cells
    for line in PAGE.read_text().splitlines()
    if re.match(r"\| \d", line)
    for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
}


def _tests(path: str) -> set[str]:
    tree = ast.parse((TESTS / path).read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, functions)}


def test_every_practice_has_a_row() -> None:
    assert list(ROWS) == list(range(1, 33))


@pytest.mark.parametrize("number", ROWS)
def test_it_says_what_we_do_and_names_tests_that_exist(number: int) -> None:
    _, recommendation, ours, named = ROWS[number]
    assert recommendation
    assert ours
    found = re.findall(r"`([^`]+)`", named)
    assert found
    assert ", ".join(f"`{name}`" for name in found) == named
    for name in found:
        path, _, test = name.partition("::")
        assert test.startswith("test_"), name
        assert test in _tests(path), name


def test_every_check_of_the_practices_is_named() -> None:
    for path in ("chart/test_practices.py", "admission/test_practices.py"):
        named = {f"{path}::{test}" for test in _tests(path) if test.startswith("test_")}
        told = {name for row in ROWS.values() for name in re.findall(r"`([^`]+)`", row[3])}
        assert named <= told, named - told
