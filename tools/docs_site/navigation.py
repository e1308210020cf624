"""The navigation of the site, as zensical.toml has it.

Each page of ``docs/`` is listed there once. A page that is not listed, or is listed and does not
exist, fails the build.
"""

import json
import re
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final


Nested = str | dict[str, "list[Nested]"]
"""A page, or a titled list, as Zensical reads it."""

HOME: Final = "README.md"
SETTINGS: Final = Path(__file__).with_name("zensical.toml")
_FOLDER: Final = re.compile(r'"([^"]+/)\*",')
_CONTRIBUTING: Final = "Contributing"
"""The title of the pages for who changes the product: last, and not in the search."""


def settings(pages: Collection[str]) -> str:
    """The settings of Zensical for ``pages``, paths from the root of the repository."""
    text = _expanded(pages)
    listed = set(names(_entries(text)))
    if lost := sorted(listed.difference(pages)):
        raise SystemExit(f"tools/docs_site/zensical.toml: there is no {', '.join(lost)}")
    if unused := sorted(each for each in {*pages} - listed if each.startswith("docs/")):
        raise SystemExit(f"not in tools/docs_site/zensical.toml: {', '.join(unused)}")
    return text


def for_contributors(pages: Collection[str]) -> set[str]:
    """Those of ``pages`` that the search of the site leaves out."""
    return {
        name
        for entry in _entries(_expanded(pages))
        if isinstance(entry, dict)
        for name in names(entry.get(_CONTRIBUTING, []))
    }.intersection(pages)


def names(entries: list[Nested]) -> Iterator[str]:
    """The pages of a navigation, in order."""
    for each in entries:
        if isinstance(each, str):
            yield each
        else:
            for inner in each.values():
                yield from names(inner)


def _entries(text: str) -> list[Nested]:
    found: list[Nested] = tomllib.loads(text)["project"]["nav"]
    return found


def _expanded(pages: Collection[str]) -> str:
    """The settings with the pages of folders, the README of each first."""

    def inside(folder: re.Match[str]) -> str:
        found = [page for page in pages if page.startswith(folder[1])]
        found.sort(key=lambda page: (not page.endswith("README.md"), page))
        return " ".join(f"{json.dumps(page)}," for page in found)

    return _FOLDER.sub(inside, SETTINGS.read_text(encoding="utf-8"))
