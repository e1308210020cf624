"""Waiting in an event loop for a condition, with a bound, without guessing how long it takes."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], *, within: float = 5.0) -> None:
    """Return once `condition` holds; fail the test after `within` seconds."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within
    while not condition():
        assert loop.time() < deadline, f"did not come true within {within} s"
        await asyncio.sleep(0.005)
