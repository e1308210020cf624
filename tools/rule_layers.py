"""The table of docs/rules/layers.md: what happens to every example when a layer is away.

``tests/e2e/test_layers.py`` tries the examples on a real API server and compares; with ``pytest
--write-layers`` it writes what it saw into the table instead.
"""

from collections.abc import Mapping
from typing import Final

import rule_index
from reference_pages.tables import between, inserted, table


PAGE: Final = rule_index.FOLDER / "layers.md"
STATES: Final = ("all layers", "no schema rules", "no policies", "no webhook")
_MARK: Final = "<!-- The table is written by pytest --write-layers tests/e2e/test_layers.py. -->"

Column = Mapping[str, str]
"""What happened to each example in one state, by the example's name."""


def column(page: str, state: str) -> dict[str, str]:
    """The column of ``page`` for one state; empty where there is no entry."""
    return {name: cells[STATES.index(state)] for name, cells in _table(page).items() if any(cells)}


def written(page: str, state: str, seen: Column) -> str:
    """``page`` with that column of the table as ``seen``; rows without an entry are dropped."""
    found = _table(page)
    rows = []
    for name in sorted(seen):
        cells = found.get(name, [""] * len(STATES))
        cells[STATES.index(state)] = seen[name]
        code = name[:6]
        link = f"[{code}]({rule_index.page_of(code)}#{code.lower()})"
        rows.append((f"{link}{name[6:]}", *cells))
    return inserted(page, _MARK, table(("example", *STATES), rows))


def _table(page: str) -> dict[str, list[str]]:
    found = {}
    for row in between(page, _MARK).splitlines():
        if row.startswith("| ["):
            name, *cells = (cell.strip() for cell in row.strip("|").split("|"))
            code, _, more = name[1:].partition("]")
            found[code + more.partition(")")[2]] = cells
    return found
