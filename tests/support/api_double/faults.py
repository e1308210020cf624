"""What can go wrong between client and server: each switch is one failure of a real API server."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

from api_double.refusals import Refusal


@dataclass(slots=True)
class Scripted:
    """An answer that replaces the real one for the next `times` requests that match, or for one of
    `every` of them.
    """

    refusal: Refusal
    times: int
    method: str
    path: str
    every: int
    seen: int = 0

    def matches(self, method: str, path: str) -> bool:
        if self.times <= 0 or self.method not in ("", method) or self.path not in path:
            return False
        self.seen += 1
        return self.seen % self.every == 0


@dataclass(slots=True)
class Faults:
    """Change these while the double runs; all are off at the start.

    `flowing` cleared: requests arrive and are never answered. `talking` cleared: watches stay open
    and send nothing. `watch_list` False: the server does not serve sendInitialEvents;
    `silent_watch_list` True: it ignores them, as servers before WatchList did. `latency`: seconds
    that every answer takes.
    """

    flowing: asyncio.Event = field(default_factory=asyncio.Event)
    talking: asyncio.Event = field(default_factory=asyncio.Event)
    watch_list: bool = True
    silent_watch_list: bool = False
    gone_in_stream: bool = True
    latency: float = 0.0
    tear_next_line: bool = False
    duplicate_next_line: bool = False
    scripted: list[Scripted] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.flowing.set()
        self.talking.set()

    def answer(
        self,
        refusal: Refusal,
        *,
        times: int = 1,
        method: str = "",
        path: str = "",
        every: int = 1,
    ) -> None:
        """Refuse the next `times` requests of `method` whose path contains `path`; with `every` 2,
        only each second one of them, and so on.
        """
        self.scripted.append(Scripted(refusal, times, method, path, every))

    def take(self, method: str, path: str) -> Refusal | None:
        """Return the refusal that is scripted for this request, and use it up."""
        for entry in self.scripted:
            if entry.matches(method, path):
                entry.times -= 1
                return entry.refusal
        return None

    def lines(self, line: bytes) -> Iterator[tuple[bytes, bool]]:
        """Return the bytes to send for one line, and whether the connection breaks then."""
        if self.tear_next_line:
            self.tear_next_line = False
            yield line[: len(line) // 2], True
            return
        yield line, False
        if self.duplicate_next_line:
            self.duplicate_next_line = False
            yield line, False
