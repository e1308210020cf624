"""Kopf that indexes a cluster: ``python -m benchmarks.kopf_process event|index count``.

Reads pods, nodes and quotas from the API server that ``KUBECONFIG`` names, keeps a small record of
each, and prints on standard error when it has ``count`` records. ``index`` is ``kopf.index``,
Kopf's own means for this; ``event`` is a plain dictionary filled by ``kopf.on.event``, which is
faster. Lists come in pages of 500.
"""

import asyncio
import base64
import json
import os
import ssl
import sys
from pathlib import Path
from typing import Any, Final

import aiohttp
import kopf
import yaml

from benchmarks import controller_process
from elasticquota import names


_SERVER: Final = yaml.safe_load(Path(os.environ["KUBECONFIG"]).read_text("utf-8"))["clusters"][0][
    "cluster"
]
_PLURALS: Final = (("", "pods"), ("", "nodes"), ("scheduling.sigs.k8s.io", "elasticquotas"))


class Kept:
    """Records by uid."""

    def __init__(self) -> None:
        self.records: dict[str, object] = {}

    def keep(self, body: Any) -> object:
        metadata, spec = body["metadata"], body.get("spec") or {}
        record = (
            metadata.get("namespace", ""),
            metadata["name"],
            (metadata.get("labels") or {}).get(names.QUOTA_NAME, ""),
            spec.get("nodeName", ""),
            tuple(
                tuple((found.get("resources") or {}).get("requests", {}).items())
                for found in spec.get("containers") or ()
            ),
        )
        self.records[metadata["uid"]] = record
        return record


def registry(kept: Kept, way: str) -> kopf.OperatorRegistry:
    made = kopf.OperatorRegistry()
    kopf.on.login(registry=made)(_login)
    for group, plural in _PLURALS:
        version = "v1alpha1" if group else "v1"

        async def by_event(body: kopf.Body, **_: Any) -> None:
            kept.keep(body)

        async def by_index(body: kopf.Body, uid: str, **_: Any) -> dict[str, object]:
            return {uid: kept.keep(body)}

        if way == "index":
            kopf.index(group, version, plural, id=plural, registry=made)(by_index)
        else:
            kopf.on.event(group, version, plural, id=plural, registry=made)(by_event)
    return made


async def _login(**_: Any) -> kopf.AiohttpSession:
    server = _SERVER
    trusted = ssl.create_default_context(
        cadata=base64.b64decode(server["certificate-authority-data"]).decode()
    )
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, ssl=trusted))
    return kopf.AiohttpSession(server=server["server"], aiohttp_session=session)


async def run(way: str, count: int) -> None:
    kept = Kept()
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.watching.chunk_size = 500
    stop, ready = asyncio.Event(), asyncio.Event()
    operator = asyncio.create_task(
        kopf.operator(
            registry=registry(kept, way),
            settings=settings,
            standalone=True,
            clusterwide=True,
            stop_flag=stop,
            ready_flag=ready,
        )
    )
    while len(kept.records) < count:
        await asyncio.sleep(0.05)
        if operator.done():
            operator.result()
    print(json.dumps({"event": controller_process.FILLED}), file=sys.stderr, flush=True)
    await operator


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], int(sys.argv[2])))
