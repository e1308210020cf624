"""``/debug/ledger``: what the controller sees, as one file that ``simulate`` and ``explain`` take.

Only for users who may enter the pod's network (``kubectl port-forward``), because it names the pods
of all namespaces. Both ends of the connection must be of the loopback interface, so that a proxy
beside us that speaks to the pod's address gets nothing.
"""

import asyncio
import ipaddress
import itertools
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

import msgspec
from aiohttp import web

from elasticquota import texts


PATH: Final = "/debug/ledger"
_AT_ONCE: Final = 200
"""Objects between two pauses: decisions must not wait for the page of a large cluster."""

_REFUSAL: Final = (
    "only from the pod itself: kubectl port-forward to the controller's Deployment, then "
    f"http://localhost:PORT{PATH}\n"
)

Items = Callable[[], Iterable[Mapping[str, Any]]]
"""The objects as of the call, made while they are read."""


def route(items: Items, ready: asyncio.Event) -> web.RouteDef:
    """The page; 503 until the caches are filled, for half a world would mislead."""

    async def ledger(request: web.Request) -> web.StreamResponse:
        if not _is_local(request):
            return web.Response(text=_REFUSAL, status=HTTPStatus.FORBIDDEN)
        if not ready.is_set():
            text = "the caches are not filled yet\n"
            return web.Response(text=text, status=HTTPStatus.SERVICE_UNAVAILABLE)
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        await answer.prepare(request)
        lead = b'{"apiVersion": "v1", "kind": "List", "items": [\n'
        left = iter(items())
        while chunk := list(itertools.islice(left, _AT_ONCE)):
            await answer.write(lead + b",\n".join(map(_line, chunk)))
            lead = b",\n"
            await asyncio.sleep(0)
        await answer.write(b"\n]}\n" if lead == b",\n" else lead + b"]}\n")
        return answer

    return web.get(PATH, ledger)


def _line(item: Mapping[str, Any]) -> bytes:
    """The object on one line; what would command a terminal that shows the page is escaped."""
    return texts.escaped(msgspec.json.encode(item).decode()).encode()


def _is_local(request: web.Request) -> bool:
    transport = request.transport
    if transport is None:
        return False
    ends = (transport.get_extra_info(end) for end in ("peername", "sockname"))
    return all(end and ipaddress.ip_address(end[0]).is_loopback for end in ends)
