"""Writes by connections of their own: kept, never mixed up, and every failure named."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from api_double import ApiDouble
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError, Document
from elasticquota_kube.client.credentials import Credentials
from elasticquota_kube.client.sessions import write_connections


NODE = b'{"metadata": {"name": "n-1"}}'
OTHER = b'{"metadata": {"name": "n-2"}}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n"

Respond = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def answering(answer: Respond) -> AsyncIterator[str]:
    """A server that calls ``answer`` with the head of each request; yields its address."""
    connections: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                await reader.readexactly(length)
                await answer(head, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def whole(_request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD % len(NODE) + b"\r\n" + NODE)


async def write(api: Api, name: str = "n-1") -> Document:
    return await api.patch(paths.NODES, None, name, {"metadata": {"labels": {"a": "b"}}})


async def failure(answer: Respond, within: float = 10.0) -> ApiError:
    """The error of a write that is answered like this, and may take so many seconds."""
    async with answering(answer) as url, Api(Credentials(url), timeout=within) as api:
        with pytest.raises(ApiError) as caught:
            await write(api)
    return caught.value


async def test_a_connection_is_used_again_until_the_server_closes_it() -> None:
    writers: list[asyncio.StreamWriter] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await whole(request, writer)

    async with answering(answer) as url, Api(Credentials(url)) as api:
        await write(api)
        await write(api)
        assert writers[0] is writers[1]
        writers[1].close()
        await writers[1].wait_closed()
        await write(api)
    assert writers[2] is not writers[1]


@pytest.mark.parametrize("kept", [0.0, 60.0])
async def test_a_connection_that_was_idle_for_long_is_not_used_again(
    monkeypatch: pytest.MonkeyPatch, kept: float
) -> None:
    """A load balancer between us and the API server may have dropped it without a word."""
    monkeypatch.setattr(write_connections, "KEPT", kept)
    writers: list[asyncio.StreamWriter] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await whole(request, writer)

    async with answering(answer) as url, Api(Credentials(url)) as api:
        await write(api)
        await write(api)
    assert (writers[0] is writers[1]) is bool(kept)


async def test_a_connection_is_not_used_again_when_the_server_says_so() -> None:
    writers: list[asyncio.StreamWriter] = []

    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        writer.write(HEAD % len(NODE) + b"Connection: close\r\n\r\n" + NODE)

    async with answering(answer) as url, Api(Credentials(url)) as api:
        await write(api)
        await write(api)
    assert writers[0] is not writers[1]


async def test_the_answer_to_a_canceled_write_is_not_taken_for_the_next_one() -> None:
    asked, goes_on = asyncio.Event(), asyncio.Event()

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        if b"/n-1?" in request:
            asked.set()
            await goes_on.wait()
            await whole(request, writer)
        else:
            writer.write(HEAD % len(OTHER) + b"\r\n" + OTHER)

    async with answering(answer) as url, Api(Credentials(url)) as api:
        first = asyncio.create_task(write(api))
        await asked.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        goes_on.set()
        assert (await write(api, "n-2"))["metadata"]["name"] == "n-2"


async def test_an_answer_that_trickles_without_end_ends_in_time() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD % 1_000_000 + b"\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    found = await failure(answer, within=0.3)
    assert found.reason == "Timeout"
    assert found.message.endswith("did not answer in time")


async def test_an_answer_in_chunks_after_one_that_says_to_wait_is_read() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b'HTTP/1.1 103 Early Hints\r\nWarning: 299 - "early"\r\n\r\n')
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for part in (NODE[:9], NODE[9:]):
            writer.write(b"%x\r\n%b\r\n" % (len(part), part))
        writer.write(b"0\r\n\r\n")

    warnings: list[str] = []
    async with (
        answering(answer) as url,
        Api(Credentials(url), on_warning=warnings.append) as api,
    ):
        assert await write(api) == {"metadata": {"name": "n-1"}}
        assert await write(api) == {"metadata": {"name": "n-1"}}
    assert warnings == []


async def test_warnings_and_the_pause_that_the_server_wants_are_read() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        head = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 4\r\nretry-after: 7\r\n"
        writer.write(head + b'Warning: 299 - "one"\r\nWarning: 299 - "two"\r\n\r\nlate')

    warnings: list[str] = []
    async with (
        answering(answer) as url,
        Api(Credentials(url), on_warning=warnings.append) as api,
    ):
        with pytest.raises(ApiError) as caught:
            await write(api)
    assert (caught.value.status, caught.value.retry_after) == (429, 7)
    assert warnings == ["one", "two"]


@pytest.mark.parametrize(("method", "sent"), [("PATCH", 2), ("DELETE", 3)])
async def test_what_may_be_sent_twice_is_sent_again_when_a_kept_connection_ends(
    method: str, sent: int
) -> None:
    asked: list[bytes] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        if len(asked) == 2:
            writer.close()
        else:
            await whole(request, writer)

    async with answering(answer) as url, Api(Credentials(url)) as api:
        await write(api)
        if method == "DELETE":
            await api.delete(paths.NODES, None, "n-1")
        else:
            with pytest.raises(ApiError, match="the server closed the connection"):
                await write(api)
    assert len(asked) == sent


async def test_a_server_that_closes_without_an_answer_is_named_so() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.close()

    assert (await failure(answer)).message == "the server closed the connection"


async def test_a_connection_that_ends_within_an_answer_is_named_so() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD % 1000 + b"\r\n" + NODE)
        writer.close()

    assert (await failure(answer)).message == "the connection broke before the answer was whole"


async def test_an_answer_that_is_no_http_is_named_so() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")

    assert (await failure(answer)).message.endswith("does not answer as an HTTP server")


async def test_a_user_to_act_as_may_have_any_name() -> None:
    asked: list[bytes] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        await whole(request, writer)

    async with answering(answer) as url:
        who = Credentials(f"{url}/prefix", headers=(("Impersonate-User", "名前"),))
        async with Api(who) as api:
            await write(api)
    assert "Impersonate-User: 名前\r\n".encode() in asked[0]
    assert asked[0].startswith(b"PATCH /prefix/api/v1/nodes/n-1?fieldManager=")


async def test_many_writes_at_the_same_time_get_their_own_answers(double: ApiDouble) -> None:
    names = [f"n-{number}" for number in range(40)]
    for name in names:
        double.put(paths.NODES, {"metadata": {"name": name}})
    async with Api(Credentials(double.url)) as api:
        found = await asyncio.gather(*(write(api, name) for name in names))
    assert [each["metadata"]["name"] for each in found] == names


async def test_behind_a_proxy_writes_go_through_it() -> None:
    asked: list[bytes] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        await whole(request, writer)

    async with (
        answering(answer) as proxy,
        Api(Credentials("http://api.example", proxy=proxy)) as api,
    ):
        await write(api)
    assert asked[0].startswith(b"PATCH http://api.example/api/v1/nodes/n-1?")
