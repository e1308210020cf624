"""The page docs/evidence/behaviours.md: each behavior, its tests now, and its tests before."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from evidence import cases, items
from evidence.items import Item


PAGE: Final = "docs/evidence/behaviours.md"
BEFORE: Final = "docs/evidence/behaviours-before.tsv"
Before = dict[str, list[str]]
"""The tests that held an item at commit 19b205b, by its id."""

_KINDS: Final = (
    ("A", "Faults", "[reliability](../reliability.md)"),
    ("S", "Threats", "[threats](../threats.md)"),
    ("K", "Koordinator's features", "[compared with Koordinator](../compat/koordinator.md)"),
    (
        "T",
        "Koordinator's multi-tree quota",
        "[compared with Koordinator](../compat/koordinator.md)",
    ),
    ("Q", "ACK", "[compared with ACK](../compat/ack.md)"),
    ("C", "Capacity scheduling", "[compared with it](../compat/capacity-scheduling.md)"),
    ("Y", "YuniKorn", "[compared with YuniKorn](../compat/yunikorn.md)"),
    ("E", "Rules about quotas and profiles", "[rules](../rules/README.md)"),
    ("P", "Rules about pods", "[rules](../rules/README.md)"),
)
_INTRO: Final = """# Behaviors and their tests

<!-- Written by tools/evidence: run make reference. -->

Every numbered behavior with the tests that hold it now, and those that held it at commit 19b205b,
before the redesign of 2026-11-24. Tests are below `tests/`. `tests/pages/test_behaviors_page.py`
fails when a test of today does not exist.

* Faults, threats and compared features: the tests that their page names. Where a page names only a
  file, its tests of that number.
* Rules: the tests whose source names the code; not those that read documents.
* Before: the same, read from the pages and tests of that commit ([data](behaviours-before.tsv)).
  Koordinator's features had no page then; for them it is the same test under its former name,
  found by comparing sources.

"""


def page(root: Path) -> str:
    """The text of the page for the checkout ``root``."""
    found = items.read(root, cases.read(root))
    before = read_before((root / BEFORE).read_text(encoding="utf-8"))
    return f"{_INTRO}{''.join(_summary(found, before))}{''.join(_sections(found, before))}"


def read_before(text: str) -> Before:
    """The rows ``id<tab>test`` of the stored data; an id without a test has an empty one."""
    found: Before = {}
    for line in text.splitlines():
        item, _, test = line.partition("\t")
        found.setdefault(item, []).extend([test] if test else [])
    return found


def _summary(found: Sequence[Item], before: Before) -> Iterator[str]:
    gaps = [item for item in found if not item.tests]
    yield f"## Without a test: {len(gaps)} of {len(found)}\n\n"
    yield from (f"* {_link(item)}: {item.text}\n" for item in gaps)
    lost = [item for item in found if before.get(item.id) and not item.tests]
    yield (
        "\nNone of them had a test before.\n"
        if not lost
        else (f"\n**Had a test before**: {', '.join(item.id for item in lost)}.\n")
    )
    fewer = [
        f"{_link(item)} ({len(before[item.id])} to {len(item.tests)})"
        for item in found
        if len(item.tests) < len(before.get(item.id, ()))
    ]
    yield f"\nFewer tests than before: {', '.join(fewer) or 'no item'}.\n\n"
    yield "| | items | tests now | tests before | defined in |\n|---|---|---|---|---|\n"
    for letter, title, where in _KINDS:
        kind = _of(found, letter)
        now = {test for item in kind for test in item.tests}
        then = {test for item in kind for test in before.get(item.id, ())}
        yield f"| {title} | {len(kind)} | {len(now)} | {len(then)} | {where} |\n"
    every = {test for item in found for test in item.tests}
    former = {test for tests in before.values() for test in tests}
    yield f"| all | {len(found)} | {len(every)} | {len(former)} | |\n"


def _sections(found: Sequence[Item], before: Before) -> Iterator[str]:
    for letter, title, _ in _KINDS:
        yield f"\n## {title}\n\n| id | behavior | tests now | tests before |\n|---|---|---|---|\n"
        for item in _of(found, letter):
            then = _listed(before.get(item.id, ()))
            yield f"| {_link(item)} | {item.text} | {_listed(item.tests)} | {then} |\n"


def _of(found: Sequence[Item], letter: str) -> list[Item]:
    return [item for item in found if item.id.startswith(letter)]


def _link(item: Item) -> str:
    return f"[{item.id}](../{item.page})"


def _listed(tests: Iterable[str]) -> str:
    return ", ".join(f"`{test}`" for test in tests) or "none"
