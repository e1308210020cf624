"""Calls end in time, are repeated only where that is harmless, and raise one kind of error."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pytest
from aiohttp import web

import answering
from api_double import ApiDouble, refusals
from elasticquota_kube.client import api as api_module
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.credentials.credentials import Credentials, Token


class Named(msgspec.Struct):
    name: str


class Node(msgspec.Struct):
    metadata: Named


class Strict(msgspec.Struct):
    metadata: Named
    no_such_field: str


class Patience:
    """Replaces sleeping, and records the pauses."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class Client(Protocol):
    """Makes an `Api`."""

    def __call__(self, credentials: Credentials, **options: Any) -> Api: ...


@pytest.fixture(params=[False, True], ids=["stays", "brief"])
def client(request: pytest.FixtureRequest) -> Client:
    """Both kinds of sessions answer alike."""
    return partial(Api, brief=request.param)


@pytest.fixture
async def double() -> AsyncIterator[ApiDouble]:
    async with ApiDouble() as server:
        server.put(paths.NODES, {"metadata": {"name": "n-1"}})
        yield server


async def test_an_object_is_read_into_the_type_that_is_asked_for(
    client: Client, double: ApiDouble
) -> None:
    async with client(Credentials(double.url)) as api:
        assert (await api.get(paths.NODES, None, "n-1"))["metadata"]["name"] == "n-1"
        assert await api.get(paths.NODES, None, "n-1", into=Node) == Node(Named("n-1"))
        assert await api.list(paths.NODES, into=Node) == (Node(Named("n-1")),)


async def test_an_object_of_another_type_is_an_error_that_names_the_field(
    client: Client, double: ApiDouble
) -> None:
    async with client(Credentials(double.url)) as api:
        with pytest.raises(ApiError, match="Undecodable: Object missing required field"):
            await api.get(paths.NODES, None, "n-1", into=Strict)


@pytest.mark.parametrize(
    ("pause", "times", "slept", "fails"),
    [(2, 2, [2, 2], False), (2, 99, [2, 2], True), (60, 1, [], True)],
    ids=["for two answers", "without end", "beyond the deadline"],
)
async def test_a_throttled_read_waits_as_long_as_the_server_says_and_is_tried_three_times(
    client: Client, double: ApiDouble, pause: int, times: int, slept: list[float], fails: bool
) -> None:
    patience, caught = Patience(), None
    double.faults.answer(refusals.throttled(pause), times=times)
    async with client(Credentials(double.url), sleep=patience.sleep) as api:
        try:
            await api.get(paths.NODES, None, "n-1")
        except ApiError as error:
            caught = error
    assert patience.slept == slept
    assert len(double.calls) == len(slept) + 1
    assert (caught is not None and caught.is_throttled and caught.retry_after == pause) == fails


@pytest.mark.parametrize(
    ("refusal", "unserved", "transient"),
    [
        (refusals.throttled(1), True, True),
        (refusals.Refusal(503, "ServiceUnavailable", "etcdserver: no leader"), True, True),
        (refusals.failing_webhook(), False, True),
        (refusals.denied_by_webhook(503), False, True),
        (refusals.denied_by_webhook(), False, False),
        (refusals.too_large_to_store(), False, False),
    ],
)
async def test_an_answer_to_a_creation_says_whether_the_server_serves_and_whether_to_ask_again(
    client: Client, double: ApiDouble, refusal: refusals.Refusal, unserved: bool, transient: bool
) -> None:
    double.faults.answer(refusal, method="POST")
    async with client(Credentials(double.url), sleep=Patience().sleep) as api:
        with pytest.raises(ApiError) as caught:
            await api.create(paths.NODES, None, {"metadata": {"name": "n-2"}})
    assert (caught.value.is_unserved, caught.value.is_transient) == (unserved, transient)
    assert double.count("POST") == 1, "it is not repeated here"


async def test_a_call_to_a_hanging_server_ends_in_time(client: Client, double: ApiDouble) -> None:
    double.faults.flowing.clear()
    async with client(Credentials(double.url), timeout=0.05) as api:
        with pytest.raises(ApiError) as caught:
            await api.get(paths.NODES, None, "n-1")
    assert (caught.value.status, caught.value.reason) == (0, "Timeout")
    assert caught.value.is_transient


