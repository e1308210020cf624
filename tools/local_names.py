"""No ``found`` in a long function: there a name says what it holds.

Part of ``python -m prose``. A local or a parameter called ``found`` is clear while the line that
binds it is in sight.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import product_modules
from product_modules import FOLDERS


LONGEST: Final = 15
"""The lines of a function, from its ``def``, in which the name may be ``found``."""

_NAME: Final = "found"


def faults(root: Path, folders: tuple[str, ...] = FOLDERS) -> Iterator[str]:
    """A sentence for each long function that binds the name."""
    for path, tree in product_modules.modules(root, folders):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONGEST and any(map(_binds, ast.walk(node))):
                    yield (
                        f"{path}:{node.lineno}: {node.name!r} has {lines} lines and a local "
                        f"{_NAME!r}: name what it holds (up to {LONGEST} lines may keep the name)"
                    )


def _binds(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return name == _NAME
        case ast.arg(arg=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return name == _NAME
        case ast.ExceptHandler(name=name) | ast.MatchMapping(rest=name):
            return name == _NAME
    return False
