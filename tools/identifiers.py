"""No name in the product has a form that docs/contributing/style.md refuses.

Part of ``python -m prose``. It reads the names of modules, classes, functions, parameters, locals
and attributes, and texts of one word in CamelCase, as reasons and kinds are. Words are compared:
``gives_back`` and ``GivesBack`` are ``gives back``.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import product_modules
from product_modules import FOLDERS


EXCEPTIONS: Final[Mapping[str, str]] = {
    "Brake": "a reason of the API, of the condition EvictionsHeld",
    "StrangersHoldNodes": "a reason of the API, of the condition Starved",
    "brake_percent": "a field of the configuration file, reclaim.brakePercent",
}
"""Names that stay, each with its reason."""

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CAMEL_CASE: Final = re.compile(r"(?:[A-Z][a-z]+)+")

Check = Callable[[str, int, str], Iterable[object]]
"""The refused forms in a text of a path and line (``prose.Style.findings``)."""


class _Name(NamedTuple):
    path: str
    line: int
    text: str


def faults(
    root: Path,
    check: Check,
    exceptions: Mapping[str, str] = EXCEPTIONS,
    folders: tuple[str, ...] = FOLDERS,
) -> Iterator[str]:
    """A sentence for each name with a refused form, and for each exception without need."""
    unused = set(exceptions)
    for name in dict.fromkeys(_names(root, folders)):
        if name.text in exceptions:
            unused.discard(name.text)
            continue
        for finding in check(name.path, name.line, " ".join(_WORD.findall(name.text))):
            yield f"{finding} (in the name {name.text!r})"
    for text in sorted(unused):
        yield f"{text!r} is no name in the product: remove it from the list in {__name__}.py"


def _names(root: Path, folders: tuple[str, ...]) -> Iterator[_Name]:
    for path, tree in product_modules.modules(root, folders):
        yield _Name(path, 1, Path(path).stem)
        for node in ast.walk(tree):
            if text := _bound(node):
                yield _Name(path, getattr(node, "lineno", 1), text)


def _bound(node: ast.AST) -> str:
    """The name that a node binds, or its text in CamelCase; empty: neither."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name
        case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.alias(asname=str(name)):
            return name
        case ast.Constant(value=str(text)) if _CAMEL_CASE.fullmatch(text):
            return text
    return ""