async def test_another_deadline_holds_for_the_calls_made_with_it(
    client: Client, double: ApiDouble
) -> None:
    double.faults.flowing.clear()
    async with client(Credentials(double.url), timeout=60) as api:
        with pytest.raises(ApiError, match="Timeout"):
            await api.within(0.05).get(paths.NODES, None, "n-1")


async def test_a_refused_connection_is_unreachable(client: Client, double: ApiDouble) -> None:
    await double.refuse()
    async with client(Credentials(double.url)) as api:
        with pytest.raises(ApiError) as caught:
            await api.get(paths.NODES, None, "n-1")
    assert caught.value.reason == "Unreachable"
    assert caught.value.is_unreachable


async def test_a_token_that_was_renewed_meanwhile_is_read_again_on_401(
    client: Client, double: ApiDouble, tmp_path: Path
) -> None:
    path = tmp_path / "token"
    path.write_text("first")
    double.token = "first"
    async with client(Credentials(double.url, token=Token(path=path))) as api:
        await api.get(paths.NODES, None, "n-1")
        path.write_text("second")
        double.token = "second"
        await api.create(paths.NODES, None, {"metadata": {"name": "n-2"}})


async def test_a_wrong_token_is_tried_once(client: Client, double: ApiDouble) -> None:
    double.token = "right"
    async with client(Credentials(double.url, token=Token(value="wrong"))) as api:
        with pytest.raises(ApiError) as caught:
            await api.get(paths.NODES, None, "n-1")
    assert caught.value.is_unauthorized
    assert len(double.calls) == 1


async def test_every_attempt_is_reported(client: Client, double: ApiDouble) -> None:
    told: list[tuple[str, str, int]] = []

    def listen(verb: str, resource: str, code: int, seconds: float) -> None:
        assert seconds >= 0
        told.append((verb, resource, code))

    double.faults.answer(refusals.throttled(1), method="GET")
    async with client(Credentials(double.url), on_call=listen, sleep=Patience().sleep) as api:
        await api.get(paths.NODES, None, "n-1")
        await api.patch(paths.NODES, None, "n-1", {"metadata": {"labels": {"a": "b"}}})
        with pytest.raises(ApiError):
            await api.get(paths.NODES, None, "none")
        await double.refuse()
        with pytest.raises(ApiError):
            await api.list(paths.NODES)
    assert told == [
        ("get", "nodes", 429),
        ("get", "nodes", 200),
        ("patch", "nodes", 200),
        ("get", "nodes", 404),
        ("list", "nodes", 0),
    ]


