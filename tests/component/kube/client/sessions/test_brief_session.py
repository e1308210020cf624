"""What the session of commands does by itself; what it has in common is in ``test_api``."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import pytest

from api_double import ApiDouble
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.credentials.credentials import Credentials, Token
from elasticquota_kube.client.credentials.login import CredentialsError
from elasticquota_kube.client.credentials.trust import Trust
from elasticquota_operator.leader_guard import NotLeadingError


NODE = b'{"metadata": {"name": "n-1"}}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n"

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


async def whole(writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD % len(NODE) + b"\r\n" + NODE)


def content(answer: bytes) -> Answer:
    """What a server sends when it says just this."""

    async def say(writer: asyncio.StreamWriter) -> None:
        writer.write(answer)

    return say


class Server:
    """Gives each request the answer; the heads of the requests, and where each was answered."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[bytes] = []
        self.writers: list[asyncio.StreamWriter] = []
        self.where = ""
        self._answer = answer

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                self.asked.append(await reader.readuntil(b"\r\n\r\n"))
                self.writers.append(writer)
                await self._answer(writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def answering(answer: Answer = whole) -> AsyncIterator[Server]:
    found = Server(answer)
    listener = await asyncio.start_server(found.serve, "127.0.0.1", 0)
    found.where = f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield found
    finally:
        listener.close()


@asynccontextmanager
async def asking(answer: Answer = whole, **options: Any) -> AsyncIterator[tuple[Server, Api]]:
    """A server, and a brief session with it."""
    async with (
        answering(answer) as server,
        Api(Credentials(f"http://{server.where}"), brief=True, **options) as api,
    ):
        yield server, api


async def test_what_is_called_before_a_request_can_keep_it_from_the_server() -> None:
    def reads_only(method: str) -> None:
        if method != "GET":
            raise NotLeadingError

    async with asking(before_send=reads_only) as (server, api):
        with pytest.raises(NotLeadingError):
            await api.delete(paths.NODES, None, "n-1")
        await api.get(paths.NODES, None, "n-1")
    assert [request.partition(b" ")[0] for request in server.asked] == [b"GET"]


async def test_a_compressed_answer_is_read() -> None:
    compressed = gzip.compress(NODE)
    answer = HEAD % len(compressed) + b"Content-Encoding: gzip\r\n\r\n" + compressed
    async with asking(content(answer)) as (server, api):
        assert await api.get(paths.NODES, None, "n-1") == {"metadata": {"name": "n-1"}}
    assert b"Accept-Encoding: gzip\r\n" in server.asked[0]


async def test_a_user_to_act_as_may_have_any_name() -> None:
    async with answering() as server:
        who = Credentials(f"http://{server.where}", headers=(("Impersonate-User", "名前"),))
        async with Api(who, brief=True) as api:
            await api.get(paths.NODES, None, "n-1")
    assert "Impersonate-User: 名前\r\n".encode() in server.asked[0]


async def close(writer: asyncio.StreamWriter) -> None:
    writer.close()


NOT_COMPRESSED = HEAD % len(NODE) + b"Content-Encoding: gzip\r\n\r\n" + NODE


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (content(NOT_COMPRESSED), "decompressing"),
        (content(b"220 mail.example ESMTP\r\n"), "does not answer as an HTTP server"),
        (close, "the server closed the connection"),
    ],
    ids=["not decompressed", "no HTTP", "none"],
)
async def test_an_answer_that_cannot_be_read_is_an_error_in_words(
    answer: Answer, words: str
) -> None:
    async with asking(answer) as (_, api):
        with pytest.raises(ApiError, match=words):
            await api.get(paths.NODES, None, "n-1")


@pytest.mark.parametrize("brief", [True, False])
async def test_a_token_with_a_line_break_is_refused_and_not_shown(brief: bool) -> None:
    """As a block in YAML has one; the errors of ``http.client`` show the value."""
    async with answering() as server:
        who = Credentials(f"http://{server.where}", token=Token(value="s3cret\n"))
        async with Api(who, brief=brief) as api:
            with pytest.raises(CredentialsError, match="Authorization has a line break") as found:
                await api.get(paths.NODES, None, "n-1")
    assert "s3cret" not in str(found.value)
    assert found.value.__context__ is None, "which a traceback would show"


async def test_a_connection_is_used_again_until_the_server_closes_it() -> None:
    async with asking() as (server, api):
        await api.get(paths.NODES, None, "n-1")
        await api.get(paths.NODES, None, "n-1")
        first, second = server.writers
        assert first is second
        second.close()
        await second.wait_closed()
        await api.get(paths.NODES, None, "n-1")
    assert server.writers[2] is not second


async def test_an_answer_that_trickles_without_end_ends_in_time() -> None:
    async def trickle(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD % 1_000_000 + b"\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    async with asking(trickle, timeout=0.3) as (_, api):
        with pytest.raises(ApiError, match="did not answer in time"):
            await api.get(paths.NODES, None, "n-1")


@pytest.mark.parametrize("brief", [False, True], ids=["stays", "brief"])
async def test_a_server_without_tls_is_named_so(double: ApiDouble, brief: bool) -> None:
    where = double.url.removeprefix("http://")
    async with Api(Credentials(f"https://{where}", tls=Trust(lambda: None)), brief=brief) as api:
        with pytest.raises(ApiError) as caught:
            await api.get(paths.NODES, None, "n-1")
    assert caught.value.message == (
        f"{where} does not answer as a TLS server: is https:// right for it?"
    )


async def test_many_requests_at_the_same_time_get_their_own_answers(double: ApiDouble) -> None:
    names = [f"n-{number}" for number in range(40)]
    for name in names:
        double.put(paths.NODES, {"metadata": {"name": name}})
    async with Api(Credentials(double.url), brief=True) as api:
        found = await asyncio.gather(*(api.get(paths.NODES, None, name) for name in names))
    assert [each["metadata"]["name"] for each in found] == names


async def test_behind_a_proxy_requests_go_through_it() -> None:
    async with answering() as server:
        who = Credentials("http://api.example", proxy=f"http://{server.where}")
        async with Api(who, brief=True) as api:
            await api.get(paths.NODES, None, "n-1")
    assert server.asked[0].startswith(b"GET http://api.example/api/v1/nodes/n-1 HTTP/1.1")


async def test_it_has_no_streams(double: ApiDouble) -> None:
    async with Api(Credentials(double.url), brief=True) as api:
        with pytest.raises(RuntimeError, match="not if brief"):
            await anext(api.watch(paths.NODES, params={}, quiet=1))


async def test_a_request_that_is_given_up_before_it_is_sent_is_not_sent_later() -> None:
    """A write would be carried out after the command has said that it was not."""
    held, goes_on = asyncio.Event(), asyncio.Event()

    async def answer(writer: asyncio.StreamWriter) -> None:
        held.set()
        await goes_on.wait()
        await whole(writer)

    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    async with asking(answer) as (server, api):
        first = asyncio.create_task(api.get(paths.NODES, None, "n-1"))
        await held.wait()
        second = asyncio.create_task(api.get(paths.NODES, None, "n-2"))
        await asyncio.sleep(0)
        second.cancel()
        goes_on.set()
        await first
        with pytest.raises(asyncio.CancelledError):
            await second
    assert [b"n-2" in each for each in server.asked] == [False]
