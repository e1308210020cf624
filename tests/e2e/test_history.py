"""A copy follows the real API server even when history is gone and when it reads too slowly.

The test has its own cluster: etcd is compacted here and the API server restarted, which ends what
it remembers of the past. ``MANY=50000`` reads so many objects instead of two thousand.
"""

import asyncio
import json
import os
import urllib.request
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec
import pytest

import served
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError, Page
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer.reflector import ObjectKey, Reflector
from local_cluster import cluster as local


pytestmark = [pytest.mark.cluster, pytest.mark.long]

MANY = int(os.environ.get("MANY", "2000"))
SPACE = "default"
WIDE = 16


class Thing(msgspec.Struct):
    """A ConfigMap, of which only the name counts."""

    metadata: ObjectMeta


class Copy:
    """The objects that a reflector reports: name -> resourceVersion."""

    def __init__(self) -> None:
        self.there: dict[str, str] = {}
        self.readings = 0

    def upsert(self, thing: Thing, /) -> None:
        self.there[thing.metadata.name] = thing.metadata.resource_version

    def delete(self, key: ObjectKey, /) -> None:
        self.there.pop(key.name, None)

    def synced(self) -> None:
        self.readings += 1


class SlowApi(Api):
    """Waits where a test says so: before a watch is opened, and before more of it is read."""

    def __init__(self, who: credentials.Credentials) -> None:
        super().__init__(who)
        self.may_open = asyncio.Event()
        self.may_read = asyncio.Event()
        self.may_open.set()
        self.may_read.set()
        self.streams_lists = True
        self.after_a_page: Callable[[], Awaitable[None]] | None = None

    async def watch(self, *of: Any, **how: Any) -> AsyncGenerator[bytes, None]:
        if not self.streams_lists and "sendInitialEvents" in how["params"]:
            raise ApiError(HTTPStatus.BAD_REQUEST, "BadRequest", "as an older server says it")
        await self.may_open.wait()
        async for chunk in super().watch(*of, **how):
            await self.may_read.wait()
            yield chunk

    async def pages_of(self, *of: Any, **how: Any) -> AsyncGenerator[Page[Any], None]:
        async for page in super().pages_of(*of, **how):
            after, self.after_a_page = self.after_a_page, None
            if after is not None:
                await after()
            yield page


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local.Cluster]:
    with local.start(tmp_path_factory.mktemp("history") / "local", say=print) as running:
        yield running


@pytest.fixture
async def api(own: local.Cluster) -> AsyncIterator[SlowApi]:
    async with SlowApi(credentials.load(Login(own.kubeconfig))) as connection:
        yield connection
        await _each(connection, list(await _names(connection)), _remove)


@asynccontextmanager
async def following(api: SlowApi) -> AsyncIterator[tuple[Copy, list[str]]]:
    """A filled copy, and the reasons for which its watch was restarted so far."""
    copy, why = Copy(), list[str]()

    def restarted(_: Resource, reason: str) -> None:
        why.append(reason)

    reflector = Reflector(
        api,
        paths.CONFIG_MAPS,
        Thing,
        copy,
        namespace=SPACE,
        label_selector="history",
        on_restart=restarted,
        wait=lambda _: 0.1,
    )
    running = asyncio.create_task(reflector.run())
    try:
        async with asyncio.timeout(120):
            await reflector.synced.wait()
        yield copy, why
    finally:
        running.cancel()


async def test_history_that_is_gone_leads_to_a_new_list_that_drops_deleted_objects(
    api: SlowApi, own: local.Cluster
) -> None:
    await _each(api, ["stays", "vanishes"], _make)
    async with following(api) as (copy, why):
        api.may_open.clear()
        await asyncio.to_thread(own.restart, "kube-apiserver")
        await _remove(api, "vanishes")
        await _make(api, "comes")
        await _forget(own, api)
        api.may_open.set()
        await _until(lambda: set(copy.there) == {"stays", "comes"})
        assert "Expired" in why or "Gone" in why, why
        assert copy.readings == 2


