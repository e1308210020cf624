"""A probe follows the rules of the kubelet."""

from typing import Any

import pytest

import answering
from local_cluster import ports
from local_cluster.process_node import probes


def target(**named: int) -> probes.Target:
    return probes.Target("127.0.0.1", named)


async def ask(handler: dict[str, Any], **named: int) -> str | None:
    return await probes.ask(handler, target(**named), 1)


async def test_an_http_status_below_400_is_a_success() -> None:
    async with answering.server() as (well, port):
        well |= {"well", "moved"}
        assert await ask({"httpGet": {"path": "/well", "port": port}}) is None
        assert await ask({"httpGet": {"path": "moved", "port": "web"}}, web=port) is None
        why = await ask({"httpGet": {"path": "/ill", "port": port}})
        assert why == "HTTP probe failed with statuscode: 503"


async def test_a_port_without_a_listener_is_a_failure() -> None:
    with ports.reserve() as reserved:
        port = ports.number(reserved)
        assert "Connect" in str(await ask({"httpGet": {"port": port}}))


async def test_a_probe_that_is_not_supported_fails_with_a_reason() -> None:
    assert await ask({"exec": {"command": ["true"]}}) == "the process node knows httpGet only"
    assert await ask({"httpGet": {"port": "nope"}}) == 'no container port is named "nope"'


async def test_a_verdict_needs_its_number_of_answers_in_a_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = iter(("ill", "ill", None, "ill", "ill", "very ill", "ill", None))

    async def answer(*_: object) -> str | None:
        return next(answers)

    monkeypatch.setattr(probes, "ask", answer)
    verdicts = probes.verdicts({"periodSeconds": 0, "failureThreshold": 3}, target())
    assert [await anext(verdicts) for _ in range(4)] == [None, "very ill", "ill", None]
