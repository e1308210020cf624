"""Workloads of every kind whose controllers make pods, and how each is scaled.

``template`` is the pool's pod as a template; ``make`` creates the object and returns its manifest.
The real controller manager does the rest.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from scenes import Pool
from users import Document


def template(pool: Pool, quota: str, app: str, **facts: Any) -> Document:
    """A pod template of the quota's; ``app`` is the label that selectors go by."""
    pod = pool.pod_manifest(app, quota, **facts)
    labels = pod["metadata"]["labels"] | {"app": app}
    return {
        "metadata": {"labels": labels, "annotations": pod["metadata"]["annotations"]},
        "spec": pod["spec"],
    }


def _replicated(pool: Pool, app: str, pod: Document, replicas: int, **spec: Any) -> Document:
    return {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": app}},
        "template": pod,
        **spec,
    }


def job_spec(pod: Document, parallelism: int, **spec: Any) -> Document:
    """That of a Job; completions as many unless said otherwise."""
    once = {**pod, "spec": {"restartPolicy": "Never", **pod["spec"]}}
    return {"parallelism": parallelism, "completions": parallelism, "template": once, **spec}


def manifest(pool: Pool, kind: str, name: str, spec: Document) -> Document:
    version = "batch/v1" if kind in ("Job", "CronJob") else "apps/v1"
    metadata = {"name": name, "namespace": pool.namespace}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def job(
    pool: Pool,
    quota: str,
    name: str,
    parallelism: int,
    *,
    job: Document | None = None,
    **facts: Any,
) -> Document:
    """Create a Job; ``job`` are fields of its spec, ``facts`` those of its pods."""
    spec = job_spec(template(pool, quota, name, **facts), parallelism, **(job or {}))
    return pool.admin.create(manifest(pool, "Job", name, spec))


def replicated(
    pool: Pool, kind: str, quota: str, name: str, replicas: int, *, spec: Document | None = None
) -> Document:
    """Create a Deployment, ReplicaSet or StatefulSet."""
    pod = template(pool, quota, name)
    body = _replicated(pool, name, pod, replicas, **(spec or {}))
    return pool.admin.create(manifest(pool, kind, name, body))


def daemons(pool: Pool, name: str, quota: str | None) -> Document:
    """A DaemonSet on the pool's nodes; without a quota it carries no label of one."""
    pod = template(pool, quota or "", name, nodeSelector={"pool": pool.namespace})
    spec = {"selector": {"matchLabels": {"app": name}}, "template": pod}
    return pool.admin.create(manifest(pool, "DaemonSet", name, spec))


def owned_by_hand(pool: Pool, quota: str, name: str, count: int) -> Document:
    """Pods that a controller unknown to anybody made for an object of a foreign kind."""
    metadata = {"name": name, "namespace": pool.namespace}
    owner = pool.admin.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    for number in range(count):
        pod = pool.pod_manifest(f"{name}-{number}", quota)
        pod["metadata"]["ownerReferences"] = [
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "name": name,
                "uid": owner["metadata"]["uid"],
                "controller": True,
            }
        ]
        pool.admin.create(pod)
    return owner


Maker = Callable[[Pool, str, str, int], object]

MAKERS: Final[Mapping[str, Maker]] = {
    "Deployment": lambda pool, quota, name, n: replicated(pool, "Deployment", quota, name, n),
    "ReplicaSet": lambda pool, quota, name, n: replicated(pool, "ReplicaSet", quota, name, n),
    "StatefulSet": lambda pool, quota, name, n: replicated(pool, "StatefulSet", quota, name, n),
    "Job": job,
    "ConfigMap": owned_by_hand,
}
"""By kind: makes so many pods for a quota under that name."""


def scale(pool: Pool, kind: str, name: str, count: int) -> None:
    """Ask the workload for so many pods; an owner of a foreign kind can only go as a whole."""
    if kind == "ConfigMap":
        for number in range(count, 10):
            pod = f"{name}-{number}"
            if pool.admin.find("Pod", pod, pool.namespace):
                pool.admin.delete("Pod", pod, pool.namespace)
        return
    field = "parallelism" if kind == "Job" else "replicas"
    pool.admin.patch(kind, name, pool.namespace, change={"spec": {field: count}})