async def test_a_list_whose_pages_expire_is_read_again_from_its_beginning(
    api: SlowApi, own: local.Cluster
) -> None:
    names = [f"page-{number:04}" for number in range(501)]
    await _each(api, names, _make)
    api.streams_lists = False

    async def vanish() -> None:
        await _remove(api, "page-0000")
        await _forget(own, api)

    api.after_a_page = vanish
    async with following(api) as (copy, why):
        assert set(copy.there) == set(names[1:])
        assert "Expired" in why or "Gone" in why, why


async def test_a_slow_reader_ends_with_the_objects_that_exist(api: SlowApi) -> None:
    names = [f"large-{number}" for number in range(8)]
    await _each(api, names, _make)
    async with following(api) as (copy, _):
        api.may_read.clear()
        for turn in range(25):
            await _each(api, names, _fatten(turn))
        await _remove(api, names[0])
        api.may_read.set()
        there = await _names(api)
        await _until(lambda: copy.there == there)


@served.since(34)
async def test_many_objects_are_read_at_once_and_all_of_them(api: SlowApi) -> None:
    await _each(api, [f"many-{number:06}" for number in range(MANY)], _make)
    there = await _names(api)
    assert len(there) == MANY
    async with following(api) as (copy, why):
        assert copy.there == there
        assert copy.readings == 1
        assert not why


async def _make(api: Api, name: str) -> None:
    manifest = {"metadata": {"name": name, "labels": {"history": "yes"}}}
    await api.within(60).create(paths.CONFIG_MAPS, SPACE, manifest)


async def _remove(api: Api, name: str) -> None:
    await api.within(60).delete(paths.CONFIG_MAPS, SPACE, name)


def _fatten(turn: int) -> Callable[[Api, str], Awaitable[Any]]:
    async def change(api: Api, name: str) -> None:
        text = f"{turn} " * 100_000
        await api.within(60).patch(paths.CONFIG_MAPS, SPACE, name, {"data": {"text": text}})

    return change


async def _names(api: Api) -> Mapping[str, str]:
    params = {"labelSelector": "history"}
    found = await api.within(60).list(paths.CONFIG_MAPS, SPACE, params=params, into=Thing)
    return {each.metadata.name: each.metadata.resource_version for each in found}


async def _each(api: Api, names: list[str], act: Callable[[Api, str], Awaitable[Any]]) -> None:
    left = iter(names)

    async def one_after_the_other() -> None:
        for name in left:
            await act(api, name)

    await asyncio.gather(*(one_after_the_other() for _ in range(WIDE)))


async def _forget(own: local.Cluster, api: Api) -> None:
    """Compact etcd up to now; the API server's own memory ends with its process."""
    now = (await anext(api.pages(paths.CONFIG_MAPS, SPACE))).metadata.resource_version
    await asyncio.to_thread(_compact, _etcd(own), int(now))
    await asyncio.to_thread(own.restart, "kube-apiserver")


def _etcd(own: local.Cluster) -> str:
    pid = own.component("kube-apiserver").process.pid
    arguments = Path(f"/proc/{pid}/cmdline").read_text("utf-8").split("\0")
    return next(each for each in arguments if each.startswith("--etcd-servers=")).partition("=")[2]


def _compact(etcd: str, revision: int) -> None:
    body = json.dumps({"revision": str(revision), "physical": True}).encode()
    asked = urllib.request.Request(f"{etcd}/v3/kv/compaction", data=body, method="POST")
    with urllib.request.urlopen(asked, timeout=30) as answer:
        assert answer.status == HTTPStatus.OK


async def _until(seen: Callable[[], bool]) -> None:
    async with asyncio.timeout(40):
        while not seen():  # noqa: ASYNC110 - no event reports it
            await asyncio.sleep(0.05)
