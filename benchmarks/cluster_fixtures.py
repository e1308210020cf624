"""Objects of the real cluster in which we measure: nodes, a profile, quotas and plain pods."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from typing import Final

from elasticquota import names
from elasticquota_kube.client.api import Document


WIDE: Final = 16
"""Concurrent calls of our client."""


async def many(calls: Iterable[Awaitable[object]], wide: int = WIDE) -> None:
    """Make the calls with ``wide`` connections."""
    turns = iter(calls)

    async def one_after_the_other() -> None:
        for call in turns:
            await call

    await asyncio.gather(*(one_after_the_other() for _ in range(wide)))


def node(name: str, pool: Mapping[str, str], offers: Mapping[str, str]) -> Document:
    """A kwok node with the labels of ``pool``."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {**pool, "kubernetes.io/hostname": name},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "status": {"capacity": offers, "allocatable": offers},
    }


def profile(name: str, root: str, pool: Mapping[str, str]) -> Document:
    """The profile of the tree ``root`` on the nodes of ``pool``."""
    return {
        "apiVersion": names.PROFILE_API,
        "kind": names.PROFILE_KIND,
        "metadata": {"name": name},
        "spec": {"quotaName": root, "nodeSelector": {"matchLabels": pool}},
    }


def quota(name: str, parent: str, low: int, high: int, *, is_parent: bool = False) -> Document:
    """A quota with min ``low`` and max ``high`` cpus."""
    labels = {names.PARENT: parent, names.IS_PARENT: str(is_parent).lower()}
    return {
        "apiVersion": names.QUOTA_API,
        "kind": names.QUOTA_KIND,
        "metadata": {"name": name, "labels": labels},
        "spec": {"min": {"cpu": str(low)}, "max": {"cpu": str(high)}},
    }


def pod(
    name: str, namespace: str, labels: Mapping[str, str], pool: Mapping[str, str], milli: int = 100
) -> Document:
    """A pod of one container, on the nodes of ``pool``."""
    resources = {"requests": {"cpu": f"{milli}m"}}
    main = {"name": "main", "image": "registry.example/a:1", "resources": resources}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"containers": [main], "nodeSelector": pool},
    }
