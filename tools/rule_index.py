"""Writes the table of docs/rules/README.md from the pages of the rules and the table of profiles.

    PYTHONPATH=operator:tools python -m rule_index

A test compares the page with what this program would write.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from elasticquota.validation import severity


FOLDER: Final = Path(__file__).parents[1] / "docs" / "rules"
_BEGIN: Final = "<!-- The table is written by tools/rule_index.py. -->\n"
_END: Final = "<!-- end of the table -->"
_HEADING: Final = re.compile(r"# ([A-Z]{2}\d{4}): (.+)\n\nHeld by: (.+)\.\n")


_WARNED: Final = frozenset({"PD1309", "PD1310"})
"""Rules of policies that only warn unless a value of the chart changes that."""


def pages() -> list[Path]:
    """The pages of the rules, ordered by code."""
    return sorted(FOLDER.glob("[A-Z][A-Z][0-9][0-9][0-9][0-9].md"))


def written(readme: str) -> str:
    """``readme`` with its table written again."""
    before, _, rest = readme.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{''.join(_rows())}\n{_END}{after}"


def _rows() -> Iterator[str]:
    yield f"| code | rule | held by | {' | '.join(severity.PROFILES)} |\n"
    yield f"|---|---|---|{'---|' * len(severity.PROFILES)}\n"
    for page in pages():
        heading = _HEADING.match(page.read_text(encoding="utf-8"))
        if heading is None or heading[1] != page.stem:
            raise SystemExit(f"{page}: must begin with '# {page.stem}: title' and 'Held by: ...'")
        code, title, layer = heading.groups()
        yield f"| [{code}]({code}.md) | {title} | {layer} | {_levels(code)} |\n"
        for rule in severity.TABLE:
            if rule.startswith(f"{code}-"):
                yield f"| | `{rule}` | | {_levels(rule)} |\n"


def _levels(rule: str) -> str:
    """The level of a rule; the policy's where no webhook checks the rule."""
    row = severity.TABLE.get(rule)
    of_policy = "warn" if rule in _WARNED else "deny"
    return " | ".join(of_policy if row is None else row[each] for each in severity.PROFILES)


if __name__ == "__main__":
    README = FOLDER / "README.md"
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
