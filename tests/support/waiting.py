"""Waiting for a condition, with a bound and without guessing how long it takes."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], *, within: float = 5.0, what: str = "") -> None:
    """Return once `condition` holds; fail the test after `within` seconds."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within
    while not condition():
        assert loop.time() < deadline, f"did not come true within {within} s: {what or condition}"
        await asyncio.sleep(0.005)
