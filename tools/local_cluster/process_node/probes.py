"""Probes a container by HTTP, which is all that the chart's pods ask for.

The rules and defaults are the kubelet's: HTTP 200 to 399 is a success, certificates are not
checked, redirects are not followed, and a probe that takes longer than its timeout has failed.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

from local_cluster.process_node import refusal


@dataclass(frozen=True, slots=True)
class Target:
    """The container to probe."""

    ip: str
    ports: Mapping[str, int]
    """Container ports by name."""


async def ask(handler: dict[str, Any], target: Target, seconds: float) -> str | None:
    """Probe once; None means well, else the reason."""
    if (told := handler.get("httpGet")) is None:
        return "the process node knows httpGet only"
    try:
        async with asyncio.timeout(seconds):  # wait_for can lose a cancellation before 3.12
            return await _http(told, target)
    except TimeoutError:
        return f"no answer within {seconds:g} s"
    except (aiohttp.ClientError, OSError, refusal.RefusalError) as error:
        return str(error) or type(error).__name__


async def verdicts(probe: dict[str, Any], target: Target) -> AsyncIterator[str | None]:
    """Probe without end; yield each time enough answers in a row agree, as ``ask`` does."""
    needed = {True: probe.get("successThreshold", 1), False: probe.get("failureThreshold", 3)}
    was_well, alike = False, 0
    await asyncio.sleep(probe.get("initialDelaySeconds", 0))
    while True:
        why = await ask(probe, target, probe.get("timeoutSeconds", 1))
        is_well = why is None
        was_well, alike = is_well, alike + 1 if is_well == was_well else 1
        if alike >= needed[is_well]:
            yield why
        await asyncio.sleep(probe.get("periodSeconds", 10))


def port(told: int | str, ports: Mapping[str, int]) -> int:
    """A port given by number or by the name of a container port. Raises ``RefusalError``."""
    if isinstance(told, int):
        return told
    if told in ports:
        return ports[told]
    raise refusal.config(f'no container port is named "{told}"')


async def _http(told: dict[str, Any], target: Target) -> str | None:
    scheme = told.get("scheme", "HTTP").lower()
    path = "/" + told.get("path", "/").removeprefix("/")
    url = f"{scheme}://{target.ip}:{port(told['port'], target.ports)}{path}"
    connector = aiohttp.TCPConnector(ssl=False, force_close=True)
    async with (
        aiohttp.ClientSession(connector=connector) as session,
        session.get(url, allow_redirects=False) as answer,
    ):
        if 200 <= answer.status < 400:
            return None
        return f"HTTP probe failed with statuscode: {answer.status}"
