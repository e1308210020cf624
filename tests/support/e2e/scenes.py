"""A scene is one test's own pool of nodes with its own tree, so that tests share no capacity.

``Pool`` has a namespace with a profile and its root quota and some kwok nodes, and makes quotas and
pods in a few words. Quota names are unique over all namespaces, so the pool's name is added to
every name that a test gives: ``pool.name("team-a")``. Amounts are whole cpus unless they are texts.
"""

import itertools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import namespaces
import users
from users import Document, User
from waiting import eventually


GATE = "elasticquota.dev/admission"
PREFIX = "quota.scheduling.koordinator.sh/"
LOW, HIGH = "tests-low", "tests-high"
PRIORITIES = {LOW: 100, HIGH: 1000}

Amount = int | str


class Pool:
    """One namespace, one node pool, one profile, one tree."""

    def __init__(self, admin: User, namespace: str) -> None:
        self.admin = admin
        self.namespace = namespace
        self.root = self.name("root")
        self._numbers = itertools.count()
        self._nodes: list[str] = []

    def name(self, short: str) -> str:
        """``short``, made unique in the cluster."""
        return f"{short}-{self.namespace}"

    def open(
        self, nodes: int, *, capacity: Mapping[str, object] | None = None, **each: Amount
    ) -> None:
        """Make nodes and profile, and wait for the root quota."""
        for _ in range(nodes):
            self.add_node(**each)
        profile = self.profile_manifest()
        if capacity is not None:
            profile["spec"]["capacity"] = capacity
        self.admin.create(profile)
        eventually(
            lambda: self.admin.get("ElasticQuota", self.root, self.namespace),
            lambda root: condition(root, "Accepted")["status"] == "True",
        )

    def close(self) -> None:
        """Delete everything that another test could see."""
        namespaces.leave(self.admin, self.namespace)
        for node in self._nodes:
            if self.admin.find("Node", node):
                self.admin.delete("Node", node)

    def set_capacity(self, capacity: Document | None) -> None:
        """Write the capacity of the profile; None removes it."""
        change = {"spec": {"capacity": capacity}}
        self.admin.patch("ElasticQuotaProfile", "pool", self.namespace, change=change)

    # -- nodes

    def add_node(
        self, cpu: Amount = 8, memory: Amount = "32Gi", *, taint: Amount = "", **more: Amount
    ) -> str:
        """Add a kwok node to the pool; underscores in ``more`` stand for slashes and dots."""
        name = f"{self.namespace}-{next(self._numbers)}"
        offered = {"cpu": str(cpu), "memory": str(memory), "pods": "110", **_devices(more)}
        self.admin.create(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {
                    "name": name,
                    "labels": {"pool": self.namespace, "kubernetes.io/hostname": name},
                    "annotations": {"kwok.x-k8s.io/node": "fake"},
                },
                "spec": {"taints": [{"key": taint, "effect": "NoSchedule"}] if taint else []},
                "status": {"capacity": offered, "allocatable": offered},
            }
        )
        self._nodes.append(name)
        return name

    def remove_node(self, name: str) -> None:
        self.admin.delete("Node", name)

    def cordon(self, name: str) -> None:
        self.admin.patch("Node", name, change={"spec": {"unschedulable": True}})

    def nodes(self) -> set[str]:
        """Names of the pool's nodes."""
        return {
            node["metadata"]["name"]
            for node in self.admin.list("Node", labelSelector=f"pool={self.namespace}")
        }

    # -- profile and quotas

    def profile_manifest(self, **spec: Any) -> Document:
        return {
            "apiVersion": "quota.koordinator.sh/v1alpha1",
            "kind": "ElasticQuotaProfile",
            "metadata": {"name": "pool", "namespace": self.namespace},
            "spec": {
                "quotaName": self.root,
                "nodeSelector": {"matchLabels": {"pool": self.namespace}},
                **spec,
            },
        }

    def quota_manifest(
        self,
        short: str,
        *,
        min: Any = None,  # noqa: A002 - the field's own name
        max: Any = None,  # noqa: A002
        parent: str | None = None,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> Document:
        """A quota below the root unless a parent is given; a number means cpus, None leaves out.

        ``settings`` are other fields of its spec.
        """
        parent_name = self.root if parent is None else self.name(parent)
        spec = {"min": _amounts(min), "max": _amounts(max), **settings}
        return {
            "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
            "kind": "ElasticQuota",
            "metadata": {
                "name": self.name(short),
                "namespace": self.namespace,
                "labels": {f"{PREFIX}parent": parent_name, **(labels or {})},
                "annotations": dict(annotations or {}),
            },
            "spec": {key: value for key, value in spec.items() if value is not None},
        }

    def quota(self, short: str, **facts: Any) -> Document:
        """Create what ``quota_manifest`` describes."""
        return self.admin.create(self.quota_manifest(short, **facts))

    def department(self, short: str, **facts: Any) -> Document:
        """A parent quota."""
        return self.quota(short, labels={f"{PREFIX}is-parent": "true"}, **facts)

    def get(self, short: str) -> Document:
        """The quota as it is now."""
        return self.admin.get("ElasticQuota", self.name(short), self.namespace)

    def status(self, short: str) -> Document:
        return dict(self.get(short).get("status") or {})

    def root_quota(self) -> Document:
        return self.admin.get("ElasticQuota", self.root, self.namespace)

    def used(self, short: str, resource: str = "cpu") -> str:
        """The used amount in the quota's status."""
        return str(self.status(short).get("used", {}).get(resource, "0"))

    # -- pods

    def pod_manifest(
        self,
        short: str,
        quota: str | None,
        *,
        cpu: Amount = 1,
        priority: str | None = None,
        labels: Mapping[str, str] | None = None,
        run_for: str | None = None,
        namespace: str | None = None,
        **spec: Any,
    ) -> Document:
        """A pod that runs without end or for a time (``"1s"``); without a quota it has no quota
        label.
        """
        namespace_labels = {f"{PREFIX}name": self.name(quota)} if quota else {}
        requests = {"cpu": str(cpu)} | _devices(spec.pop("devices", {}))
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": short,
                "namespace": namespace or self.namespace,
                "labels": {**namespace_labels, **(labels or {})},
                "annotations": {"elasticquota.dev/run-for": run_for} if run_for else {},
            },
            "spec": {
                "containers": [
                    {
                        "name": "main",
                        "image": "registry.example/main:1",
                        "resources": {
                            "requests": requests,
                            "limits": {k: v for k, v in requests.items() if "/" in k},
                        },
                    }
                ],
                **({"priorityClassName": priority} if priority else {}),
                **spec,
            },
        }

    def pod(self, short: str, quota: str | None, **facts: Any) -> Document:
        """Create what ``pod_manifest`` describes."""
        return self.admin.create(self.pod_manifest(short, quota, **facts))

    def deployment_manifest(
        self, short: str, quota: str | None, replicas: int, **facts: Any
    ) -> Document:
        """A Deployment of such pods."""
        pod = self.pod_manifest(short, quota, **facts)
        labels = pod["metadata"]["labels"] | {"app": short}
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": short, "namespace": self.namespace},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"app": short}},
                "template": {"metadata": {"labels": labels}, "spec": pod["spec"]},
            },
        }

    def deployment(self, short: str, quota: str, replicas: int, **facts: Any) -> Document:
        """Create what ``deployment_manifest`` describes."""
        return self.admin.create(self.deployment_manifest(short, quota, replicas, **facts))

    def pods(self, quota: str, count: int, *, prefix: str | None = None, **facts: Any) -> list[str]:
        """Create ``count`` equal pods, in the order of their names."""
        created = [f"{prefix or quota}-{number}" for number in range(count)]
        for short in created:
            self.pod(short, quota, **facts)
        return created

    def get_pod(self, short: str) -> Document:
        return self.admin.get("Pod", short, self.namespace)

    def delete_pods(self, *shorts: str) -> None:
        for short in shorts:
            self.admin.delete("Pod", short, self.namespace, grace=0)

    def running(self, quota: str | None = None) -> set[str]:
        """Names of running pods that are not being deleted."""
        return self._pods(quota, lambda pod: pod["status"]["phase"] == "Running")

    def phase(self, short: str) -> str:
        """The pod's phase; before it runs, with its gates, its node and what the scheduler says."""
        pod = self.get_pod(short)
        phase = str(pod["status"]["phase"])
        if phase == "Running":
            return phase
        scheduled = condition(pod, "PodScheduled")
        return f"{phase}, gates {gates(pod)}, node {pod['spec'].get('nodeName')}, {scheduled}"

    def gated(self, quota: str | None = None) -> set[str]:
        """Names of the pods that our gate holds."""
        return self._pods(quota, lambda pod: GATE in gates(pod))

    def events(self, short: str, kind: str = "Pod") -> dict[str, str]:
        """Reason -> message of the events about an object."""
        found = self.admin.list(
            "Event",
            self.namespace,
            fieldSelector=f"involvedObject.name={short},involvedObject.kind={kind}",
        )
        return {event["reason"]: event.get("message", "") for event in found}

    def _pods(self, quota: str | None, wanted: Callable[[Document], bool]) -> set[str]:
        label = {"labelSelector": f"{PREFIX}name={self.name(quota)}"} if quota else {}
        return {
            pod["metadata"]["name"]
            for pod in self.admin.list("Pod", self.namespace, **label)
            if wanted(pod) and "deletionTimestamp" not in pod["metadata"]
        }


def written(folder: Path, document: Mapping[str, Any]) -> str:
    """The path of a file with a manifest, for the commands that read one."""
    file = folder / "manifest.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return str(file)


def gates(pod: Document) -> list[str]:
    """Names of the pod's scheduling gates."""
    return [gate["name"] for gate in pod["spec"].get("schedulingGates") or ()]


def condition(thing: Document, type_: str) -> Document:
    """The condition of that type; an empty one when it does not exist yet."""
    for found in (thing.get("status") or {}).get("conditions") or ():
        if found["type"] == type_:
            return dict(found)
    return {"type": type_, "status": "", "reason": "", "message": ""}


def refusal(attempt: Callable[[], object]) -> users.RefusedError:
    """The API server's refusal of the attempt, which must fail."""
    try:
        attempt()
    except users.RefusedError as refused:
        return refused
    raise users.NotRefusedError("the API server did as it was asked, and should have refused")


def _amounts(given: Any) -> Any:
    return {"cpu": str(given)} if isinstance(given, int) else given


def _devices(given: Mapping[str, Amount]) -> dict[str, str]:
    return {"nvidia.com/gpu" if key == "gpu" else key: str(value) for key, value in given.items()}
