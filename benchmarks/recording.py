"""Records real bytes for the replay server: one object of each kind, as a watch sends it.

``python -m benchmarks.recording`` runs a local cluster, creates the objects there and writes them
to ``recorded/``. What differs from object to object has a known text in them (``QUOTA``, ``CPU``),
which ``replay_lists`` replaces; everything else comes from the API server and kwok: defaults,
managedFields, conditions, spelling. The controller manager is paused meanwhile, because the garbage
collector would delete pods without their owners.
"""

import asyncio
import tempfile
from contextlib import aclosing
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmarks import manifests, measure, pod_manifests, workloads
from benchmarks.manifests import Document
from elasticquota import names
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import watch_lines
from local_cluster import cluster, product


FOLDER: Final = Path(__file__).parent / "recorded"

SPACE: Final = "recorded-space"
QUOTA: Final = "recorded-quota"
PARENT: Final = "recorded-parent"
NODE: Final = "recorded-node"
CPU: Final = 123_000
MEMORY: Final = 123 * workloads.GI
DEVICE: Final = workloads.EXTENDED[0]

_ACCOUNTS: Final = Resource("", "v1", "serviceaccounts")
_SERVERS: Final = frozenset({"uid", "resourceVersion", "creationTimestamp", "managedFields"})
_PATIENCE: Final = 60.0


async def record(running: cluster.Cluster) -> None:
    """Create the objects and write their bytes."""
    powers = {"breakGlassGroups": ["system:masters"]}  # may create a pod with a node
    product.install(running, {"controller": {"replicas": 1}, "policy": powers})
    async with Api(credentials.load(Login(running.kubeconfig))) as api:
        await api.create(paths.NAMESPACES, None, {"metadata": {"name": SPACE}})
        await _until(api, _ACCOUNTS, "default")
        await api.create(paths.NODES, None, _node())
        await api.create(paths.PROFILES, SPACE, _profile())
        await _until(api, paths.QUOTAS, manifests.ROOT)
        await api.create(paths.QUOTAS, SPACE, _quota(PARENT, manifests.ROOT, is_parent=True))
        await api.create(paths.QUOTAS, SPACE, _quota(QUOTA, PARENT, is_parent=False))
        running.pause("kube-controller-manager")
        running.pause("kube-scheduler")
        for name, size in _SIZES.items():
            held = _pod(f"waiting-{name}", size)
            await api.create(paths.PODS, SPACE, held)
            started = _pod(f"running-{name}", size)
            started["spec"]["nodeName"] = NODE
            del started["spec"]["schedulingGates"]
            await api.create(paths.PODS, SPACE, started)
        for name in _SIZES:
            await _keep(api, paths.PODS, f"waiting-{name}", "PodScheduled")
            await _keep(api, paths.PODS, f"running-{name}", "ContainersReady")
        await _keep(api, paths.QUOTAS, QUOTA, "Accepted")
        await _keep(api, paths.PROFILES, "pool", "Ready")
        await _keep(api, paths.NODES, NODE, "Ready")
        await _keep(api, paths.NAMESPACES, SPACE, "")


_SIZES: Final = {
    "plain": {names.CPU: CPU, names.MEMORY: MEMORY},
    "device": {names.CPU: CPU, names.MEMORY: MEMORY, DEVICE: 1},
}


async def _keep(api: Api, resource: Resource, name: str, condition: str) -> None:
    """The first event that shows the object with that condition."""
    params = {"fieldSelector": f"metadata.name={name}", "sendInitialEvents": "true",
              "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}  # fmt: skip
    async with asyncio.timeout(_PATIENCE):
        stream = api.watch(resource, params=params, quiet=_PATIENCE)
        async with aclosing(stream), aclosing(watch_lines.split(stream)) as batches:
            async for lines in batches:
                for line in lines:
                    event = watch_lines.parse(line)
                    if event.type in ("ADDED", "MODIFIED") and _has(event.content, condition):
                        kind = name if resource is paths.PODS else resource.plural
                        (FOLDER / f"{kind}.json").write_bytes(bytes(event.content) + b"\n")
                        return


def _has(content: Any, condition: str) -> bool:
    status = msgspec.json.decode(content).get("status") or {}
    found = [each["type"] for each in status.get("conditions") or ()]
    return not condition or condition in found


async def _until(api: Api, resource: Resource, name: str) -> None:
    async with asyncio.timeout(_PATIENCE):
        while True:
            found = await api.list(resource, SPACE)
            if any(each["metadata"]["name"] == name for each in found):
                return
            await asyncio.sleep(0.1)


def _pod(name: str, size: dict[str, int]) -> Document:
    pod = pod_manifests.waiting(0, QUOTA, 0, size)
    pod["metadata"] |= {"name": name, "namespace": SPACE}
    return _bare(pod, "v1", "Pod")


def _node() -> Document:
    node = manifests.node(NODE, {names.CPU: CPU, names.MEMORY: MEMORY, names.PODS: 110, DEVICE: 8})
    node["metadata"]["annotations"]["kwok.x-k8s.io/node"] = "fake"
    return _bare(node, "v1", "Node")


def _quota(name: str, parent: str, *, is_parent: bool) -> Document:
    low = {names.CPU: CPU, names.MEMORY: MEMORY}
    high = {key: 4 * amount for key, amount in low.items()}
    quota = manifests.quota(name, parent, low, high, is_parent=is_parent)
    quota["metadata"]["namespace"] = SPACE
    return _bare(quota, names.QUOTA_API, names.QUOTA_KIND)


def _profile() -> Document:
    profile = manifests.profile()
    profile["metadata"]["namespace"] = SPACE
    return _bare(profile, names.PROFILE_API, names.PROFILE_KIND)


def _bare(document: Document, api_version: str, kind: str) -> Document:
    """The object without the fields that only the server may write."""
    metadata = {key: value for key, value in document["metadata"].items() if key not in _SERVERS}
    return {**document, "apiVersion": api_version, "kind": kind, "metadata": metadata}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster.start(Path(folder) / "local", say=measure.say) as running,
    ):
        asyncio.run(record(running))
    for kept in sorted(FOLDER.glob("*.json")):
        print(f"{kept.name}: {kept.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
