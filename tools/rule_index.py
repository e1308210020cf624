"""The rules as their pages have them, and the table of docs/rules/README.md."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from elasticquota.validation import severity
from reference_pages.tables import MARK, inserted, table


FOLDER: Final = Path(__file__).parents[1] / "docs" / "rules"
README: Final = FOLDER / "README.md"
PAGES: Final = ("profiles.md", "quotas.md", "pods.md")
"""The pages of the rules; each rule is a section that begins with its title and who holds it."""
_SECTION: Final = re.compile(r"^## (?=[A-Z]{2}\d{4}\n)", re.MULTILINE)
_HEADING: Final = re.compile(r"([A-Z]{2}\d{4})\n\n\*\*(.+)\.\*\* Held by: (.+)\.\n")


_WARNED: Final = frozenset({"PD1309", "PD1310"})
"""Rules of policies that only warn unless a value of the chart changes that."""


class Rule(NamedTuple):
    """What the pages say of one rule."""

    code: str
    title: str
    held_by: str
    text: str
    """The section, without its heading's marks."""
    page: str
    """The file of the page."""

    def link(self) -> str:
        """The code as a link from another page of the folder."""
        return f"[{self.code}]({self.page}#{self.code.lower()})"


def rules() -> list[Rule]:
    """All rules, ordered by code; ends the program where a section has another form."""
    found = []
    for page in PAGES:
        _, *sections = _SECTION.split((FOLDER / page).read_text(encoding="utf-8"))
        for text in sections:
            heading = _HEADING.match(text)
            if heading is None:
                raise SystemExit(f"{page}: '## CODE', then '**Title.** Held by: ...': {text[:60]}")
            code, title, held_by = heading.groups()
            found.append(Rule(code, title, held_by, text, page))
    return sorted(found)


def page_of(code: str) -> str:
    """The page that has a rule; the first two letters of a code say what it is about."""
    return {"EP": "profiles.md", "EQ": "quotas.md", "PD": "pods.md"}[code[:2]]


def written(readme: str) -> str:
    """``readme`` with its table written again."""
    heads = ("code", "rule", "held by", severity.PROFILES[0], "other profiles")
    return inserted(readme, MARK, table(heads, _rows()))


def _rows() -> Iterator[tuple[str, ...]]:
    for each in rules():
        yield each.link(), each.title, each.held_by, *_levels(each.code)
        for rule in severity.TABLE:
            if rule.startswith(f"{each.code}-"):
                yield "", f"`{rule}`", "", *_levels(rule)


def _levels(rule: str) -> tuple[str, str]:
    """The level of a rule in the default profile, and in the profiles where it is another.

    It is the policy's where no webhook checks the rule.
    """
    row = severity.TABLE.get(rule)
    if row is None:
        return ("warn" if rule in _WARNED else "deny"), ""
    usual = row[severity.PROFILES[0]]
    others = {
        level: ", ".join(f"`{each}`" for each in row if row[each] == level)
        for level in severity.LEVELS
        if level != usual
    }
    return usual, "; ".join(f"{level} in {names}" for level, names in others.items() if names)
