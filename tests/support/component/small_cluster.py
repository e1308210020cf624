"""The whole controller on a double of the API server, with one node, one tree and one team."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from api_double import ApiDouble
from elasticquota import names
from elasticquota_config import model
from elasticquota_kube.client import paths
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_operator import main
from elasticquota_operator.runtime import Runtime


@contextlib.asynccontextmanager
async def controller(
    double: ApiDouble, identity: str, port: int, file: Path | None = None, **settings: Any
) -> AsyncIterator[Runtime]:
    chosen = model.read({"controller": {"port": port}, **settings})
    found = Runtime(chosen, Credentials(double.url), "operator", identity, file)
    running = asyncio.create_task(main.operate(found, ["127.0.0.1"], liveness=None))
    try:
        yield found
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


def pool(double: ApiDouble, cpu: str = "8") -> None:
    metadata = {"namespace": "pools", "name": "pool"}
    selector = {"matchLabels": {"pool": "cpu"}}
    spec = {"quotaName": "root", "nodeSelector": selector}
    double.put(paths.PROFILES, {"metadata": metadata, "spec": spec})
    ready = {"type": "Ready", "status": "True"}
    allocatable = {"cpu": cpu, "memory": "32Gi", "pods": "110"}
    status = {"allocatable": allocatable, "conditions": [ready]}
    node = {"metadata": {"name": "n-1", "labels": {"pool": "cpu"}}, "status": status}
    double.put(paths.NODES, node)


def team(double: ApiDouble, name: str = "team") -> None:
    labels = {names.PARENT: "root"}
    spec = {"min": {"cpu": "4"}, "max": {"cpu": "8"}}
    metadata = {"namespace": name, "name": name, "labels": labels}
    double.put(paths.QUOTAS, {"metadata": metadata, "spec": spec})


def pod(double: ApiDouble, name: str, cpu: str, namespace: str = "team") -> None:
    gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
    manifest = {
        "metadata": {"namespace": namespace, "name": name},
        "spec": {
            "schedulingGates": [{"name": names.GATE}],
            "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}],
        },
        "status": {"phase": "Pending", "conditions": [gated]},
    }
    double.put(paths.PODS, manifest)


def gated(double: ApiDouble) -> list[str]:
    found = double.objects(paths.PODS)
    return [p["metadata"]["name"] for p in found if p["spec"]["schedulingGates"]]


def summary(double: ApiDouble, name: str) -> dict[str, Any]:
    for quota in double.objects(paths.QUOTAS):
        if quota["metadata"]["name"] == name:
            return dict((quota.get("status") or {}).get("summary") or {})
    return {}
