"""The test functions of a checkout, read from their source: no test is imported or run."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final


_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)

Cases = dict[str, str]
"""The source of each test function, decorators too, by its name ``path::function``."""


def read(root: Path) -> Cases:
    """The tests of the checkout ``root``; paths are relative to its folder ``tests``."""
    tests = root / "tests"
    return {
        f"{path.relative_to(tests).as_posix()}::{name}": source
        for path in sorted(tests.rglob("test_*.py"))
        for name, source in _functions(path.read_text(encoding="utf-8"))
    }


def naming(cases: Cases, code: str) -> list[str]:
    """The tests whose source names ``code``, such as ``EQ1104``, except those of documents."""
    return [
        name
        for name, source in cases.items()
        if code in source and not name.startswith(("pages/", "tools/"))
    ]


def cited(cases: Cases, cell: str, item: str) -> list[str]:
    """The tests that a cell of a page names, in its order.

    A cell may name a file alone; that stands for its tests ``test_s05_...`` of the ``item`` S-05.
    """
    found: list[str] = []
    for name in (part for part in cell.split("`")[1::2] if ".py" in part):
        if "::" in name:
            found.append(name)
        else:
            start = f"{name}::test_{item.lower().replace('-', '')}_"
            found += [case for case in cases if case.startswith(start)]
    return found


def _functions(text: str) -> Iterator[tuple[str, str]]:
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, _FUNCTIONS) and node.name.startswith("test_"):
            first = min(each.lineno for each in (node, *node.decorator_list))
            yield node.name, "\n".join(lines[first - 1 : node.end_lineno])
