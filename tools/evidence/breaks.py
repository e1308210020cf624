"""One change for each row of a comparison that a test must notice, and the page that lists them.

``tests/breaks/*.toml`` has the changes; ``python -m break_each`` tries them.
"""

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from evidence import items
from evidence.items import Item


FOLDER: Final = "tests/breaks"
PAGE: Final = "docs/evidence/seeds.md"

_INTRO: Final = """# What fails without it

<!-- Written by tools/evidence: run make reference. -->

Each row that a comparison with another system calls done, one change that takes the behavior away,
and the test that fails then. `make breaks` tries every one of them: it makes the change in a copy
of the sources and runs the test, which must fail. Without the change it must pass. The changes are
in `tests/breaks/`.

"""
_TITLES: Final = {
    "koordinator": "Koordinator",
    "ack": "ACK and its job queues",
    "capacity": "Capacity scheduling",
    "yunikorn": "YuniKorn",
    "gangs": "Pod groups",
    "import": "Imports of other systems",
    "provisioning": "Nodes on request",
    "capacity_modes": "Trees that grow",
    "pools": "Pools of a tree",
    "devices": "Claimed devices",
}


class Break(NamedTuple):
    """One change, and the test that fails with it."""

    item: str
    """The row of the comparison, such as Q7."""
    says: str
    """What holds, in one sentence."""
    file: str
    """The source that is changed, below the root of the checkout."""
    old: str
    """Text that occurs once in the file."""
    new: str
    test: str
    """``path::function`` below ``tests/``."""


def read(path: Path) -> list[Break]:
    """The changes of one file; KeyError or TypeError where a field is missing or unknown."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["break"]
    return [Break(**row) for row in rows]


def by_file(root: Path) -> dict[str, list[Break]]:
    """All changes of the checkout ``root``, by the stem of their file."""
    return {path.stem: read(path) for path in sorted((root / FOLDER).glob("*.toml"))}


def missing(found: Iterable[Item], breaks: Iterable[Break], root: Path) -> list[str]:
    """The rows of the comparisons that are called done and have no change."""
    tried = {each.item for each in breaks}
    left_out = set(_left_out(root))
    return [
        item.id
        for item in found
        if item.page.startswith("compat/") and item.id not in tried and item.id not in left_out
    ]


def page(root: Path) -> str:
    """The text of the page for the checkout ``root``."""
    return _INTRO + "\n".join("".join(_section(*part)) for part in by_file(root).items())


def _section(stem: str, breaks: list[Break]) -> Iterator[str]:
    yield f"## {_TITLES.get(stem, stem)}\n\n"
    yield "| row | what holds | changed | the test that fails |\n|---|---|---|---|\n"
    for each in breaks:
        yield f"| {each.item} | {each.says} | `{each.file}` | `{each.test}` |\n"


def _left_out(root: Path) -> Iterator[str]:
    for rows in items.PAGES:
        path = root / "docs" / rows.page
        for line in path.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) > 2 and cells[2].startswith("**not**"):
                yield cells[0]
