"""Pages of docs/ that tell in numbered rows which test shows what, read back."""

import ast
import re
from pathlib import Path


TESTS = Path(__file__).parents[2]
DOCS = TESTS.parent / "docs"


def rows(page: str) -> dict[int, list[str]]:
    """The cells of every row that begins with a number, by that number."""
    found = {}
    for line in (DOCS / page).read_text().splitlines():
        if re.match(r"\| \d", line):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found[int(cells[0])] = cells
    return found


def named(cell: str) -> list[str]:
    """The tests in a cell that holds nothing else; each is there."""
    found = re.findall(r"`([^`]+)`", cell)
    assert found, "names no test"
    assert ", ".join(f"`{name}`" for name in found) == cell
    for name in found:
        path, _, test = name.partition("::")
        assert test.startswith("test_"), name
        assert test in functions(path), name
    return found


def functions(path: str) -> set[str]:
    """All functions of a file below tests/, methods too."""
    tree = ast.parse((TESTS / path).read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def of(path: str) -> set[str]:
    """The tests of a file, as a page names them."""
    return {f"{path}::{name}" for name in functions(path) if name.startswith("test_")}