async def test_all_pages_of_a_list_are_read(
    client: Client, double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elasticquota_kube.client.api.PAGE_SIZE", 2)
    for number in range(2, 6):
        double.put(paths.NODES, {"metadata": {"name": f"n-{number}"}})
    async with client(Credentials(double.url)) as api:
        nodes = await api.list(paths.NODES, into=Node)
    assert [node.metadata.name for node in nodes] == [f"n-{number}" for number in range(1, 6)]
    assert double.count("GET") == 3


async def test_a_list_whose_history_expires_is_gone(
    client: Client, double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elasticquota_kube.client.api.PAGE_SIZE", 1)
    double.put(paths.NODES, {"metadata": {"name": "n-2"}})
    async with client(Credentials(double.url)) as api:
        pages = api.pages(paths.NODES)
        await anext(pages)
        double.expire_history()
        with pytest.raises(ApiError) as caught:
            await anext(pages)
    assert caught.value.is_gone


async def test_plain_text_from_a_proxy_is_an_error_with_that_text(client: Client) -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(status=502, text="upstream\n  is  away", headers={"Retry-After": "x"})

    async with answering.serving(answer) as server, client(Credentials(server)) as api:
        with pytest.raises(ApiError) as caught:
            await api.get(paths.NODES, None, "n-1")
    assert str(caught.value) == "502 BadGateway: upstream is away"
    assert caught.value.retry_after is None


async def test_a_stream_whose_connection_is_closed_under_it_is_unreachable(
    double: ApiDouble,
) -> None:
    async with Api(Credentials(double.url)) as api:
        chunks = api.watch(paths.NODES, params={"resourceVersion": "0"}, quiet=5)
        await anext(chunks)
        assert api._session is not None
        await api._session.close()
        with pytest.raises(ApiError, match="Unreachable: Connection closed"):
            await anext(chunks)


async def test_a_server_is_asked_not_to_compress_the_events_of_a_watch() -> None:
    """Kubernetes 1.37 compresses each one by itself, which costs more than it saves."""

    async def encoding(request: web.Request) -> web.Response:
        return web.Response(text=request.headers["Accept-Encoding"])

    async with answering.serving(encoding) as server, Api(Credentials(server)) as api:
        said = [chunk async for chunk in api.watch(paths.NODES, params={}, quiet=5)]
    assert said == [b"identity"]


async def test_writes_name_their_manager(client: Client, double: ApiDouble) -> None:
    async with client(Credentials(double.url), manager="somebody") as api:
        await api.create(paths.NODES, None, {"metadata": {"name": "n-2"}})
    assert double.calls[-1].query == {"fieldManager": "somebody"}


async def test_a_cancelled_call_is_cancelled(client: Client, double: ApiDouble) -> None:
    double.faults.flowing.clear()
    async with client(Credentials(double.url)) as api:
        task = asyncio.create_task(api.get(paths.NODES, None, "n-1"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


def test_paths_are_built_as_the_api_server_reads_them() -> None:
    assert paths.PODS.list() == "/api/v1/pods"
    assert paths.PODS.named("a", "b", "eviction") == "/api/v1/namespaces/a/pods/b/eviction"
    assert paths.NODES.named(None, "n") == "/api/v1/nodes/n"
    assert paths.NODES.named(None, "n/../x") == "/api/v1/nodes/n%2F..%2Fx"
    assert (
        paths.QUOTAS.list("a") == "/apis/scheduling.sigs.k8s.io/v1alpha1/namespaces/a/elasticquotas"
    )


async def test_a_page_that_is_too_large_is_read_again_in_smaller_pages(
    client: Client, double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_module, "PAGE_BYTES", 50_000)
    for number in range(60):
        meta = {"namespace": "team", "name": f"p{number:02}", "annotations": {"a": "x" * 5_000}}
        double.put(paths.PODS, {"metadata": meta})
    double.put(
        paths.PODS, {"metadata": {"namespace": "team", "name": "z", "labels": {"a": "x" * 60_000}}}
    )
    async with client(Credentials(double.url)) as api:
        read = [
            sum(len(bytes(item)) for item in page.items or ())
            async for page in api.pages(paths.PODS)
        ]
        names = [pod["metadata"]["name"] for pod in await api.list(paths.PODS)]
    assert names == [*(f"p{number:02}" for number in range(60)), "z"]
    assert max(read[:-1]) <= 50_000
    assert read[-1] > 50_000, "one object is read whatever its size"
    sizes = [int(call.query["limit"]) for call in double.calls]
    assert sizes[:4] == [500, 125, 31, 7]


async def test_pages_grow_again_where_objects_are_small(
    client: Client, double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_module, "PAGE_BYTES", 50_000)
    for number in range(60):
        meta = {"namespace": "team", "name": f"p{number:02}"}
        big = {"annotations": {"a": "x" * 5_000}} if number < 20 else {}
        double.put(paths.PODS, {"metadata": meta | big})
    async with client(Credentials(double.url)) as api:
        await api.list(paths.PODS)
        await api.list(paths.PODS, params={"fieldSelector": "metadata.name=p59"})
    sizes = [int(call.query["limit"]) for call in double.calls]
    assert sizes[:4] == [500, 125, 31, 7]
    assert sizes[-1] > 31


async def test_each_warning_of_the_api_server_is_handed_on(client: Client) -> None:
    """As the API server writes those of webhooks: quoted, and several in one header."""

    async def answer(_: web.Request) -> web.Response:
        warnings = '299 - "min is \\"0\\"", 299 - "would evict 2 pods"'
        return web.json_response({"metadata": {"name": "x"}}, headers={"Warning": warnings})

    told: list[str] = []
    async with (
        answering.serving(answer) as server,
        client(Credentials(server), on_warning=told.append) as api,
    ):
        await api.patch(paths.QUOTAS, "teams", "x", {}, dry_run=True)
    assert told == ['min is "0"', "would evict 2 pods"]
