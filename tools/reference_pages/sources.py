"""The product's sources as syntax trees: what is read from them needs no import and no cluster."""

import ast
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import product_modules


ROOT: Final = Path(__file__).parents[2]
"""The repository."""


class Source:
    """One module; ``process`` is ``controller`` or ``webhook``."""

    def __init__(self, tree: ast.Module, process: str) -> None:
        self.tree = tree
        self.process = process

    @cached_property
    def constants(self) -> dict[str, str]:
        """Texts at the top of the module, by name."""
        found = {}
        for node in self.tree.body:
            if isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(
                node.value, ast.Constant
            ):
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                if isinstance(target, ast.Name) and isinstance(node.value.value, str):
                    found[target.id] = node.value.value
        return found


@cache
def sources() -> tuple[Source, ...]:
    """All modules of both processes, by path."""
    return tuple(
        Source(tree, "webhook" if path.startswith("webhooks/") else "controller")
        for path, tree in product_modules.modules(ROOT, ("operator", "webhooks"))
    )


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def text_of(node: ast.expr | None, constants: dict[str, str]) -> str:
    """A constant text, also by its name; empty for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return constants.get(node.id, "") if isinstance(node, ast.Name) else ""
