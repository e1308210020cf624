"""Which package imports which, read from the source of a checkout, and which files form a circle.

A package is a folder of ``operator/elasticquota`` or one beside it; the single files of
``operator/elasticquota`` are one package, ``elasticquota``.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final


ROOTS: Final = ("operator", "webhooks")
Arrows = Mapping[str, frozenset[str]]
"""What each file or package imports; of packages, without itself."""


@dataclass(frozen=True)
class Package:
    """A package: its files without ``__init__.py``, all its lines, and its folders."""

    files: int
    lines: int
    folders: int
    fullest: int
    """The number of files in its fullest folder."""


@dataclass(frozen=True)
class Structure:
    """The packages of a checkout, what each imports, and the circles of files inside of them."""

    packages: Mapping[str, Package]
    arrows: Arrows
    circles: tuple[tuple[str, ...], ...]


def read(root: Path) -> Structure:
    """The structure of the checkout ``root``."""
    files = {
        _module(path.relative_to(root / top)): path
        for top in ROOTS
        for path in sorted((root / top).rglob("*.py"))
    }
    texts = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    wanted = {name: frozenset(_imported(name, text, files)) for name, text in texts.items()}
    packages: dict[str, list[str]] = {}
    for name in files:
        packages.setdefault(package(name), []).append(name)
    return Structure(
        {each: _measured(names, texts, files) for each, names in packages.items()},
        {
            each: frozenset(package(target) for name in names for target in wanted[name]) - {each}
            for each, names in packages.items()
        },
        tuple(sorted(circle for circle in circles(wanted) if len(circle) > 1)),
    )


def package(module: str) -> str:
    """The package of a module: ``elasticquota.forest`` of ``elasticquota.forest.walk``."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "elasticquota" and len(parts) > 2 else parts[0]


def circles(arrows: Arrows) -> Iterator[tuple[str, ...]]:
    """The strongly connected parts, each in the order of names (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(node: str) -> Iterator[tuple[str, ...]]:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(arrows.get(node, ())):
            if target not in index:
                yield from visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            at = stack.index(node)
            yield tuple(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(arrows):
        if node not in index:
            yield from visit(node)


def floors(arrows: Arrows) -> dict[str, int]:
    """How high each node stands: 0 without an import, else one above the highest that it imports.

    Raises ``ValueError`` when nodes import each other in a circle.
    """
    found: dict[str, int] = {}
    while len(found) < len(arrows):
        ready = [node for node in arrows if node not in found and arrows[node] <= found.keys()]
        if not ready:
            raise ValueError(f"a circle among {sorted(arrows.keys() - found.keys())}")
        for node in ready:
            found[node] = max((found[target] + 1 for target in arrows[node]), default=0)
    return found


def direct(arrows: Arrows) -> dict[str, frozenset[str]]:
    """The arrows that no longer way implies: if A imports B and B imports C, A to C is implied."""
    reached: dict[str, frozenset[str]] = {}
    for node in sorted(arrows, key=floors(arrows).__getitem__):
        reached[node] = arrows[node].union(*(reached[target] for target in arrows[node]))
    return {
        node: targets - frozenset().union(*(reached[target] for target in targets))
        for node, targets in arrows.items()
    }


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, text: str, files: Iterable[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            named = [
                full if (full := f"{node.module}.{alias.name}") in files else node.module
                for alias in node.names
            ]
        else:
            continue
        yield from (each for each in named if each in files and each != name)


def _measured(names: Iterable[str], texts: Mapping[str, str], files: Mapping[str, Path]) -> Package:
    folders = Counter(files[name].parent for name in names if files[name].name != "__init__.py")
    return Package(
        folders.total(),
        sum(len(texts[name].splitlines()) for name in names),
        len(folders),
        max(folders.values()),
    )
