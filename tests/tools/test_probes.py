"""A probe follows the rules of the kubelet."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from local_cluster import ports
from local_cluster.process_node import probes


def target(**named: int) -> probes.Target:
    return probes.Target("127.0.0.1", named, {"PATH": "/usr/bin:/bin"}, Path("/"))


async def ask(handler: dict[str, Any], **named: int) -> str | None:
    return await probes.ask(handler, target(**named), 1)


async def test_an_http_status_below_400_is_a_success() -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=int(request.match_info["code"]), headers={"Location": "/500"})

    application = web.Application()
    application.router.add_get("/{code}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    assert await ask({"httpGet": {"path": "/200", "port": port}}) is None
    assert await ask({"httpGet": {"path": "302", "port": "web"}}, web=port) is None
    why = await ask({"httpGet": {"path": "/503", "port": port}})
    assert why == "HTTP probe failed with statuscode: 503"
    await runner.cleanup()


async def test_a_port_without_a_listener_is_a_failure() -> None:
    with ports.reserve() as reserved:
        port = ports.number(reserved)
        assert "Connect" in str(await ask({"tcpSocket": {"port": port}}))
        assert "Connect" in str(await ask({"httpGet": {"port": port}}))


async def test_a_port_with_a_listener_is_a_success() -> None:
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as up:
        assert await ask({"tcpSocket": {"port": up.sockets[0].getsockname()[1]}}) is None


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["true"], None),
        (["false"], "command exited with 1"),
        (["sleep", "60"], "no answer within 1 s"),
        (["nosuchprogram"], 'no program "nosuchprogram" on the PATH'),
    ],
)
async def test_a_command_that_exits_with_zero_is_a_success(
    command: list[str], why: str | None
) -> None:
    assert await ask({"exec": {"command": command}}) == why


async def test_a_probe_that_is_not_supported_fails_with_a_reason() -> None:
    assert await ask({"grpc": {"port": 1}}) == (
        "the process node knows httpGet, tcpSocket, exec and sleep only"
    )
    assert await ask({"tcpSocket": {"port": "nope"}}) == 'no container port is named "nope"'


async def test_a_verdict_needs_its_number_of_answers_in_a_row(tmp_path: Path) -> None:
    well = tmp_path / "well"
    heard: list[tuple[bool, str]] = []
    probe = {
        "exec": {"command": ["test", "-e", str(well)]},
        "periodSeconds": 0.01,
        "failureThreshold": 3,
        "successThreshold": 1,
    }

    def verdict(answer: bool, why: str) -> None:
        heard.append((answer, why))

    async with probes.watching(probe, target(), verdict):
        await until(lambda: heard)
        assert heard[0] == (False, "command exited with 1")
        well.touch()
        await until(lambda: heard[-1] == (True, ""))


async def until(seen: Callable[[], object]) -> None:
    for _ in range(500):
        if seen():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("not within 5 s")
