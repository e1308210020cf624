"""The numbered behaviors: an id, one line that says it, and the tests that hold it.

Faults (A), threats (S) and the facts of other systems (K, T, Q, C, Y) are rows of pages that name
their tests. A rule has a page, and its tests are those that name its code.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from evidence import cases
from evidence.cases import Cases


class Item(NamedTuple):
    """One behavior. ``page`` is its path below docs/."""

    id: str
    page: str
    text: str
    tests: tuple[str, ...]


class _Rows(NamedTuple):
    """A page whose rows are behaviors: the column of its text and that of its tests."""

    page: str
    ids: str
    tests: int


FAULTS: Final = _Rows("reliability.md", r"A-\d\d", 3)
PAGES: Final = (
    FAULTS,
    _Rows("threats.md", r"S-\d\d", 4),
    _Rows("compat/koordinator.md", r"[KT]\d+a?", 3),
    _Rows("compat/ack.md", r"Q\d+", 3),
    _Rows("compat/capacity-scheduling.md", r"C\d+", 3),
    _Rows("compat/yunikorn.md", r"Y\d+", 3),
)
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_HEADING: Final = re.compile(r"# ([A-Z]{2}\d{4}): (.+)")


def read(root: Path, tests: Cases) -> list[Item]:
    """All behaviors of the checkout ``root``, page by page."""
    found = [item for rows in PAGES for item in _rows(root / "docs", rows, tests)]
    return [*found, *_rules(root / "docs", tests)]


def _rows(docs: Path, rows: _Rows, tests: Cases) -> Iterator[Item]:
    path = docs / rows.page
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.match(rf"\| {rows.ids} \|", line):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            named = cases.cited(tests, cells[rows.tests], cells[0])
            yield Item(cells[0], rows.page, _LINK.sub(r"\1", cells[1]), tuple(named))


def _rules(docs: Path, tests: Cases) -> Iterator[Item]:
    for path in sorted((docs / "rules").glob("[A-Z][A-Z][0-9]*.md")):
        heading = _HEADING.match(path.read_text(encoding="utf-8"))
        if heading is None:
            raise SystemExit(f"{path}: must begin with '# {path.stem}: title'")
        named = tuple(cases.naming(tests, path.stem))
        yield Item(path.stem, f"rules/{path.name}", heading[2], named)
