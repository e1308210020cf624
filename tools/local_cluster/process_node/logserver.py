"""Serves ``kubectl logs``: the API server asks the node, and the node reads the log file.

The file has all runs of a container, so ``--previous`` shows the same lines. Only the API server
gets answers: it has to show a client certificate of the cluster's authority.
"""

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path

from aiohttp import web

from local_cluster import certificates, folder


_LOOK_EVERY_SECONDS = 0.3
_CHUNK = 65536


class LogServer:
    """The part of a kubelet's HTTPS interface that serves logs."""

    def __init__(self, place: folder.Folder, runs: Callable[[str, str], bool]) -> None:
        self._place = place
        self._runs = runs
        """Whether a pod, by namespace and name, is on this node."""
        application = web.Application()
        application.router.add_get(
            "/containerLogs/{namespace}/{pod}/{container}", self._container_logs
        )
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=1)

    async def start(self, address: str) -> int:
        """Listen on a free port of ``address`` and return its number."""
        await self._runner.setup()
        pki = self._place.pki
        context = certificates.trust(pki, ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(pki / "kubelet.crt", pki / "kubelet.key")
        context.verify_mode = ssl.CERT_REQUIRED
        await web.TCPSite(self._runner, address, 0, ssl_context=context).start()
        port: int = self._runner.addresses[0][1]
        return port

    async def stop(self) -> None:
        """Stop listening; clients that follow a log are cut off."""
        await self._runner.cleanup()

    async def _container_logs(self, request: web.Request) -> web.StreamResponse:
        asked = request.match_info
        path = self._place.pod_log(asked["namespace"], asked["pod"], asked["container"])
        if not path.exists():
            raise web.HTTPNotFound(text=f"no log of container {asked['container']}")
        answer = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await answer.prepare(request)
        offset = 0
        if "tailLines" in request.query:
            offset = tail(path.read_bytes(), int(request.query["tailLines"]))
        follows = request.query.get("follow") in {"true", "1"}
        while True:
            offset = await _send(path, offset, answer)
            if not follows or not self._runs(asked["namespace"], asked["pod"]):
                return answer
            await asyncio.sleep(_LOOK_EVERY_SECONDS)


def tail(content: bytes, lines: int) -> int:
    """The offset at which the last ``lines`` lines of ``content`` begin."""
    if lines <= 0:
        return len(content)
    offset = len(content) - 1 if content.endswith(b"\n") else len(content)
    for _ in range(lines):
        offset = content.rfind(b"\n", 0, offset)
        if offset < 0:
            return 0
    return offset + 1


async def _send(path: Path, offset: int, answer: web.StreamResponse) -> int:
    with path.open("rb") as log:
        log.seek(offset)
        while chunk := log.read(_CHUNK):
            await answer.write(chunk)
            offset += len(chunk)
    return offset
