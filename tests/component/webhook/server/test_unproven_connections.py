"""A client other than the API server can change no pod and delay no review."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import webhook_fixture as fixture
from api_double import ApiDouble
from api_double.waiting import until
from elasticquota import names
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_webhooks.cache import live_pods
from elasticquota_webhooks.server.limits import USUAL
from raw_connections import BODY, LIMIT, WHOLE, connection_to, half, head, one
from webhook_fixture import CONTROLLER, Document, WebhookReplica, parent, pod, quota, review


async def completed(webhook: WebhookReplica, namespace: str = "team") -> Document:
    """The pod after a review, when it names the quota ``a``."""
    manifest = pod("a", namespace=namespace)
    return fixture.patch(manifest, await webhook.ask("/mutate/pod", review(manifest)))


@pytest.mark.parametrize("user", [CONTROLLER, "somebody"])
async def test_a_forged_review_of_a_root_changes_no_pod(webhook: WebhookReplica, user: str) -> None:
    root = parent("root", is_root="true", tree="t")
    webhook.fill(root, quota("a", parent="root", tree="t"))
    before = await completed(webhook)
    assert before["spec"]["schedulingGates"] == [{"name": names.GATE}]
    forged = json.loads(json.dumps(root))
    forged["spec"]["tree"] = {"enforcement": "Observe"}
    await webhook.validate(forged, root, user=user)
    assert await completed(webhook) == before


@pytest.mark.parametrize("user", [CONTROLLER, "somebody"])
async def test_a_forged_deletion_or_move_changes_no_pod(webhook: WebhookReplica, user: str) -> None:
    a = quota("a", parent="root", tree="t")
    webhook.fill(parent("root", is_root="true", tree="t"), a)
    before = await completed(webhook)
    moved = json.loads(json.dumps(a))
    moved["spec"]["nodeSelector"] = {"disk": ["mine"]}
    await webhook.validate(moved, a, user=user)
    assert await completed(webhook) == before
    await webhook.validate(None, a, user=user)
    assert await completed(webhook) == before


async def test_a_claimed_user_name_changes_no_cache(webhook: WebhookReplica) -> None:
    webhook.fill(parent("dept", {"cpu": 4}))
    before = webhook.caches.membership()
    assert (await webhook.validate(parent("root", is_root="true"), user=CONTROLLER))["allowed"]
    assert webhook.caches.membership() is before


async def test_an_unknown_client_is_refused_before_its_body(webhook: WebhookReplica) -> None:
    webhook.fill()
    async with connection_to(webhook) as client:
        unknown = head(10**6).replace(fixture.TOKEN.encode(), b"guess")
        client.send(unknown)
        assert (await client.answer())[::2] == (404, "nothing is reviewed at this path")
    async with connection_to(webhook) as client:
        client.send(head(10**6).replace(fixture.TOKEN.encode() + b"/", b""))
        assert (await client.answer())[0] == 404


@asynccontextmanager
async def idle(
    webhook: WebhookReplica, count: int, address: str = "127.0.0.1"
) -> AsyncIterator[None]:
    """Open ``count`` sockets that never send anything."""
    loop = asyncio.get_running_loop()
    sockets = []
    for _ in range(count):
        client = socket.socket()
        client.setblocking(False)
        client.bind((address, 0))
        sockets.append(client)
        await loop.sock_connect(client, ("127.0.0.1", int(webhook.url.rpartition(":")[2])))
    try:
        yield
    finally:
        for each in sockets:
            each.close()


async def test_idle_sockets_do_not_displace_a_client_that_sends(webhook: WebhookReplica) -> None:
    webhook.limit(unproven=8)
    webhook.fill()
    server_state = webhook.server._server_state
    async with connection_to(webhook) as known:
        known.send(WHOLE)
        assert (await known.answer())[0] == 200
        async with idle(webhook, 40):
            await until(lambda: len(server_state.unproven) == 8, within=LIMIT)
            assert await one(webhook, BODY) == 200, "a new connection of the API server"
            known.send(WHOLE)
            assert (await known.answer())[0] == 200, "one that has asked is never put out"
            assert len(server_state.connections) <= 8 + 2


async def test_many_clients_of_one_address_displace_each_other(webhook: WebhookReplica) -> None:
    webhook.limit(unproven=6)
    webhook.fill()
    server_state = webhook.server._server_state
    async with idle(webhook, 2, "127.0.0.3"):
        await until(lambda: len(server_state.unproven) == 2, within=LIMIT)
        quiet = {each for each in server_state.connections if each.peer == "127.0.0.3"}
        async with idle(webhook, 40, "127.0.0.2"):
            await until(lambda: len(server_state.unproven) == 6, within=LIMIT)
            assert quiet <= server_state.connections


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_displaced_connections_leave_nothing_behind(webhook: WebhookReplica) -> None:
    webhook.limit(unproven=4)
    server_state = webhook.server._server_state
    before = descriptors()
    async with idle(webhook, 200):
        await until(lambda: descriptors() <= before + 200 + 4, within=LIMIT)
        assert len(server_state.connections) == len(server_state.unproven) <= 4
    await until(lambda: not server_state.connections, within=LIMIT)
    await until(lambda: descriptors() <= before, within=LIMIT)


async def test_a_full_server_makes_room_for_a_client_that_sends(webhook: WebhookReplica) -> None:
    webhook.limit(connections=3)
    webhook.fill()
    async with idle(webhook, 10):
        await until(lambda: len(webhook.server._server_state.connections) == 3, within=LIMIT)
        assert await one(webhook, BODY) == 200


async def test_a_client_that_never_sends_is_disconnected(hasty: WebhookReplica) -> None:
    hasty.limit(unproven_seconds=0.1)
    hasty.fill()
    async with connection_to(hasty) as client:
        assert await client.closed()


async def test_a_large_body_that_waits_too_long_gets_an_answer_in_time(
    hasty: WebhookReplica,
) -> None:
    hasty.limit(line_seconds=0.0)
    hasty.fill()
    hasty.limit(read_seconds=fixture.PATIENCE)
    large = BODY.ljust(1024 * 1024)
    async with asyncio.timeout(LIMIT):
        stuck = [await half(hasty, large) for _ in range(USUAL.large_at_once)]
        await until(
            lambda: len(hasty.server._server_state.reading_large) == len(stuck), within=LIMIT
        )
        async with connection_to(hasty) as late:
            late.send(head(len(large)))
            assert (await late.answer())[0] == 503
        for each in stuck:
            each.cancel()


async def test_incomplete_bodies_use_only_the_memory_of_what_arrived(
    webhook: WebhookReplica,
) -> None:
    webhook.fill()
    async with connection_to(webhook) as client:
        client.send(head(100_000), b"{")
        server_state = webhook.server._server_state
        await until(
            lambda: any(each._incoming.begun for each in server_state.connections), within=LIMIT
        )
        (connected,) = server_state.connections
        assert len(connected._incoming._body) < 1024


async def test_a_slow_kind_of_review_does_not_delay_the_others(webhook: WebhookReplica) -> None:
    webhook.fill()
    waiting = asyncio.Event()

    async def wait(_: object) -> None:
        await waiting.wait()
        raise KeyError

    webhook.route("/validate/elasticquota", wait)
    body = json.dumps(review(quota("a"))).encode()
    async with asyncio.TaskGroup() as group:
        for _ in range(70):
            group.create_task(webhook.send("/validate/elasticquota", body))
        server_state = webhook.server._server_state
        await until(lambda: len(server_state.connections) >= 70, within=LIMIT)
        assert await one(webhook, BODY) == 200
        waiting.set()


async def test_a_quota_of_thousands_of_namespaces_costs_one_list(webhook: WebhookReplica) -> None:
    bound = json.dumps([f"n{number}" for number in range(1_000)])
    a = quota("a", annotations={"quota.scheduling.koordinator.sh/namespaces": bound})
    webhook.fill(a)
    webhook.double.put(paths.PODS, pod(namespace="n7"))
    webhook.double.put(paths.PODS, pod(namespace="elsewhere"))
    webhook.follower.synced.set()
    assert "n7/p" in await webhook.refusal(None, a)
    assert webhook.double.count("GET", "/pods") == 1


async def test_pods_are_read_for_one_review_at_a_time(
    api: Api, double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_pods, "SECONDS", LIMIT)
    async with WebhookReplica(api) as webhook:
        await asked_at_once(webhook, double)


async def asked_at_once(webhook: WebhookReplica, double: ApiDouble) -> None:
    a = quota("a")
    webhook.fill(a)
    double.faults.flowing.clear()
    asked = [asyncio.create_task(webhook.validate(None, a)) for _ in range(20)]
    server_state = webhook.server._server_state

    def all_wait() -> bool:
        return sum(each._answering is not None for each in server_state.connections) == 20

    try:
        await until(lambda: all_wait() and double.count("GET", "/pods"), within=LIMIT)
        assert double.count("GET", "/pods") == 1
    finally:
        double.faults.flowing.set()
    assert all(answer["allowed"] for answer in await asyncio.gather(*asked))
