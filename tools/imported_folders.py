"""Which folder of the product imports which, and the circles of them.

    python -m imported_folders CHECKOUT

prints a line for each folder: ``folder: imported ...``.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import product_modules


Graph = Mapping[str, frozenset[str]]
"""Folder -> the folders that its modules import, without itself; with dots, as in an import."""


def imports(root: Path) -> Graph:
    """The folders of the product in the checkout ``root``."""
    modules: dict[str, ast.Module] = {}
    folder: dict[str, str] = {}
    for path, module in product_modules.modules(root):
        *parents, last = path.removesuffix(".py").split("/")[1:]
        name = ".".join(parents if last == "__init__" else [*parents, last])
        modules[name], folder[name] = module, ".".join(parents)
    graph: dict[str, set[str]] = {each: set() for each in folder.values()}
    for name, module in modules.items():
        for imported in _imported(module):
            found = imported if imported in folder else imported.rpartition(".")[0]
            if found in folder:
                graph[folder[name]].add(folder[found])
    return {each: frozenset(others - {each}) for each, others in graph.items()}


def circles(graph: Graph) -> list[frozenset[str]]:
    """The sets of two or more folders that reach each other by imports."""
    below = reached(graph)
    found = {frozenset(b for b in below[a] if a in below[b]) for a in graph}
    return sorted((each for each in found if len(each) > 1), key=min)


def reached(graph: Graph) -> dict[str, set[str]]:
    """Each folder with all that it imports, by others too, and itself."""
    result = {}
    for name in graph:
        seen, left = {name}, [name]
        while left:
            new = graph[left.pop()] - seen
            seen |= new
            left.extend(new)
        result[name] = seen
    return result


def _imported(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{each.name}" for each in node.names)


if __name__ == "__main__":
    for folder, others in sorted(imports(Path(sys.argv[1])).items()):
        print(f"{folder}: {' '.join(sorted(others))}".rstrip())
