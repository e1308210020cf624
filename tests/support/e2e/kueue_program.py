"""Kueue: its controller with its chart, and queues of it for one namespace."""

from typing import Any, Final

from controller_manager import ControllerManager
from external_systems import recipes
from scenes import Pool
from users import Document
from waiting import eventually


QUEUE: Final = "kueue.x-k8s.io/queue-name"
"""Label of a pod or job."""
GATE: Final = "kueue.x-k8s.io/admission"
_API: Final = "kueue.x-k8s.io/v1beta2"

MANAGER: Final = ControllerManager(
    recipes.KUEUE,
    "charts/kueue",
    "kueue-system",
    "kueue-controller-manager",
    {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "integrations": {"frameworks": ["batch/job", "pod"]},
        # It is an aggregated API, which the API server could not reach here.
        "featureGates": {"VisibilityOnDemand": False},
    },
    # Without a certificate of its own it wants one for its metrics below /etc.
    secret="kueue-webhook-server-cert",
)


def open_queue(pool: Pool, short: str, cpu: int) -> str:
    """A queue of so much cpu for jobs and pods of the pool's namespace; returns its name."""
    name = pool.name(short)
    for each in _objects(name, pool.namespace, cpu):
        eventually(lambda made=each: pool.admin.create(made), bool)  # type: ignore[misc]
    return name


def close_queue(pool: Pool, name: str) -> None:
    pool.admin.delete("LocalQueue", name, pool.namespace)
    pool.admin.delete("ClusterQueue", name)
    pool.admin.delete("ResourceFlavor", name)


def set_quota(pool: Pool, name: str, cpu: int) -> None:
    """Change how much cpu the queue has."""
    (made,) = (each for each in _objects(name, "", cpu) if each["kind"] == "ClusterQueue")
    pool.admin.patch("ClusterQueue", name, change={"spec": made["spec"]})


def _objects(name: str, namespace: str, cpu: int) -> tuple[Document, ...]:
    def made(kind: str, spec: Document, **place: Any) -> Document:
        return {"apiVersion": _API, "kind": kind, "metadata": {"name": name, **place}, "spec": spec}

    amount = {"name": "cpu", "nominalQuota": str(cpu)}
    group = {"coveredResources": ["cpu"], "flavors": [{"name": name, "resources": [amount]}]}
    return (
        made("ResourceFlavor", {}),
        made("ClusterQueue", {"namespaceSelector": {}, "resourceGroups": [group]}),
        made("LocalQueue", {"clusterQueue": name}, namespace=namespace),
    )
