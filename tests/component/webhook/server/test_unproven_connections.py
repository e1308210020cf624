"""What somebody who is not the API server can do: nothing to pods or to others' reviews."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import webhook_fixture as doors
from api_double import ApiDouble
from api_double.waiting import until
from elasticquota import names
from elasticquota_kube.client import paths
from elasticquota_webhooks.cache import live_pods
from elasticquota_webhooks.server import connection, peers
from raw_connections import BODY, LIMIT, WHOLE, half, head, line, one
from webhook_fixture import CONTROLLER, Document, Door, parent, pod, quota, review


async def completed(door: Door, namespace: str = "team") -> Document:
    """What becomes of a pod that names the quota ``a``."""
    manifest = pod("a", namespace=namespace)
    return doors.patch(manifest, await door.ask("/mutate/pod", review(manifest)))


@pytest.mark.parametrize("user", [CONTROLLER, "somebody"])
async def test_a_forged_review_of_a_root_changes_no_pod(door: Door, user: str) -> None:
    root = parent("root", is_root="true", tree="t")
    door.fill(root, quota("a", parent="root", tree="t"))
    before = await completed(door)
    assert before["spec"]["schedulingGates"] == [{"name": names.GATE}]
    forged = json.loads(json.dumps(root))
    forged["metadata"]["annotations"]["elasticquota.dev/mode"] = "observe"
    await door.validate(forged, root, user=user)
    assert await completed(door) == before


@pytest.mark.parametrize("user", [CONTROLLER, "somebody"])
async def test_a_forged_removal_or_move_changes_no_pod(door: Door, user: str) -> None:
    a = quota("a", parent="root", tree="t")
    door.fill(parent("root", is_root="true", tree="t"), a)
    before = await completed(door)
    moved = json.loads(json.dumps(a))
    moved["metadata"]["annotations"]["elasticquota.dev/node-selector"] = '{"disk": "mine"}'
    await door.validate(moved, a, user=user)
    assert await completed(door) == before
    await door.validate(None, a, user=user)
    assert await completed(door) == before


async def test_a_claimed_name_teaches_nothing(door: Door) -> None:
    door.fill(parent("dept", {"cpu": 4}))
    before = door.caches.membership()
    assert (await door.validate(parent("root", is_root="true"), user=CONTROLLER))["allowed"]
    assert door.caches.membership() is before


async def test_what_was_permitted_still_refuses_what_no_longer_fits(door: Door) -> None:
    door.fill(parent("dept", {"cpu": 4}))
    assert (await door.validate(quota("a", {"cpu": 3}, parent="dept")))["allowed"]
    assert "EQ1104" in await door.refusal(quota("b", {"cpu": 3}, parent="dept"))


async def test_a_stranger_is_turned_away_before_the_body(door: Door) -> None:
    door.fill()
    async with line(door) as client:
        unknown = head(10**6).replace(doors.TOKEN.encode(), b"guess")
        client.send(unknown)
        assert (await client.answer())[::2] == (404, "nothing is reviewed at this path")
    async with line(door) as client:
        client.send(head(10**6).replace(doors.TOKEN.encode() + b"/", b""))
        assert (await client.answer())[0] == 404


@asynccontextmanager
async def idle(door: Door, count: int, address: str = "127.0.0.1") -> AsyncIterator[None]:
    """So many sockets that never say anything."""
    loop = asyncio.get_running_loop()
    sockets = []
    for _ in range(count):
        client = socket.socket()
        client.setblocking(False)
        client.bind((address, 0))
        sockets.append(client)
        await loop.sock_connect(client, ("127.0.0.1", int(door.url.rpartition(":")[2])))
    try:
        yield
    finally:
        for each in sockets:
            each.close()


async def test_idle_sockets_take_the_place_of_nobody_who_asks(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "MOST_UNPROVEN", 8)
    door.fill()
    server_state = door.server._server_state
    async with line(door) as known:
        known.send(WHOLE)
        assert (await known.answer())[0] == 200
        async with idle(door, 40):
            await until(lambda: len(server_state.unproven) == 8, within=LIMIT)
            assert await one(door, BODY) == 200, "a new connection of the API server"
            known.send(WHOLE)
            assert (await known.answer())[0] == 200, "one that has asked is never put out"
            assert len(server_state.connections) <= 8 + 2


async def test_a_crowd_from_one_address_puts_out_its_own(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "MOST_UNPROVEN", 6)
    door.fill()
    server_state = door.server._server_state
    async with idle(door, 2, "127.0.0.3"):
        await until(lambda: len(server_state.unproven) == 2, within=LIMIT)
        quiet = {each for each in server_state.connections if each.peer == "127.0.0.3"}
        async with idle(door, 40, "127.0.0.2"):
            await until(lambda: len(server_state.unproven) == 6, within=LIMIT)
            assert quiet <= server_state.connections


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_those_who_were_put_out_leave_nothing_behind(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "MOST_UNPROVEN", 4)
    server_state = door.server._server_state
    before = descriptors()
    async with idle(door, 200):
        await until(lambda: descriptors() <= before + 200 + 4, within=LIMIT)
        assert len(server_state.connections) == len(server_state.unproven) <= 4
    await until(lambda: not server_state.connections, within=LIMIT)
    await until(lambda: descriptors() <= before, within=LIMIT)


async def test_a_full_house_makes_room_for_whoever_asks(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 3)
    door.fill()
    async with idle(door, 10):
        await until(lambda: len(door.server._server_state.connections) == 3, within=LIMIT)
        assert await one(door, BODY) == 200


async def test_somebody_who_never_asks_is_sent_away(
    hasty: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "UNPROVEN_SECONDS", 0.1)
    hasty.fill()
    async with line(hasty) as client:
        assert await client.closed()


async def test_who_waits_in_line_is_told_in_time_that_it_is_too_long(
    hasty: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LINE_SECONDS", 0.0)
    hasty.fill()
    hasty.server._server_state.read_seconds = doors.PATIENCE
    large = BODY.ljust(1024 * 1024)
    async with asyncio.timeout(LIMIT):
        stuck = [await half(hasty, large) for _ in range(connection.LARGE_AT_ONCE)]
        await until(
            lambda: len(hasty.server._server_state.reading_large) == len(stuck), within=LIMIT
        )
        async with line(hasty) as late:
            late.send(head(len(large)))
            await until(lambda: len(hasty.server._server_state.line) == 1, within=LIMIT)
            hasty.server._server_state.sweep()
            assert (await late.answer())[0] == 503
        for each in stuck:
            each.cancel()


async def test_half_sent_bodies_are_kept_only_as_far_as_they_came(door: Door) -> None:
    door.fill()
    async with line(door) as client:
        client.send(head(100_000), b"{")
        server_state = door.server._server_state
        await until(
            lambda: any(each._incoming.begun for each in server_state.connections), within=LIMIT
        )
        (connected,) = server_state.connections
        assert len(connected._incoming._body) < 1024


async def test_a_kind_of_review_that_waits_keeps_no_other_waiting(door: Door) -> None:
    door.fill()
    waiting = asyncio.Event()

    async def wait(_: object) -> None:
        await waiting.wait()
        raise KeyError

    door.route("/validate/elasticquota", wait)
    body = json.dumps(review(quota("a"))).encode()
    async with asyncio.TaskGroup() as group:
        for _ in range(70):
            group.create_task(door.send("/validate/elasticquota", body))
        server_state = door.server._server_state
        await until(lambda: len(server_state.connections) >= 70, within=LIMIT)
        assert await one(door, BODY) == 200
        waiting.set()


async def test_a_quota_of_thousands_of_namespaces_costs_one_list(
    door: Door, double: ApiDouble
) -> None:
    bound = json.dumps([f"n{number}" for number in range(1_000)])
    a = quota("a", annotations={"quota.scheduling.koordinator.sh/namespaces": bound})
    door.fill(a)
    double.put(paths.PODS, pod(namespace="n7"))
    double.put(paths.PODS, pod(namespace="elsewhere"))
    door.follower.synced.set()
    assert "n7/p" in await door.refusal(None, a)
    assert double.count("GET", "/pods") == 1


async def test_pods_are_read_for_one_review_at_a_time(
    door: Door, double: ApiDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_pods, "SECONDS", LIMIT)
    a = quota("a")
    door.fill(a)
    double.faults.flowing.clear()
    asked = [asyncio.create_task(door.validate(None, a)) for _ in range(20)]
    server_state = door.server._server_state

    def all_wait() -> bool:
        return sum(each._answering is not None for each in server_state.connections) == 20

    try:
        await until(lambda: all_wait() and double.count("GET", "/pods"), within=LIMIT)
        assert double.count("GET", "/pods") == 1
    finally:
        double.faults.flowing.set()
    assert all(answer["allowed"] for answer in await asyncio.gather(*asked))
