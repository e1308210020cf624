"""The page of labels and annotations: every key in the code, with what ``annotations.md`` says."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from elasticquota import names
from reference_pages.tables import code, table


_INTRO: Final = """# Labels, annotations and names

Every key that the product reads or writes, written out. [Annotations, labels and metrics][short]
has the same keys in short form, object by object, and says who writes them.

[short]: ../annotations.md

"""
_DOMAINS: Final = {"K": "quota.scheduling.koordinator.sh/", "E": "elasticquota.dev/"}
_KEY: Final = re.compile(r"[a-z0-9.-]+/[a-z-]+")
_PARTS: Final = re.compile(r"^## (.+)$", re.MULTILINE)


def page(root: Path) -> str:
    text = (root / "docs" / "annotations.md").read_text(encoding="utf-8")
    rows = sorted(_rows(text))
    heads = ("key", "of", "kind", "values (default first)", "meaning")
    constants = sorted(
        (code(value), code(name))
        for name, value in vars(names).items()
        if isinstance(value, str) and name.endswith("_QUOTA") and "/" not in value
    )
    return (
        f"{_INTRO}{table(heads, rows)}## Built-in quotas\n\n"
        f"{table(('name', 'constant'), constants)}"
    )


def _rows(text: str) -> Iterator[tuple[str, ...]]:
    """One for each key of a table, and for those of the code that no table has."""
    listed: set[str] = set()
    for heading, body in _pairs(text):
        part = heading.removeprefix("Of ")
        for line in body.splitlines():
            if not line.startswith("| `"):
                continue
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            kind, values, meaning = _rest(cells, part)
            for key in _keys(cells[0], part):
                if key.endswith("/"):
                    continue  # the head of a table
                listed.add(key)
                yield code(key), _objects(part), kind, values, meaning
    for key in _in_code() - listed:
        heading = next(head for head, body in _pairs(text) if key in body)
        anchor = heading.lower().replace(" ", "-").replace("'", "")
        more = f"[{heading.lower()}](../annotations.md#{anchor})"
        yield code(key), heading.removeprefix("Of "), "", "", more


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """The headings of a page, and what stands below each."""
    parts = _PARTS.split(text)
    return zip(parts[1::2], parts[2::2], strict=True)


def _rest(cells: list[str], part: str) -> tuple[str, str, str]:
    if part.startswith("Koordinator"):
        return "annotation", "written by the controller", _linked(cells[1])
    return _linked(cells[1]), _linked(cells[2]), _linked(cells[3])


def _objects(part: str) -> str:
    return "quotas" if part.startswith("Koordinator") else part


def _keys(cell: str, part: str) -> Iterator[str]:
    for short in re.findall(r"`([^`]+)`", cell):
        domain, _, key = short.partition("/")
        if domain in _DOMAINS:
            yield _DOMAINS[domain] + key
        elif part.startswith("Koordinator"):
            yield _DOMAINS["K"] + short
        else:
            yield short


def _linked(cell: str) -> str:
    """``cell`` of a page one folder up."""
    return re.sub(r"\]\((?!https?:|#)", "](../", cell)


def _in_code() -> set[str]:
    found = [
        each
        for value in vars(names).values()
        for each in (value if isinstance(value, tuple) else (value,))
    ]
    return {each for each in found if isinstance(each, str) and _KEY.fullmatch(each)}
