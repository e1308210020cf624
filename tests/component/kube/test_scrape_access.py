"""Who may read the metrics is what the API server says, and it is asked once a minute."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from elasticquota_kube import scrape_access
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.scrape_access import ScrapeAccess


@dataclass
class Reviews:
    """An API server that knows tokens, and users that may read; ``lost`` does not answer."""

    users: dict[str, str] = field(default_factory=lambda: {"good": "reader", "poor": "outsider"})
    may: set[str] = field(default_factory=lambda: {"reader"})
    asked: list[str] = field(default_factory=list)
    lost: bool = False
    slow: asyncio.Event | None = None
    """Until it is set, no answer comes."""
    now: float = 0.0

    async def create(
        self, resource: Resource, namespace: str | None, manifest: Mapping[str, Any]
    ) -> dict[str, Any]:
        assert namespace is None
        self.asked.append(resource.plural)
        if self.slow is not None:
            await self.slow.wait()
        if self.lost:
            raise ApiError(0, "Unreachable", "no answer")
        spec = manifest["spec"]
        if resource is scrape_access.TOKEN_REVIEWS:
            name = self.users.get(spec["token"])
            user = {"username": name, "groups": ["g"], "uid": "u"}
            return {"status": {"authenticated": name is not None, "user": user}}
        assert spec["nonResourceAttributes"] == {"path": "/metrics", "verb": "get"}
        assert spec["groups"] == ["g"]
        return {"status": {"allowed": spec["user"] in self.may}}

    @property
    def access(self) -> ScrapeAccess:
        return ScrapeAccess(cast("Api", self), clock=lambda: self.now)


async def answer(access: ScrapeAccess, authorization: str = "") -> int:
    headers = {"Authorization": authorization} if authorization else {}
    denied = await access.denied(make_mocked_request("GET", "/metrics", headers=headers))
    return 200 if denied is None else denied.status


async def test_a_client_without_a_token_is_refused_and_the_api_server_is_not_asked() -> None:
    reviews = Reviews()
    for sent in ("", "Basic good", "Bearer", "Bearer " + "x" * 20_000):
        assert await answer(reviews.access, sent) == 401
    assert reviews.asked == []


async def test_a_token_of_bytes_that_no_token_has_is_refused() -> None:
    """As aiohttp decodes a header of bytes that are not UTF-8."""
    sent = SimpleNamespace(path="/metrics", headers={"Authorization": "Bearer \udcff"})
    denied = await Reviews().access.denied(cast("web.Request", sent))
    assert denied is not None
    assert denied.status == 401


async def test_only_a_known_user_that_may_get_the_path_reads_the_metrics() -> None:
    access = Reviews().access
    assert await answer(access, "Bearer unknown") == 401
    assert await answer(access, "Bearer poor") == 403
    assert await answer(access, "Bearer good") == 200


async def test_an_answer_is_kept_for_a_minute_and_then_asked_for_again() -> None:
    reviews = Reviews()
    access = reviews.access
    for _ in range(3):
        assert await answer(access, "Bearer good") == 200
    assert len(reviews.asked) == 2
    reviews.may.clear()
    reviews.now = scrape_access.KEPT + 1
    assert await answer(access, "Bearer good") == 403


async def test_a_lost_api_server_admits_no_new_client_and_its_silence_is_not_kept() -> None:
    reviews = Reviews(lost=True)
    access = reviews.access
    assert await answer(access, "Bearer good") == 503
    reviews.lost = False
    assert await answer(access, "Bearer good") == 200
    reviews.lost = True
    assert await answer(access, "Bearer good") == 200, "kept"
    assert await answer(access, "Bearer poor") == 503


async def test_many_unknown_tokens_push_no_admitted_client_out() -> None:
    reviews = Reviews()
    access = reviews.access
    assert await answer(access, "Bearer good") == 200
    for number in range(200):
        assert await answer(access, f"Bearer unknown-{number}") == 401
    reviews.lost = True
    assert await answer(access, "Bearer good") == 200


async def test_few_unknown_tokens_are_reviewed_at_once_and_admitted_ones_do_not_wait() -> None:
    reviews = Reviews()
    access = reviews.access
    assert await answer(access, "Bearer good") == 200
    reviews.now = scrape_access.KEPT + 1
    reviews.slow = asyncio.Event()
    before = len(reviews.asked)
    unknown = [
        asyncio.create_task(answer(access, f"Bearer unknown-{number}"))
        for number in range(scrape_access.AT_ONCE + 3)
    ]
    known = asyncio.create_task(answer(access, "Bearer good"))
    await asyncio.wait(unknown, return_when=asyncio.FIRST_COMPLETED)
    assert len(reviews.asked) - before == scrape_access.AT_ONCE + 1
    reviews.slow.set()
    assert await known == 200
    found = await asyncio.gather(*unknown)
    assert found == [401] * scrape_access.AT_ONCE + [429] * 3
    assert await answer(access, "Bearer unknown-again") == 401
