"""Certificates are issued by the API server's time; our own is used only where necessary."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web

from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_webhooks.certificates.server_clock import ServerClock


OURS = datetime(2030, 1, 1, tzinfo=UTC)
THEIRS = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
Answer = Callable[[web.Request], Awaitable[web.Response]]


class Passing:
    """A monotonic clock in seconds."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@asynccontextmanager
async def clock(answer: dict[str, Any], code: int, passing: Passing) -> AsyncIterator[ServerClock]:
    """A clock whose API server always gives this answer."""

    async def handle(request: web.Request) -> web.Response:
        assert (await request.json())["kind"] == "SelfSubjectReview"
        return web.json_response(answer, status=code)

    app = web.Application()
    app.router.add_post("/apis/authentication.k8s.io/v1/selfsubjectreviews", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with Api(Credentials(f"http://127.0.0.1:{runner.addresses[0][1]}")) as api:
            yield ServerClock(api, own_time=lambda: OURS, monotonic=passing)
    finally:
        await runner.cleanup()


async def test_the_api_servers_time_is_used_and_advances() -> None:
    passing = Passing()
    dated = {"metadata": {"creationTimestamp": "2026-05-04T03:02:01Z"}}
    async with clock(dated, 201, passing) as told:
        assert told.now() == OURS
        assert await told.ask() == THEIRS
        passing.seconds += 90
        assert told.now() == THEIRS + timedelta(seconds=90)


@pytest.mark.parametrize(
    ("code", "answer"), [(403, {}), (404, {}), (201, {"metadata": {}})], ids=str
)
async def test_our_own_time_is_used_where_the_request_is_not_allowed(
    code: int, answer: dict[str, Any]
) -> None:
    async with clock(answer, code, Passing()) as told:
        assert await told.ask() == OURS


async def test_a_failing_server_does_not_lead_to_our_own_time() -> None:
    async with clock({}, 500, Passing()) as told:
        with pytest.raises(ApiError):
            await told.ask()
