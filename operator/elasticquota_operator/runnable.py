"""A part of the controller runs as a task until it is cancelled."""

from typing import Protocol


class Runnable(Protocol):
    async def run(self) -> None: ...
