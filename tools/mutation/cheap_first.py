"""A pytest plugin: runs tests of single rules before laws, and ends each that takes too long.

The first failing test decides about a mutant, so the order determines most of the run time. A
mutant may loop endlessly; a test that has used as much processor time as no sound test does ends
its process with the signal that mutmut counts as a time-out. Processor time, because a busy machine
is not the mutant's fault.
"""

import os
import signal
from collections.abc import Generator
from typing import Final

import pytest


ORDER: Final = ("tests/unit", "tests/vectors", "tests/seeds", "tests/properties")
MOST_SECONDS: Final = 10.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: (_rank(item.nodeid), item.nodeid))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    signal.signal(signal.SIGPROF, _end)
    counting = os.environ.get("MUTANT_UNDER_TEST") == "stats"  # slow, and of the sound code
    signal.setitimer(signal.ITIMER_PROF, 0 if counting else MOST_SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _rank(nodeid: str) -> int:
    return next(rank for rank, folder in enumerate(ORDER) if nodeid.startswith(folder))


def _end(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGXCPU)
