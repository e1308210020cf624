"""A pytest plugin: tests of single rules before laws, and none of them for ever.

The first test that fails decides about a mutant, so the order is most of the time that a run takes.
A mutant may loop endlessly; a test that has used as much processor time as no sound one does ends
its process by the signal that mutmut takes for a time-out. Processor time, because a busy machine
is no fault of the mutant.
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
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _rank(nodeid: str) -> int:
    return next(rank for rank, folder in enumerate(ORDER) if nodeid.startswith(folder))


def _end(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGXCPU)
