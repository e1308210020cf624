"""What the session of commands does by itself; what it has in common is in ``test_api``."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

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

Answer = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def answering(answer: Answer) -> AsyncIterator[str]:
    """A server that calls ``answer`` with the head of each request; yields its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await answer(await reader.readuntil(b"\r\n\r\n"), writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def whole(_request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD % len(NODE) + b"\r\n" + NODE)


async def test_what_is_called_before_a_request_can_keep_it_from_the_server() -> None:
    asked: list[bytes] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        await whole(request, writer)

    def reads_only(method: str) -> None:
        if method != "GET":
            raise NotLeadingError

    async with (
        answering(answer) as where,
        Api(Credentials(f"http://{where}"), brief=True, before_send=reads_only) as api,
    ):
        with pytest.raises(NotLeadingError):
            await api.delete(paths.NODES, None, "n-1")
        await api.get(paths.NODES, None, "n-1")
    assert [request.partition(b" ")[0] for request in asked] == [b"GET"]


async def test_a_compressed_answer_is_read() -> None:
    asked: list[bytes] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        content = gzip.compress(NODE)
        writer.write(HEAD % len(content) + b"Content-Encoding: gzip\r\n\r\n" + content)

    async with answering(answer) as where, Api(Credentials(f"http://{where}"), brief=True) as api:
        assert await api.get(paths.NODES, None, "n-1") == {"metadata": {"name": "n-1"}}
    assert b"Accept-Encoding: gzip\r\n" in asked[0]


async def test_a_user_to_act_as_may_have_any_name() -> None:
    asked: list[bytes] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        await whole(request, writer)

    async with answering(answer) as where:
        who = Credentials(f"http://{where}", headers=(("Impersonate-User", "名前"),))
        async with Api(who, brief=True) as api:
            await api.get(paths.NODES, None, "n-1")
    assert "Impersonate-User: 名前\r\n".encode() in asked[0]


async def test_an_answer_that_cannot_be_decompressed_is_an_error_in_words() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD % len(NODE) + b"Content-Encoding: gzip\r\n\r\n" + NODE)

    async with answering(answer) as where, Api(Credentials(f"http://{where}"), brief=True) as api:
        with pytest.raises(ApiError, match="decompressing"):
            await api.get(paths.NODES, None, "n-1")


@pytest.mark.parametrize("brief", [True, False])
async def test_a_token_with_a_line_break_is_refused_and_not_shown(brief: bool) -> None:
    """As a block in YAML has one; the errors of ``http.client`` show the value."""
    async with answering(whole) as where:
        who = Credentials(f"http://{where}", token=Token(value="s3cret\n"))
        async with Api(who, brief=brief) as api:
            with pytest.raises(CredentialsError, match="Authorization has a line break") as found:
                await api.get(paths.NODES, None, "n-1")
    assert "s3cret" not in str(found.value)
    assert found.value.__context__ is None, "which a traceback would show"


async def test_a_connection_is_used_again_until_the_server_closes_it() -> None:
    writers: list[asyncio.StreamWriter] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await whole(request, writer)

    async with answering(answer) as where, Api(Credentials(f"http://{where}"), brief=True) as api:
        await api.get(paths.NODES, None, "n-1")
        await api.get(paths.NODES, None, "n-1")
        assert writers[0] is writers[1]
        writers[1].close()
        await writers[1].wait_closed()
        await api.get(paths.NODES, None, "n-1")
    assert writers[2] is not writers[1]


async def test_an_answer_that_trickles_without_end_ends_in_time() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD % 1_000_000 + b"\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    async with answering(answer) as where:
        client = Api(Credentials(f"http://{where}"), brief=True, timeout=0.3)
        async with client as api:
            with pytest.raises(ApiError, match="did not answer in time"):
                await api.get(paths.NODES, None, "n-1")


async def test_a_server_that_closes_without_an_answer_is_named_so() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with answering(answer) as where, Api(Credentials(f"http://{where}"), brief=True) as api:
        with pytest.raises(ApiError, match="the server closed the connection"):
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
    asked: list[bytes] = []

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        await whole(request, writer)

    async with answering(answer) as where:
        who = Credentials("http://api.example", proxy=f"http://{where}")
        async with Api(who, brief=True) as api:
            await api.get(paths.NODES, None, "n-1")
    assert asked[0].startswith(b"GET http://api.example/api/v1/nodes/n-1 HTTP/1.1")


async def test_it_has_no_streams(double: ApiDouble) -> None:
    async with Api(Credentials(double.url), brief=True) as api:
        with pytest.raises(RuntimeError, match="not if brief"):
            await anext(api.watch(paths.NODES, params={}, quiet=1))


async def test_an_answer_that_is_no_http_is_an_error_in_words() -> None:
    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")

    async with answering(answer) as where, Api(Credentials(f"http://{where}"), brief=True) as api:
        with pytest.raises(ApiError, match="does not answer as an HTTP server"):
            await api.get(paths.NODES, None, "n-1")


async def test_a_request_that_is_given_up_before_it_is_sent_is_not_sent_later() -> None:
    """A write would be carried out after the command has said that it was not."""
    asked: list[bytes] = []
    held, goes_on = asyncio.Event(), asyncio.Event()

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        asked.append(request)
        held.set()
        await goes_on.wait()
        await whole(request, writer)

    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    async with answering(answer) as where, Api(Credentials(f"http://{where}"), brief=True) as api:
        first = asyncio.create_task(api.get(paths.NODES, None, "n-1"))
        await held.wait()
        second = asyncio.create_task(api.get(paths.NODES, None, "n-2"))
        await asyncio.sleep(0)
        second.cancel()
        goes_on.set()
        await first
        with pytest.raises(asyncio.CancelledError):
            await second
    assert [b"n-2" in each for each in asked] == [False]
