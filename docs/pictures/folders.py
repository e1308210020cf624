"""The pictures of which folder of the product imports which, now and before they had layers.

``python -m imported_folders`` printed folders-0a48d9f8.txt in a checkout of that commit.
"""

import pathlib
from typing import Final

import imported_folders
from imported_folders import Graph
from paper import Page


ROOT: Final = pathlib.Path(__file__).parents[2]
BEFORE: Final = pathlib.Path(__file__).with_name("folders-0a48d9f8.txt")
_CELL, _EDGE, _NAMES, _HEAD = 13, 16, 280, 64
"""Pixels: a cell, around the picture, the column of names, and above the rows."""


def now() -> Page:
    """The folders of this checkout."""
    return _picture("Imports between folders, now", imported_folders.imports(ROOT))


def before() -> Page:
    """The folders of commit 0a48d9f8."""
    rows = (line.partition(":") for line in BEFORE.read_text("utf-8").splitlines())
    graph = {folder: frozenset(names.split()) for folder, _, names in rows}
    return _picture("Imports between folders, before (commit 0a48d9f8)", graph)


def _ordered(graph: Graph) -> list[str]:
    """Importing packages and folders first; the folders of a circle stand together."""
    package = {name: name.partition(".")[0] for name in graph}
    packages: dict[str, set[str]] = {each: set() for each in package.values()}
    for name, others in graph.items():
        packages[package[name]].update(package[each] for each in others)
    below = imported_folders.reached(graph)
    above = imported_folders.reached({name: frozenset(of) for name, of in packages.items()})
    circle = {name: min(each) for each in imported_folders.circles(graph) for name in each}

    def place(name: str) -> tuple[int, str, int, str, str]:
        of = package[name]
        return (-len(above[of]), of, -len(below[name]), circle.get(name, name), name)

    return sorted(graph, key=place)


def _picture(title: str, graph: Graph) -> Page:
    """A row and a column for each folder, and a square where the row imports the column."""
    names, found = _ordered(graph), imported_folders.circles(graph)
    at = {name: place for place, name in enumerate(names)}
    arrows = sum(map(len, graph.values()))
    side = len(names) * _CELL
    page = Page(
        _NAMES + side + 2 * _EDGE,
        _HEAD + side + _EDGE,
        title,
        f"{len(names)} folders, {arrows} imports from folder to folder, {len(found)} circles.",
    )
    page.text(_EDGE, 28, f"{title}: {page.description}", "strong")
    legend = (
        "A square: the folder of the row imports that of the column, in the same order."
        " A frame: a circle of folders; orange: an import in it."
    )
    page.text(_EDGE, 48, legend, "small")
    left = _EDGE + _NAMES
    for name, row in at.items():
        top = _HEAD + row * _CELL
        page.text(_EDGE, top + _CELL - 3, name, "small")
        page.line(left, top + _CELL / 2, left + side, top + _CELL / 2)
        page.rect(left + row * _CELL, top, _CELL, _CELL, "own")
        for other in sorted(graph[name], key=at.__getitem__):
            closed = any(name in each and other in each for each in found)
            x = left + at[other] * _CELL
            page.rect(x + 1, top + 1, _CELL - 2, _CELL - 2, "new" if closed else "water")
    for each in found:
        first, high = min(at[name] for name in each) * _CELL, len(each) * _CELL
        page.rect(left + first, _HEAD + first, high, high, "rim")
    return page
