"""Rows of the golden table as real pods, put before a real scheduler and a real ResourceQuota.

The scheduler is asked twice: by a pod that may only go to one node of exactly its size, and by one
that may only go to nodes that each lack one unit of one resource. It looks at a pod's state only
once the pod sits on a node, so a row with a state is seated on all these nodes beforehand, and what
is tried is whether one more unit of everything fits beside it.

A ResourceQuota is asked twice too. It can tell pods apart by priority class, but then counts only
cpu and memory: each row has a class and a quota of its own, made after the pods, so that it counts
what is there and refuses nothing. Everything else one quota counts at admission, pod by pod.

All pods live in ``kube-system``, which the operator leaves alone where it is installed, and bear
every taint, because nobody keeps their nodes alive.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from kubernetes import client

from elasticquota import resources
from elasticquota.resources import Resources
from pod_sizes import QUOTA, Row
from users import Document, User
from waiting import eventually


NAMESPACE: Final = "kube-system"
_BY_CLASS: Final = ("pods", "requests.cpu", "requests.memory")


class Trials:
    """Every row as pods and nodes, from ``open`` to ``close``."""

    def __init__(self, admin: User) -> None:
        self._admin = admin
        self._api: Any = client.ApiClient(admin.configuration)
        self._core: Any = client.CoreV1Api(self._api)
        self._nodes_api: Any = client.NodeV1Api(self._api)
        self._scheduling: Any = client.SchedulingV1Api(self._api)
        self._mark = f"trial-{secrets.token_hex(3)}"
        self._names: dict[str, str] = {}

    def open(self, rows: Sequence[Row]) -> None:
        """Make the pods and nodes."""
        for number, row in enumerate(rows):
            self._names[row.name] = f"{self._mark}-{number}"
        _side_by_side(self._open, rows)

    def close(self) -> None:
        """Leave nothing behind."""
        mine = {"label_selector": f"trial={self._mark}"}
        self._core.delete_collection_namespaced_resource_quota(NAMESPACE, **mine)
        self._core.delete_collection_namespaced_pod(NAMESPACE, grace_period_seconds=0, **mine)
        self._core.delete_collection_node(**mine)
        self._scheduling.delete_collection_priority_class(**mine)
        self._nodes_api.delete_collection_runtime_class(**mine)
        self._api.close()

    def exact(self, row: Row) -> Document:
        """The pod that may go only to the node of exactly its size."""
        return self._admin.get("Pod", f"{self._names[row.name]}-exact", NAMESPACE)

    def short(self, row: Row) -> Document:
        """The pod that may go only to nodes that are one unit too small."""
        return self._admin.get("Pod", f"{self._names[row.name]}-short", NAMESPACE)

    def open_quotas(self, rows: Iterable[Row]) -> None:
        """Make a ResourceQuota for the pod of each row."""
        _side_by_side(self._open_quota, rows)

    def counted(self, row: Row) -> Resources:
        """Cpu, memory and pods that the row's ResourceQuota counts."""
        return self._used(self._names[row.name])

    def open_quota(self, keys: Iterable[str]) -> None:
        """Make one ResourceQuota over ``keys`` for all pods to come, and wait until it counts."""
        self._quota(self._mark, [f"requests.{key}" for key in keys])
        eventually(lambda: self._used(self._mark), bool)

    def counted_at_admission(self, row: Row) -> Resources:
        """By how much one more pod of the row, which stays gated, raises that quota."""
        before = self._used(self._mark)
        gate = {"schedulingGates": [{"name": "example.com/never"}]}
        self._pod(f"{self._names[row.name]}-gated", row.spec | gate)
        return resources.subtract(self._used(self._mark), before)

    def _open_quota(self, row: Row) -> None:
        name = self._names[row.name]
        its_class = {"scopeName": "PriorityClass", "operator": "In", "values": [name]}
        self._quota(name, _BY_CLASS, scopeSelector={"matchExpressions": [its_class]})

    def _quota(self, name: str, keys: Iterable[str], **spec: Any) -> None:
        quota = {
            "metadata": self._meta(name),
            "spec": {"hard": dict.fromkeys(keys, "1P"), **spec},
        }
        self._core.create_namespaced_resource_quota(NAMESPACE, quota)

    def _used(self, name: str) -> Resources:
        quota = self._core.read_namespaced_resource_quota(name, NAMESPACE)
        used: dict[str, str] = quota.status.used or {}
        return resources.parse({key.removeprefix("requests."): used[key] for key in used})

    def _open(self, row: Row) -> None:
        name, size = self._names[row.name], resources.parse(row.size)
        spec, counted = self._specs(name, row)
        if not row.status:
            self._rooms(name, resources.add(size, {"pods": 1}), lacking(row))
            self._pod(f"{name}-exact", counted | _only(f"{name}-exact"))
            self._pod(f"{name}-short", spec | _only(f"{name}-short"))
            return
        one_more = dict.fromkeys(lacking(row), 1)
        exact, *short = self._rooms(name, resources.add(size, one_more, {"pods": 2}), one_more)
        self._seat(exact, counted, row.status)
        for node in short:
            self._seat(node, spec, row.status)
        # After the states, in the same stream: so whoever sees these pods has seen the states.
        probe = {"containers": [{"name": "a", "resources": {"requests": resources.text(one_more)}}]}
        for room in (f"{name}-exact", f"{name}-short"):
            self._pod(room, probe | _only(room))

    def _specs(self, name: str, row: Row) -> tuple[Document, Document]:
        """The row's pod, and the same in a class of its own when a ResourceQuota judges it."""
        spec = dict(row.spec)
        if "overhead" in spec:
            overhead = {"podFixed": spec["overhead"]}
            runtime = {"metadata": self._meta(name), "handler": "any", "overhead": overhead}
            self._nodes_api.create_runtime_class(runtime)
            spec["runtimeClassName"] = name
        if QUOTA not in row.judges:
            return spec, spec
        priority = {"metadata": self._meta(name), "value": 0, "preemptionPolicy": "Never"}
        self._scheduling.create_priority_class(priority)
        return spec, spec | {"priorityClassName": name}

    def _seat(self, node: str, spec: Document, status: Document) -> None:
        """A pod that sits on the node in that state."""
        name, state = f"{node}-seated", {"status": status}
        self._pod(name, spec | {"nodeName": node})
        self._admin.patch("Pod", name, NAMESPACE, change=state, subresource="status")

    def _rooms(self, name: str, room: Resources, lacking: Iterable[str]) -> list[str]:
        """A node that offers ``room`` and some that each lack one unit; their names in order."""
        short = [resources.subtract(room, {key: 1}) for key in lacking]
        made = []
        for number, offered in enumerate([room, *short]):
            label = f"{name}-short" if number else f"{name}-exact"
            made.append(f"{name}-{number}")
            amounts = resources.text(offered)
            node = {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": self._meta(made[-1], room=label),
                "status": {"capacity": amounts, "allocatable": amounts},
            }
            self._admin.create(node)
        return made

    def _pod(self, name: str, spec: Document) -> None:
        images = {
            key: [container | {"image": "registry.example/main:1"} for container in spec[key]]
            for key in ("containers", "initContainers")
            if key in spec
        }
        bears_all = {"tolerations": [{"operator": "Exists"}]}
        manifest = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": self._meta(name) | {"namespace": NAMESPACE},
            "spec": spec | images | bears_all,
        }
        # A new class is unknown to the API server's own admission for a moment.
        eventually(lambda: self._admin.create(manifest), bool)

    def _meta(self, name: str, **labels: str) -> Document:
        return {"name": name, "labels": {"trial": self._mark, **labels}}


def lacking(row: Row) -> list[str]:
    """The resources of which a node may have too little for the row."""
    return [key for key, amount in resources.parse(row.size).items() if amount] or ["pods"]


def _only(room: str) -> Document:
    return {"nodeSelector": {"room": room}}


def _side_by_side(work: Callable[[Row], None], rows: Iterable[Row]) -> None:
    """A request mostly waits, so eight at a time take a third of the time."""
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(work, rows):
            pass
