"""The table of docs/rules/layers.md: what happens to every example when a layer is away.

``tests/e2e/test_layers.py`` tries the examples on a real API server and compares; with ``pytest
--write-layers`` it writes what it saw into the table instead.
"""

from collections.abc import Mapping
from typing import Final

import rule_index


PAGE: Final = rule_index.FOLDER / "layers.md"
STATES: Final = ("all layers", "no schema rules", "no policies", "no webhook")
_BEGIN: Final = "<!-- The table is written by pytest --write-layers tests/e2e/test_layers.py. -->\n"
_END: Final = "<!-- end of the table -->"

Column = Mapping[str, str]
"""What happened to each example in one state, by the example's name."""


def column(page: str, state: str) -> dict[str, str]:
    """The column of ``page`` for one state; empty where there is no entry."""
    return {name: cells[STATES.index(state)] for name, cells in _table(page).items() if any(cells)}


def written(page: str, state: str, seen: Column) -> str:
    """``page`` with that column of the table as ``seen``; rows without an entry are dropped."""
    table = _table(page)
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    lines = [f"| example | {' | '.join(STATES)} |", "|---|" + "---|" * len(STATES)]
    for name in sorted(seen):
        cells = table.get(name, [""] * len(STATES))
        cells[STATES.index(state)] = seen[name]
        code = name[:6]
        link = f"[{code}]({rule_index.page_of(code)}#{code.lower()})"
        lines.append(f"| {link}{name[6:]} | {' | '.join(cells)} |")
    rows = "\n".join(lines)
    return f"{before}{_BEGIN}\n{rows}\n\n{_END}{after}"


def _table(page: str) -> dict[str, list[str]]:
    rows = page.partition(_BEGIN)[2].partition(_END)[0].splitlines()
    found = {}
    for row in rows:
        if row.startswith("| ["):
            name, *cells = (cell.strip() for cell in row.strip("|").split("|"))
            code, _, more = name[1:].partition("]")
            found[code + more.partition(")")[2]] = cells
    return found
