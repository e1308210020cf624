"""A function becomes one of its mutants, and until then it is what it was."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from mutation.functions import TRAMPOLINE, Functions, Reached


SOURCE = """
from mutmut.mutation.trampoline import wrap_in_trampoline as _mutmut_mutated, MutantDict
mutants_x_twice__mutmut: MutantDict = {}
@_mutmut_mutated(mutants_x_twice__mutmut)
def twice(number, times=2):
    return number * times
def x_twice__mutmut_orig(number, times=2):
    return number * times
def x_twice__mutmut_1(number, times=3):
    return number * times
def x_twice__mutmut_2(number, times=2):
    return number / times
mutants_x_twice__mutmut['_mutmut_orig'] = x_twice__mutmut_orig
mutants_x_twice__mutmut['x_twice__mutmut_1'] = x_twice__mutmut_1
mutants_x_twice__mutmut['x_twice__mutmut_2'] = x_twice__mutmut_2
mutants_xǁPointǁset__mutmut: MutantDict = {}
mutants_xǁPointǁorigin__mutmut: MutantDict = {}
class Point:
    @_mutmut_mutated(mutants_xǁPointǁset__mutmut)
    def set(self) -> str:
        return "set"
    def xǁPointǁset__mutmut_1(self) -> set[str]:
        return "XXsetXX"
    @classmethod
    @_mutmut_mutated(mutants_xǁPointǁorigin__mutmut, is_classmethod=True)
    def origin(cls):
        return [cls.__name__]
    @classmethod
    def xǁPointǁorigin__mutmut_1(cls):
        return None
mutants_xǁPointǁset__mutmut['xǁPointǁset__mutmut_1'] = Point.xǁPointǁset__mutmut_1
mutants_xǁPointǁorigin__mutmut['xǁPointǁorigin__mutmut_1'] = Point.xǁPointǁorigin__mutmut_1
"""


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Functions]:
    (tmp_path / "mutated.py").write_text(SOURCE, "utf-8")
    monkeypatch.setattr(sys, "path_hooks", list(sys.path_hooks))
    monkeypatch.setitem(sys.modules, TRAMPOLINE, ModuleType(TRAMPOLINE))
    monkeypatch.syspath_prepend(tmp_path)
    found = Functions()
    found.install(tmp_path)
    yield found
    sys.modules.pop("mutated", None)


def test_a_function_is_what_it_was_until_it_becomes_a_mutant(functions: Functions) -> None:
    mutated = importlib.import_module("mutated")
    assert mutated.twice(5) == 10
    functions.become("mutated.x_twice__mutmut_2")
    assert mutated.twice(5) == 2.5


def test_a_mutant_brings_its_defaults(functions: Functions) -> None:
    mutated = importlib.import_module("mutated")
    functions.become("mutated.x_twice__mutmut_1")
    assert mutated.twice(5) == 15


def test_methods_become_mutants_also_where_a_method_is_called_set(functions: Functions) -> None:
    mutated = importlib.import_module("mutated")
    functions.become("mutated.xǁPointǁset__mutmut_1")
    functions.become("mutated.xǁPointǁorigin__mutmut_1")
    assert (mutated.Point().set(), mutated.Point.origin()) == ("XXsetXX", None)


def test_an_original_is_no_mutant(functions: Functions) -> None:
    mutated = importlib.import_module("mutated")
    names = functions.codes()
    assert [name for name in names if "twice" in name] == [
        "mutated.x_twice__mutmut_1",
        "mutated.x_twice__mutmut_2",
    ]
    assert names["mutated.x_twice__mutmut_1"] is mutated.twice.__code__


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring is new in Python 3.12")
def test_each_block_notes_the_functions_that_run_in_it(functions: Functions) -> None:
    mutated = importlib.import_module("mutated")
    twice, origin = mutated.twice.__code__, mutated.Point.origin.__func__.__code__
    reached = Reached({twice, origin})
    try:
        with reached.noting() as first:
            mutated.twice(1)
            mutated.twice(2)
        with reached.noting() as second:
            mutated.twice(3)
            mutated.Point.origin()
        assert (first, second) == ({twice}, {twice, origin})
    finally:
        sys.monitoring.free_tool_id(sys.monitoring.PROFILER_ID)
