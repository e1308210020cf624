"""The servers listen on every address of their pod."""

import socket

import aiohttp
import pytest
from aiohttp import web

from elasticquota_kube import listening
from elasticquota_operator.pages import http
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.server.health import Health


IPV6 = listening.hosts() == [listening.IPV4, listening.IPV6]
HERE = ["127.0.0.1", "127.0.0.2", *(["[::1]"] if IPV6 else [])]


async def reached(port: int) -> list[str]:
    found = []
    async with aiohttp.ClientSession() as client:
        for host in HERE:
            async with client.get(f"http://{host}:{port}/healthz") as answer:
                found.append(f"{host} {answer.status}")
    return found


async def test_the_controllers_pages_are_served_on_every_address(unused_tcp_port: int) -> None:
    runner = await http.serve(web.Application(), listening.hosts(), unused_tcp_port)
    assert await reached(unused_tcp_port) == [f"{host} 404" for host in HERE]
    await runner.cleanup()


async def test_the_webhooks_pages_are_served_on_every_address(unused_tcp_port: int) -> None:
    health = Health(Metrics(), ())
    await health.start(listening.hosts(), unused_tcp_port)
    assert await reached(unused_tcp_port) == [f"{host} 200" for host in HERE]
    await health.stop()


def test_without_ipv6_there_is_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> socket.socket:
        raise OSError(97, "Address family not supported by protocol")

    monkeypatch.setattr(socket, "socket", refused)
    assert listening.hosts() == [listening.IPV4]


def test_a_pod_that_shares_a_network_may_name_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POD_IP", "127.1.2.3")
    assert listening.hosts() == ["127.1.2.3"]
