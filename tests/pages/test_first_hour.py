"""The questions of the first hour in CONTRIBUTING.md lead to what they name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest


ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def rows() -> Iterator[tuple[str, str]]:
    """Question and answer of each row."""
    section = PAGE.partition("## Questions of the first hour")[2].partition("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith("| question"):
            question, answer = (cell.strip() for cell in line.strip("|").split("|"))
            yield question, answer


def names(path: Path) -> set[str]:
    """What a module defines: classes, functions, constants, and the methods of its classes."""
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
            found |= {node.name, *(f"{node.name}.{each.name}" for each in methods)}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def test_seven_questions_are_answered() -> None:
    assert len([*rows()]) == 7


@pytest.mark.parametrize(("question", "answer"), [*rows()])
def test_each_answer_names_a_file_and_what_is_in_it(question: str, answer: str) -> None:
    pointers = re.findall(r"`([\w/]+\.py)`: ((?:`[\w.]+`(?:, )?)+)", answer)
    assert pointers, question
    for path, listed in pointers:
        there = names(ROOT / "operator" / path)
        assert {*re.findall(r"`([\w.]+)`", listed)} <= there, (question, path)


@pytest.mark.parametrize("package", ["elasticquota", "elasticquota_operator"])
def test_the_map_names_every_folder_of_a_package(package: str) -> None:
    """In the row of the package, or in one of those below it."""
    below = PAGE.partition(f"| `operator/{package}/` |")[2].partition("| `operator/")[0]
    folders = {path.parent.name for path in (ROOT / "operator" / package).glob("*/__init__.py")}
    assert len(folders) > 5
    assert {each for each in folders if not re.search(rf"`(… )?{each}/?`", below)} == set()
