"""An event loop whose clock jumps to the next timer as soon as nothing else can run.

``virtual_time.run(scene())`` runs hours in no time and to the microsecond, and a test that is
``@virtual_time.scene`` is such a one. Only for code that uses the loop's clock and no network.
"""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar


T = TypeVar("T")
P = ParamSpec("P")


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
            raise AssertionError("nothing is left that could happen: the scene waits without end")
        self._loop.now += timeout
        return super().select(0)


def run(scene: Coroutine[Any, Any, T]) -> T:
    """Run the scene; tasks that it leaves behind are canceled."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(scene)


def scene(test: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Run a test on this clock."""

    @functools.wraps(test)
    def played(*args: P.args, **options: P.kwargs) -> T:
        return run(test(*args, **options))

    return played


def pass_by(seconds: float) -> None:
    """Let time pass in which nothing else runs, as a long computation does."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _Loop)
    loop.now += seconds


def now() -> float:
    """Seconds on the scene's clock."""
    return asyncio.get_running_loop().time()
