"""Draws the packages of a checkout: who imports whom, floor by floor.

A line leads down, from a package to one that it imports. Lines that a longer way implies are left
out, so the picture shows the order of the packages and not every import.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from evidence import imports
from evidence.imports import Arrows, Structure
from paper import Page


Row = list[str]
"""What stands on a floor, from left to right: packages, and where long lines pass (``a b 3``)."""

_WIDTH: Final = 860
_BOX: Final = (206.0, 52.0)
_FLOOR: Final = 96
_TOP: Final = 100
_GAP: Final = 36.0
_PASS: Final = 12.0


def draw(structure: Structure, title: str) -> Page:
    """The picture of ``structure``; the ``title`` says of which commit."""
    direct = imports.direct(structure.arrows)
    rows, ways = arranged(imports.floors(structure.arrows), direct)
    places = {
        name: (x, float(_TOP + floor * _FLOOR))
        for floor, row in enumerate(rows)
        for name, x in _columns(row, structure).items()
    }
    words = _summary(structure, sum(map(len, direct.values())))
    page = Page(_WIDTH, _TOP + len(rows) * _FLOOR - 16, title, ". ".join(words))
    page.text(24, 36, title, "big")
    for line, each in enumerate(words):
        page.text(24, 58 + 18 * line, f"{each}.", "small")
    for way in ways:
        (x, y), *passed, end = [places[name] for name in way]
        points = [(x, y + _BOX[1])]
        for column, top in passed:
            points += [(column, top), (column, top + _BOX[1])]
        page.path(*points, end, look="rule")
    for name, package in structure.packages.items():
        x, y = places[name]
        page.rect(x - _BOX[0] / 2, y, *_BOX, "box", corner=5)
        page.text(x, y + 22, name.removeprefix("elasticquota."), "strong", "middle")
        files = f"{package.files} file{'s' if package.files > 1 else ''}"
        folders = f" in {package.folders} folders" if package.folders > 1 else ""
        page.text(x, y + 41, f"{files}{folders}, {package.lines:,} lines", "small", "middle")
    return page


def arranged(floors: Mapping[str, int], direct: Arrows) -> tuple[list[Row], list[Row]]:
    """The rows from the top floor down, and each line with all that it passes.

    A line of several floors gets a place on each floor between. On each floor the order is that of
    the middles of what leads there from above, so few lines cross.
    """
    top = max(floors.values())
    rows: list[Row] = [[] for _ in range(top + 1)]
    for name in sorted(floors):
        rows[top - floors[name]].append(name)
    ways = []
    for name, targets in sorted(direct.items()):
        for target in sorted(targets):
            between = range(floors[name] - 1, floors[target], -1)
            passed = [f"{name} {target} {floor}" for floor in between]
            for each, floor in zip(passed, between, strict=True):
                rows[top - floor].append(each)
            ways.append([name, *passed, target])
    above: dict[str, list[str]] = {}
    for way in ways:
        for upper, lower in pairwise(way):
            above.setdefault(lower, []).append(upper)
    middles: dict[str, float] = {}
    for row in rows:
        wish = {
            name: sum(map(middles.__getitem__, above[name])) / len(above[name])
            if name in above
            else 0.5
            for name in row
        }
        row.sort(key=lambda name: (wish[name], name))
        middles |= {name: (at + 1) / (len(row) + 1) for at, name in enumerate(row)}
    return rows, ways


def _columns(row: Row, structure: Structure) -> dict[str, float]:
    """The middle of each entry of a row, which stands in the middle of the page."""
    wide = {name: _BOX[0] if name in structure.packages else _PASS for name in row}
    x = (_WIDTH - sum(wide.values()) - _GAP * (len(row) - 1)) / 2
    found = {}
    for name in row:
        found[name] = x + wide[name] / 2
        x += wide[name] + _GAP
    return found


def _summary(structure: Structure, drawn: int) -> tuple[str, str]:
    packages = structure.packages.values()
    files, lines = sum(each.files for each in packages), sum(each.lines for each in packages)
    every = sum(map(len, structure.arrows.values()))
    shown = (
        f"{every} imports between packages; the {drawn} lines, which lead down, imply the others"
    )
    return f"{len(packages)} packages with {files} files and {lines:,} lines", shown
