"""The functions that have mutants, and how one of them becomes its mutant.

A file of mutmut holds each function as it is, and its mutants beside it. mutmut wraps the function,
so that each call asks which mutant is tried. That takes longer than most of our functions. Here the
function stays as it is, and to try a mutant it gets the mutant's code, in a process that ends after
it.
"""

import __future__

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final


TRAMPOLINE: Final = "mutmut.mutation.trampoline"
"""The module that the files of mutmut import."""
_ORIGINAL: Final = "_mutmut_orig"

Mutants = dict[str, FunctionType | MethodType]


class Functions:
    """Those that were imported so far."""

    def __init__(self) -> None:
        self._known: list[tuple[FunctionType, Mutants]] = []

    def install(self, sources: Path) -> None:
        """From now on the files of mutmut, in ``sources``, tell here which functions they have."""
        module = ModuleType(TRAMPOLINE)
        vars(module).update(wrap_in_trampoline=self._wrap, MutantDict=dict)
        sys.modules[TRAMPOLINE] = module
        sys.path_hooks.insert(0, _finder_in(sources))

    def codes(self) -> dict[str, CodeType]:
        """The code that each mutant is a change of, by the mutant's name."""
        return {name: function.__code__ for name, function, _ in self._each()}

    def become(self, wanted: str) -> None:
        """Let the mutant of this name be called in place of its function."""
        for name, function, mutant in self._each():
            if name == wanted:
                function.__code__ = mutant.__code__
                function.__defaults__ = mutant.__defaults__
                function.__kwdefaults__ = mutant.__kwdefaults__

    def _wrap(self, mutants: Mutants, **_: bool) -> Callable[[FunctionType], FunctionType]:
        def kept(function: FunctionType) -> FunctionType:
            self._known.append((function, mutants))
            return function

        return kept

    def _each(self) -> Iterator[tuple[str, FunctionType, FunctionType]]:
        for function, mutants in self._known:
            for name, mutant in mutants.items():
                if name != _ORIGINAL:
                    plain: Any = getattr(mutant, "__func__", mutant)
                    yield f"{function.__module__}.{name}", function, plain


def _finder_in(sources: Path) -> Callable[[str], FileFinder]:
    def finder(folder: str) -> FileFinder:
        if not Path(folder).is_relative_to(sources):
            raise ImportError
        return FileFinder(folder, (_Loader, [".py"]))

    return finder


class _Loader(SourceFileLoader):
    """Leaves annotations as texts: with mutants, a method ``set`` stands above a ``set[str]``."""

    def source_to_code(self, data: Any, path: Any) -> CodeType:  # type: ignore[override]
        flags = __future__.annotations.compiler_flag
        code: CodeType = compile(data, path, "exec", flags, dont_inherit=True)
        return code


class Reached:
    """Which functions run, noted at the first call of each in a ``noting`` block.

    Needs Python 3.12.
    """

    def __init__(self, codes: Collection[CodeType]) -> None:
        tool, start = sys.monitoring.PROFILER_ID, sys.monitoring.events.PY_START
        sys.monitoring.use_tool_id(tool, "mutants")
        sys.monitoring.register_callback(tool, start, self._note)
        for code in codes:
            sys.monitoring.set_local_events(tool, code, start)
        self._seen: set[CodeType] = set()

    @contextmanager
    def noting(self) -> Iterator[set[CodeType]]:
        self._seen = set()
        sys.monitoring.restart_events()
        yield self._seen

    def _note(self, code: CodeType, _: int) -> object:
        self._seen.add(code)
        return sys.monitoring.DISABLE
