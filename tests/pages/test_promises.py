"""Every test and every passage that promises.toml names exists, and no row lacks a test."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from docs_site import navigation


TESTS: Final = Path(__file__).parents[1]
ROOT: Final = TESTS.parent
PROMISES: Final[Mapping[str, Mapping[str, list[str]]]] = tomllib.loads(
    Path(__file__).with_name("promises.toml").read_text(encoding="utf-8")
)
OPEN: Final = ("**open**", "**not tried**", "**not done**")
"""What a row says that has no test."""

_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_OF_A_TEST: Final = re.compile(r"\bpytest\b|\btest_\w+\.py\b")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def sections(page: str) -> dict[str, str]:
    """The text of each section without its subsections, by its anchor; links by their words."""
    found: dict[str, list[str]] = {}
    anchor, code = "", False
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        code ^= line.startswith("```")
        if line.startswith("#") and not code:
            title = _LINK.sub(r"\1", line.lstrip("# ")).lower()
            anchor = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        found.setdefault(anchor, []).append(_LINK.sub(r"\1", line))
    return {name: "\n".join(lines) for name, lines in found.items()}


def section(place: str) -> str:
    """The text at ``page#anchor``; empty: there is no such page or section."""
    page, _, anchor = place.partition("#")
    return sections(page).get(anchor, "") if (ROOT / page).exists() else ""


def numbered(text: str) -> Iterator[tuple[str, str]]:
    """The rows of a table that begin with a number or a number after letters: id and line."""
    for line in text.splitlines():
        if found := re.match(r"\| ((?:[A-Z]{1,2}-?)?\d+[a-z]?) \|", line):
            yield found[1], line


@cache
def functions(path: str) -> set[str]:
    """The functions of a file below tests/, methods too."""
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)}


def exists(test: str) -> bool:
    """Whether a test is there: a function ``path::name``, a file or a folder below tests/."""
    path, _, name = test.partition("::")
    return (TESTS / path).exists() and (not name or name in functions(path))


def test_every_test_that_is_named_exists() -> None:
    named = {
        test for promises in PROMISES.values() for tests in promises.values() for test in tests
    }
    assert sorted(test for test in named if not exists(test)) == []


def test_every_promise_stands_where_it_is_said_to_stand() -> None:
    missing = [
        f"{place}: {promise}"
        for place, promises in PROMISES.items()
        for text in [" ".join(section(place).split())]
        for promise in promises
        if not re.search(rf"(?<![\w#-]){re.escape(promise)}(?![\w-])", text)
    ]
    assert missing == []


def test_every_promise_and_every_numbered_row_beside_one_has_a_test_or_says_that_it_is_open() -> (
    None
):
    bare = [
        f"{place}: {promise}"
        for place, promises in PROMISES.items()
        for promise, line in [*numbered(section(place)), *((each, "") for each in promises)]
        if not promises.get(promise) and not any(word in line for word in OPEN)
    ]
    assert bare == []


def test_no_page_names_a_test() -> None:
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "decisions"]
    naming = [path.name for path in pages if ".py::" in path.read_text(encoding="utf-8")]
    assert naming == []


def test_no_page_for_users_names_a_file_of_tests_or_how_to_run_it() -> None:
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    pages += [navigation.HOME, "CONTRIBUTING.md"]
    for_users = {*pages} - navigation.for_contributors(pages)
    shown = {page: _COMMENT.sub("", (ROOT / page).read_text("utf-8")) for page in for_users}
    assert [page for page, text in shown.items() if _OF_A_TEST.search(text)] == []
