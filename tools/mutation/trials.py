"""Tries mutants: runs the tests that reach a function until one fails. Run by mutmut's Python.

The tests are imported and collected once. A first process runs all of them, and tells which
functions each test reaches and how long it takes. Then each mutant has a process, a copy of the one
that collected, which runs the unit tests of its package first, and of these and the others the
quickest first. So no mutant sees what another left behind.

A mutant may loop endlessly; a test that has used much more processor time than with the sound code
is ended by the kernel. Processor time, because a busy machine is not the mutant's fault.
"""

import gc
import json
import os
import resource
import shlex
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Final, NamedTuple

import pytest

import product_modules
from mutation import selection
from mutation.functions import Functions, Reached


ROOT: Final = Path(__file__).parents[2]
TESTS: Final = (
    *(f"tests/unit/{each}" for each in ("forest", "sharing", "ledger", "model", "scheduling")),
    *(f"tests/unit/{each}" for each in ("decisions", "derived", "status", "validation")),
    "tests/vectors/test_koordinator.py",
    "tests/seeds",
    "tests/properties",
)
CHEAP: Final = (
    "not big_tree and not ten_thousand_minutes and not 2500_small_pods and not law_fails"
    " and (not 64_000_ or 64_000_small_worlds[0]) and not configuration_in_force"
)
"""Which of their tests are run (``-k``): the others cost more than all of these together.

The configuration in force needs the version of the installed package.
"""
SURVIVED: Final = "survived"
_MOST_MEMORY: Final = 4 << 30
_FAILED: Final = 1
_NOT_TRIED: Final = 3
"""The function cannot get the mutant's code: only one of them asks for ``super()``."""
_VERDICTS: Final = {0: SURVIVED, _NOT_TRIED: "not tried", -signal.SIGPROF: "timeout"}


class Cost(NamedTuple):
    """What one test took with the sound code."""

    seconds: float
    place: int


class Trials:
    """A pytest plugin: in place of the usual run of the tests it tries mutants."""

    def __init__(self, functions: Functions, names: Sequence[str], target: Path) -> None:
        self._functions = functions
        self._names = names
        self._target = target

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("the tests could not be collected")
        codes = self._functions.codes()
        began = time.monotonic()
        costs, tests = self._measured(session, {codes[name] for name in self._names})
        print(f"\n{len(costs)} tests in {time.monotonic() - began:.0f} s", flush=True)
        gc.collect()
        gc.freeze()
        with self._target.open("w", encoding="utf-8") as target:
            for name in self._names:
                unit = ROOT / "tests" / "unit" / selection.package_of(name)
                found = [costs[place] for place in tests.get(codes[name], [])]
                found.sort(key=lambda c: (not session.items[c.place].path.is_relative_to(unit), c))
                verdict = self._verdict(session, name, found)
                print(f"{name}: {verdict}", file=target, flush=True)
                if verdict == SURVIVED:
                    print(f"{name}: {verdict}", flush=True)
        return True

    def _measured(
        self, session: pytest.Session, codes: set[CodeType]
    ) -> tuple[list[Cost], dict[CodeType, list[int]]]:
        """What each test took, and the places of the tests that reach a code."""
        numbered = sorted(codes, key=lambda code: (code.co_filename, code.co_firstlineno))

        def run() -> Iterator[object]:
            reached = Reached(codes)
            for place in range(len(session.items)):
                began = time.process_time()
                with reached.noting() as seen:
                    _run(session, place)
                if session.testsfailed:
                    print("left out, fails without a mutant:", session.items[place].nodeid)
                    session.testsfailed = 0
                    seen.clear()
                yield time.process_time() - began, [numbered.index(code) for code in seen & codes]

        costs: list[Cost] = []
        tests: dict[CodeType, list[int]] = {}
        for place, (seconds, seen) in enumerate(_told(run)):
            costs.append(Cost(seconds, place))
            for number in seen:
                tests.setdefault(numbered[number], []).append(place)
        return costs, tests

    def _verdict(self, session: pytest.Session, name: str, tests: list[Cost]) -> str:
        if not tests:
            return "no tests"

        def run() -> int:
            try:
                self._functions.become(name)
            except ValueError:
                return _NOT_TRIED
            for test in tests:
                signal.setitimer(signal.ITIMER_PROF, 2 + 5 * test.seconds)
                _run(session, test.place)
                if session.testsfailed or session.shouldfail or session.shouldstop:
                    return 1
            return 0

        code = _end_of(run)
        return _VERDICTS.get(code, "killed")


def _run(session: pytest.Session, place: int) -> None:
    item = session.items[place]
    # Nothing follows: what a module or the session shares is made again for the next test.
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def _told(run: Callable[[], Iterator[object]]) -> Iterator[tuple[float, list[int]]]:
    """What ``run`` yields in a process of its own. Raises ``RuntimeError`` if it fails there."""
    receiver, sender = os.pipe()

    def write() -> int:
        with os.fdopen(sender, "w", encoding="utf-8") as target:
            for each in run():
                print(json.dumps(each), file=target, flush=True)
        return 0

    child = _started(write)
    os.close(sender)
    with os.fdopen(receiver, encoding="utf-8") as source:
        for line in source:
            seconds, seen = json.loads(line)
            yield seconds, seen
    if _end(child):
        raise RuntimeError("the tests do not pass without a mutant")


def _end_of(run: Callable[[], int]) -> int:
    return _end(_started(run, silent=True))


def _started(run: Callable[[], int], *, silent: bool = False) -> int:
    """The id of a process that runs this and ends with the code that it returns."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = _FAILED
    try:
        if silent:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        code = run()
    except BaseException as error:  # noqa: BLE001 - the process ends here, whatever happens
        print(error, file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def _end(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> int:
    """``trials.py SOURCES TARGET``: names of mutants on standard input, verdicts in ``TARGET``."""
    sources, target = map(Path, sys.argv[1:])
    functions = Functions()
    functions.install(sources)
    trials = Trials(functions, sys.stdin.read().split(), target)
    return int(pytest.main([*_settings(sources), *TESTS], plugins=[trials]))


def _settings(sources: Path) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    folders = project["tool"]["pytest"]["ini_options"]["pythonpath"]
    path = [sources, *(ROOT / each for each in folders if each not in product_modules.FOLDERS)]
    return [
        f"--override-ini=pythonpath={shlex.join(map(str, path))}",
        "--assert=plain",
        "--capture=no",
        "--quiet",
        "-pno:cacheprovider",
        f"-k{CHEAP}",
    ]


if __name__ == "__main__":
    sys.exit(main())
