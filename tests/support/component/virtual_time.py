"""An event loop whose clock jumps to the next timer as soon as nothing else can run.

``virtual_time.run(scene())`` plays hours in no time and to the microsecond. Only for code that
keeps to the loop's clock and touches no network.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar


T = TypeVar("T")


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.now = 1000.0
        super().__init__(_Selector(self))

    def time(self) -> float:
        return self.now


class _Selector(selectors.SelectSelector):
    def __init__(self, loop: _Loop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("nothing is left that could happen: the scene waits for ever")
        self._loop.now += timeout
        return super().select(0)


def run(scene: Coroutine[Any, Any, T]) -> T:
    """Play the scene; tasks that it leaves behind are cancelled."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(scene)


def pass_by(seconds: float) -> None:
    """Let time pass in which nothing else runs, as long work does."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _Loop)
    loop.now += seconds


def now() -> float:
    """Seconds on the scene's clock."""
    return asyncio.get_running_loop().time()
