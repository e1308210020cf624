"""Registers the process node, a Ready node that only pods with its toleration can use."""

import asyncio
import platform
from typing import Any

from local_cluster import api


NAME = "process-node"
MARK = "elasticquota.dev/process-node"
"""Label and taint key of the node; the value is ``true``."""

_HEARTBEAT_SECONDS = 10.0
_LEASE_SECONDS = 40
_STATUS_EVERY = 6
_RETRY_SECONDS = 0.3
_RESOURCES = {"cpu": "8", "memory": "16Gi", "pods": "100", "ephemeral-storage": "16Gi"}
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


def manifest(address: str, port: int) -> api.Object:
    """The Node as it registers."""
    machine = platform.machine()
    architecture = _ARCHITECTURES.get(machine, machine)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": NAME,
            "labels": {
                MARK: "true",
                "kubernetes.io/hostname": NAME,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": architecture,
            },
        },
        "spec": {"taints": [{"key": MARK, "value": "true", "effect": "NoSchedule"}]},
        "status": {
            "capacity": _RESOURCES,
            "allocatable": _RESOURCES,
            **_seen(address, port),
            "nodeInfo": {
                "architecture": architecture,
                "operatingSystem": "linux",
                "kernelVersion": platform.release(),
                "osImage": "local processes",
                "containerRuntimeVersion": "process://1",
                "kubeletVersion": "v0.0.0-process-node",
                "kubeProxyVersion": "",
                "machineID": "",
                "systemUUID": "",
                "bootID": "",
            },
        },
    }


def _seen(address: str, port: int) -> api.Object:
    """The part of the status that a node renews."""
    return {
        # No Hostname: the API server would prefer it, and it resolves nowhere.
        "addresses": [{"type": "InternalIP", "address": address}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
        "conditions": _conditions(),
    }


def _conditions() -> list[dict[str, Any]]:
    """A healthy node's conditions, seen now."""
    now = api.timestamp()
    healthy = {
        "MemoryPressure": "False",
        "DiskPressure": "False",
        "PIDPressure": "False",
        "Ready": "True",
    }
    return [
        {
            "type": kind,
            "status": value,
            "reason": "ProcessNodeReady" if kind == "Ready" else "NoPressure",
            "message": "",
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        for kind, value in healthy.items()
    ]


async def live(client: api.Client, address: str, port: int) -> None:
    """Register, then renew lease and status until cancelled; a deleted Node is registered again.

    The API server asks for logs at ``address`` and ``port``.
    """
    beat = 0
    while True:
        try:
            if await client.find(f"/api/v1/nodes/{NAME}") is None:
                await client.create("/api/v1/nodes", manifest(address, port))
            elif beat % _STATUS_EVERY == 0:
                body = {"status": _seen(address, port)}
                await client.strategic_merge(f"/api/v1/nodes/{NAME}/status", body)
            await _renew(client)
        except api.ApiError as error:
            print(f"{api.timestamp()} heartbeat failed: {error}", flush=True)
            await asyncio.sleep(_RETRY_SECONDS)
        else:
            beat += 1
            await asyncio.sleep(_HEARTBEAT_SECONDS)


async def _renew(client: api.Client) -> None:
    spec = {
        "holderIdentity": NAME,
        "leaseDurationSeconds": _LEASE_SECONDS,
        "renewTime": api.timestamp().replace("Z", ".000000Z"),
    }
    try:
        await client.merge(f"{_LEASES}/{NAME}", {"spec": spec})
    except api.RejectedError as error:
        if error.code != 404:
            raise
        await client.create(_LEASES, {"metadata": {"name": NAME}, "spec": spec})
