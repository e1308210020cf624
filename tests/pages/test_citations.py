"""Every citation of a rule in code, tests and documents points to a heading or row that defines it.

docs/reference/README.md says how citations are written. In Python the finder reads comments and
docstrings, in other files the whole text.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import rule_index


TOP: Final = Path(__file__).parents[2]
DOCS: Final = TOP / "docs"
FOLDERS: Final = (
    "operator", "webhooks", "tools", "benchmarks", "tests", "docs", "charts", "crds", "examples",
)  # fmt: skip
SUFFIXES: Final = frozenset({".py", ".md", ".yaml", ".yml", ".tpl", ".toml", ".txt"})

_NUMBER: Final = r"\d+(?:\.\d+)*"
_NUMBERS: Final = rf"{_NUMBER}(?:(?:,\s+(?:and\s+)?|\s+and\s+|\s+to\s+|-){_NUMBER})*(?!\d|\.\.)"
_PART: Final = r"(?:,\s+(?P<part>case|rule)\s+(?P<number>\d+))?"
SECTION: Final = re.compile(
    rf"(?<![\w-])(?P<book>[Ss]emantics|[Aa]lgorithm|K)(?: |\n *)(?P<list>{_NUMBERS}){_PART}"
)
ITEM: Final = re.compile(
    r"(?<![\w./#%-])(?P<book>[KQCYT])(?P<first>\d{1,2}[a-z]?)"
    r"(?:(?:-|\s+to\s+)(?P=book)(?P<last>\d{1,2}))?(?!\w|\.\d)"
)
NUMBERED: Final = re.compile(
    r"(?<![\w./-])(?P<book>[AS])(?P<dash>-?)(?P<number>\d{1,2})(?!\w|\.\d)"
)
CODE: Final = re.compile(r"\b(?:EQ|EP|PD)\d{4}\b")
PAGE: Final = re.compile(r"\bdocs/[\w./-]+\.md\b")
SEED: Final = re.compile(r"\b[Ss]eeds? (?P<number>\d{3})\b")

_PROSE: Final = re.compile(r'""".*?"""|(?:#[^\n]*(?:\n *(?=#))?)+', re.DOTALL)
_NOQA: Final = re.compile(r"noqa:[\w ,]*")

HEADING: Final = re.compile(rf"#{{2,4}} (?P<id>(?:Semantics|Algorithm|K) {_NUMBER}):")
ROW: Final = re.compile(rf"\| (?P<id>K {_NUMBER}|[KQCYT]\d+[a-z]?) \|")
PART: Final = re.compile(r"\| (?P<id>(?:case|rule) \d+) \|")
LINK: Final = re.compile(r"\]\((?P<target>[^)#]+)(?:#[^)]*)?\)")


def files() -> Iterator[Path]:
    """Every text that may cite, but this file: it has citations of nothing on purpose."""
    yield from (path for path in TOP.iterdir() if path.suffix in SUFFIXES)
    for folder in FOLDERS:
        for path in sorted((TOP / folder).rglob("*")):
            if path.suffix in SUFFIXES and path != Path(__file__):
                yield path


def prose(text: str) -> str:
    """Comments and docstrings of a Python file."""
    return "\n".join(map(_bare, _PROSE.findall(text)))


def _bare(text: str) -> str:
    """One comment or docstring without the marks of linters, as one line."""
    return " ".join(_NOQA.sub("", text).replace("# ", "").split())


def cited(text: str) -> set[str]:
    """The ids that ``text`` cites, ranges written out."""
    found = {f"seed {each['number']}" for each in SEED.finditer(text)}
    found.update(CODE.findall(text))
    found.update(PAGE.findall(text))
    for each in SECTION.finditer(text):
        book = each["book"].lower() if len(each["book"]) > 1 else each["book"]
        sections = [f"{book} {number}" for number in _written_out(each["list"])]
        if each["part"]:
            sections[-1] += f", {each['part']} {each['number']}"
        found.update(sections)
    for each in ITEM.finditer(text):
        found.add(each["book"] + each["first"])
        if each["last"]:
            numbers = range(int(each["first"]), int(each["last"]) + 1)
            found.update(f"{each['book']}{number}" for number in numbers)
    for each in NUMBERED.finditer(text):
        found.add(f"{each['book']}{each['dash']}{each['number']}")
    return found


def _written_out(numbers: str) -> Iterator[str]:
    """``1.2 to 1.5`` is 1.2, 1.3, 1.4 and 1.5; a list is each of its numbers."""
    for part in re.split(r",\s+(?:and\s+)?|\s+and\s+", numbers):
        first, *rest = re.split(r"\s+to\s+|-", part)
        if not rest:
            yield first
            continue
        *above, begin = first.split(".")
        for number in range(int(begin), int(rest[0].split(".")[-1]) + 1):
            yield ".".join([*above, str(number)])


def definitions() -> list[str]:
    """Every id that a page defines, each time that it does."""
    found = [rule.code for rule in rule_index.rules()]
    found += [str(path.relative_to(TOP)) for path in DOCS.rglob("*.md")]
    for page, row in (
        (DOCS / "reliability.md", r"\| (A-\d\d) \|"),
        (DOCS / "threats.md", r"\| (S-\d\d) \|"),
        (TOP / "tests" / "seeds" / "README.md", r"\| (\d{3}) \| [A-Z]"),
    ):
        ids = re.findall(f"^{row}", page.read_text(), re.MULTILINE)
        found += [f"seed {each}" for each in dict.fromkeys(ids)] if "seeds" in str(page) else ids
    for page in sorted([*(DOCS / "reference").glob("*.md"), *(DOCS / "compat").glob("*.md")]):
        found += _defined(page.read_text())
    return found


def _defined(text: str) -> Iterator[str]:
    heading = ""
    for line in text.splitlines():
        if found := HEADING.match(line):
            heading = (
                found["id"].replace("Semantics", "semantics").replace("Algorithm", "algorithm")
            )
            yield heading
        elif found := ROW.match(line):
            yield found["id"]
        elif found := PART.match(line):
            yield f"{heading}, {found['id']}"


def unresolved(text: str) -> set[str]:
    """What ``text`` cites and no page defines."""
    return cited(text) - set(definitions())


def test_every_citation_points_to_a_heading_or_row() -> None:
    known = set(definitions())
    wrong = {
        f"{path.relative_to(TOP)}: {each}"
        for path in files()
        for text in [path.read_text()]
        for each in cited(prose(text) if path.suffix == ".py" else text) - known
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_the_finder_sees_all_kinds_of_citations_where_they_are() -> None:
    found = {
        each
        for path in files()
        for text in [path.read_text()]
        for each in cited(prose(text) if path.suffix == ".py" else text)
    }
    assert {
        "semantics 4", "algorithm 1.4", "algorithm 4.1, case 10", "K 3.5", "K 4.2, rule 7", "K13",
        "Q18", "C5", "Y14", "A-10", "S-48", "EQ1104", "PD1307", "seed 003",
    } <= found  # fmt: skip
    assert len(found) > 200


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("as semantics 2-4 say", "semantics 2|semantics 3|semantics 4"),
        ("(K 1.1-1.3)", "K 1.1|K 1.2|K 1.3"),
        ("Semantics 3, 4 and 6; algorithm 2", "semantics 3|semantics 4|semantics 6|algorithm 2"),
        ("algorithm 1.2 to 1.4", "algorithm 1.2|algorithm 1.3|algorithm 1.4"),
        ("(K 2.1, 2.2), (K 4.2, rule 7)", "K 2.1|K 2.2|K 4.2, rule 7"),
        ("Q16 to Q19; C1-C3, Y6", "Q16|Q17|Q18|Q19|C1|C2|C3|Y6"),
        ("devops 4..8; algorithm 10..14; a K80, an A100, 2026-01-02T00:00:00Z, SHA-256", "K80"),
    ],
)  # fmt: skip
def test_lists_and_ranges_are_written_out(text: str, ids: str) -> None:
    assert cited(text) == set(ids.split("|"))


@pytest.mark.parametrize(
    "text",
    [
        "K 99.9", "semantics 42", "semantics 2-42", "algorithm 1.9", "algorithm 4.1, case 99",
        "K 4.2, rule 99", "K99", "Q99", "C23", "Y28", "T18", "A-26", "A7", "S-99", "S1", "EQ9999",
        "seed 005", "docs/none.md",
    ],
)  # fmt: skip
def test_a_citation_of_nothing_is_found(text: str) -> None:
    assert unresolved(f"this follows semantics 4 ({text}).")


def test_in_python_only_comments_and_docstrings_cite() -> None:
    source = '''"""Rule K 3.5."""
text = "Q98"  # noqa: A002 - Q9
# In two lines: semantics
# 4.
'''
    assert cited(prose(source)) == {"K 3.5", "Q9", "semantics 4"}


def test_each_id_is_defined_once() -> None:
    assert [each for each, times in Counter(definitions()).items() if times > 1] == []


def test_links_of_the_reference_lead_to_files() -> None:
    style = DOCS / "contributing" / "style.md"
    pages = [*(DOCS / "reference").glob("*.md"), style, DOCS / "glossary.md"]
    dead = [
        f"{page.name}: {link['target']}"
        for page in pages
        for link in LINK.finditer(page.read_text())
        if "://" not in link["target"] and not (page.parent / link["target"]).exists()
    ]
    assert dead == []
