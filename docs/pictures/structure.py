"""The picture of the packages and their layers, from the import contracts of pyproject.toml."""

import pathlib
import tomllib
from itertools import pairwise
from typing import Final

from paper import Page


PROJECT: Final = pathlib.Path(__file__).parents[2] / "pyproject.toml"
_WIDE, _EDGE, _LINE, _HEAD = 1260, 12, 16, 44
"""Pixels: the page, around a box, of a layer in a box, and above the layers."""


def picture() -> Page:
    """Each package once, above all that it may import; in it the layers of its folders."""
    programs, *inside = layers()
    rows = [[_columns(package, inside) for package in row] for row in programs[1]]
    heights = [
        _HEAD + _LINE * max(len(lines) for box in row for _, lines in box) + _EDGE for row in rows
    ]
    page = Page(
        _WIDE,
        sum(heights) + (len(rows) + 1) * _EDGE + 40,
        "Packages and their layers",
        "A package, and a layer in it, imports only what is below it, and nothing beside it.",
    )
    page.text(_EDGE, 30, page.description, "strong")
    top = 40.0 + _EDGE
    for row, high in zip(rows, heights, strict=True):
        columns = sum(map(len, row))
        step = (_WIDE - _EDGE) / columns
        starts = [_EDGE + step * sum(map(len, row[:place])) for place in range(len(row) + 1)]
        for box, (x, end) in zip(row, pairwise(starts), strict=True):
            page.rect(x, top, end - x - _EDGE, high, "box", corner=6)
            for place, (name, lines) in enumerate(box):
                at = x + _EDGE + place * step
                page.text(at, top + 22, name, "strong")
                for number, line in enumerate(lines):
                    page.text(at, top + _HEAD + number * _LINE, line, "small")
        top += high + _EDGE
    return page


def layers() -> list[tuple[str, list[list[str]]]]:
    """Of each contract of layers: its container and rows of names. The packages come first."""
    settings = tomllib.loads(PROJECT.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return [
        (
            contract.get("containers", [""])[0],
            [[name.strip() for name in row.split("|")] for row in contract["layers"]],
        )
        for contract in settings
        if contract["type"] == "layers"
    ]


def _columns(
    package: str, inside: list[tuple[str, list[list[str]]]]
) -> list[tuple[str, list[str]]]:
    """The package itself, then its folders with layers of their own."""
    found = {name: [", ".join(row) for row in rows] for name, rows in inside}
    below = [name for name in found if name.startswith(f"{package}.")]
    return [(package, found.get(package, [])), *((name, found[name]) for name in below)]
