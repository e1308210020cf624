"""Records which functions get or return a value that contains a rare text, in which files.

Only values count: texts, numbers, collections, and the immutable types of the core. What holds
everything (ledger, forest, snapshot) would make every function that gets it a stay.
"""

import ast
import builtins
import contextlib
import sys
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

import msgspec


_PLAIN: Final = (str, bytes, int, dict, list, tuple, set, frozenset, msgspec.Struct)
_HOLD_ALL: Final = frozenset({"ClusterSnapshot", "Balance", "Forest", "Tree"})
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


_profile: Final = getattr(threading, "setprofile_all_threads", sys.setprofile)
"""Python 3.11 can record the own thread only, which runs the whole controller."""


class Stay(NamedTuple):
    """One function that got or returned the value; ``file`` is relative to its source root."""

    file: str
    function: str
    handed: bool
    """Whether it only hands what it got to other functions."""


class Trace:
    """The stays of a value that contains ``text``, in the order of time, in all threads."""

    def __init__(self, text: str, roots: tuple[Path, ...]) -> None:
        self.stays: list[Stay] = []
        self._text = text
        self._roots = tuple(f"{root}/" for root in roots)

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Record all threads that run already or start meanwhile."""
        _profile(self._record)
        try:
            yield
        finally:
            _profile(None)

    def _record(self, frame: FrameType, event: str, returned: Any) -> None:
        code = frame.f_code
        root = next((root for root in self._roots if code.co_filename.startswith(root)), None)
        if root is None or event not in ("call", "return"):
            return
        file = code.co_filename.removeprefix(root)
        if event == "return":
            if self._has(returned):
                self.stays.append(Stay(file, code.co_qualname, handed=False))
            return
        count = code.co_argcount + code.co_kwonlyargcount
        here = frame.f_locals
        got = [name for name in code.co_varnames[:count] if self._has(here.get(name))]
        if got:
            handed = all(name in _only_handed(code) for name in got)
            self.stays.append(Stay(file, code.co_qualname, handed))

    def _has(self, value: Any) -> bool:
        kind = type(value)
        if kind.__name__ in _HOLD_ALL:
            return False
        if kind.__name__ == "Account":  # mutable; it has the sums of the pods of a quota
            slots = ("used", "admitted", "asked_while_waiting", "_running", "_waiting")
            return any(self._text in repr(getattr(value, name, "")) for name in slots)
        frozen = isinstance(value, msgspec.Struct) and kind.__struct_config__.frozen
        if not (isinstance(value, _PLAIN) or frozen or kind.__module__.endswith("model.pod")):
            return False
        try:
            return self._text in repr(value)
        except Exception:  # noqa: BLE001 - a value under construction; a raise here ends the trace
            return False


def first_sentence(path: Path) -> str:
    """What the docstring of a file says first."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")


@cache
def _only_handed(code: CodeType) -> frozenset[str]:
    """The arguments that the function uses only as arguments of other functions."""
    tree = ast.parse(Path(code.co_filename).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        first = isinstance(node, _FUNCTIONS) and min(
            each.lineno for each in (node, *node.decorator_list)
        )
        if first == code.co_firstlineno and isinstance(node, _FUNCTIONS):
            return _handed_in(node)
    return frozenset()  # a lambda or a comprehension


def _handed_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    every: dict[str, int] = {}
    handed: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            every[node.id] = every.get(node.id, 0) + 1
        if isinstance(node, ast.Call) and not _uses(node.func):
            for value in (*node.args, *(keyword.value for keyword in node.keywords)):
                if isinstance(value, ast.Name):
                    handed[value.id] = handed.get(value.id, 0) + 1
    return frozenset(name for name, count in handed.items() if count == every[name])


def _uses(called: ast.expr) -> bool:
    """Whether a call uses its arguments here: a built-in function, or a type that is made."""
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return hasattr(builtins, name) or name.lstrip("_")[:1].isupper()
