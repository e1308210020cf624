"""A connection between one process and the API server that can be cut or slowed down.

It forwards bytes without reading them, so TLS passes through it unchanged.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


_CHUNK = 1 << 16
_LOOK_EVERY = 0.01


class Relay:
    """Listens on ``port`` of 127.0.0.1; set ``cut`` and ``delay`` from any thread."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.port = 0
        self.cut = False
        """Nothing passes in either direction, and both sides see no error; bytes on their way are
        lost."""
        self.delay = 0.0
        """Seconds by which answers are late."""

    async def listen(self) -> asyncio.Server:
        server = await asyncio.start_server(self._hand_over, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _hand_over(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        ways = {
            asyncio.create_task(self._requests(reader, back)),
            asyncio.create_task(self._answers(there, writer)),
        }
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:  # also where the relay ends, and cancels this
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            back.transport.abort()
            writer.transport.abort()

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while content := await reader.read(_CHUNK):
                await self._through()
                writer.write(content)
                await writer.drain()

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward answers, late by ``delay`` each, but not one after the other."""
        late: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def deliver() -> None:
            while True:
                due, content = await late.get()
                await asyncio.sleep(due - asyncio.get_running_loop().time())
                await self._through()
                if not content:
                    return
                writer.write(content)
                await writer.drain()

        delivering = asyncio.create_task(deliver())
        content = b"?"
        try:
            while content:
                content = await reader.read(_CHUNK)
                late.put_nowait((asyncio.get_running_loop().time() + self.delay, content))
            await delivering
        except OSError:
            return
        finally:
            delivering.cancel()

    async def _through(self) -> None:
        """Wait until nothing is cut; raises ``ConnectionAbortedError`` after a cut."""
        if self.cut:
            while self.cut:  # noqa: ASYNC110 - another thread changes it
                await asyncio.sleep(_LOOK_EVERY)
            raise ConnectionAbortedError


@contextmanager
def to(port: int) -> Iterator[Relay]:
    """A relay to ``port`` of 127.0.0.1 that works in a thread of its own inside the block."""
    relay = Relay(port)
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(relay.listen())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def end() -> None:
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    try:
        yield relay
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
