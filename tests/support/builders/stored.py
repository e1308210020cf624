"""Objects as a cluster stores them, in one file: a tree, its quotas, and pods in any state.

Amounts are cpu unless they are mappings. Objects made later are younger.
"""

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


Amounts = int | Mapping[str, str]
Document = dict[str, Any]

PREFIX = "quota.scheduling.koordinator.sh/"
GATE = "elasticquota.dev/admission"


class Stored:
    """Collects documents; ``write`` makes a file of them. The tree is called ``pool``."""

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self._numbers = itertools.count(1)

    def tree(self, *cpus: int) -> None:
        """Add a profile, and a node for each number."""
        for number, cpu in enumerate(cpus, start=1):
            offered = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"}
            ready = [{"type": "Ready", "status": "True"}]
            status = {"allocatable": offered, "conditions": ready}
            self.add("v1", "Node", "", f"node-{number}", status=status)
            self.documents[-1]["metadata"]["labels"] = {"pool": "main"}
        spec = {"quotaName": "pool", "nodeSelector": {"matchLabels": {"pool": "main"}}}
        self.add("quota.koordinator.sh/v1alpha1", "ElasticQuotaProfile", "sys", "pool", spec=spec)

    def grown_tree(self, cpu: int) -> Document:
        """Add also the root quota that the controller makes of the profile; returns it."""
        self.tree(cpu)
        self.documents[-1]["metadata"]["labels"] = {f"{PREFIX}tree-id": "5"}
        root = self.quota("pool", cpu, {}, namespace="sys", parent="koordinator-root-quota")
        root["metadata"]["labels"] |= {f"{PREFIX}is-root": "true", f"{PREFIX}is-parent": "true"}
        root["metadata"]["labels"] |= {f"{PREFIX}tree-id": "5", f"{PREFIX}profile": "pool"}
        return root

    def quota(
        self,
        name: str,
        low: Amounts,
        high: Amounts,
        *,
        parent: str = "pool",
        namespace: str | None = None,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
    ) -> Document:
        """Add a quota, in the namespace of its name unless another is given."""
        self.add(
            "scheduling.sigs.k8s.io/v1alpha1",
            "ElasticQuota",
            name if namespace is None else namespace,
            name,
            spec={"min": _amounts(low), "max": _amounts(high)},
        )
        self.documents[-1]["metadata"] |= {
            "labels": {f"{PREFIX}parent": parent, **(labels or {})},
            "annotations": dict(annotations or {}),
        }
        return self.documents[-1]

    def department(self, name: str, low: Amounts, high: Amounts, **more: Any) -> Document:
        return self.quota(name, low, high, labels={f"{PREFIX}is-parent": "true"}, **more)

    def runs(self, name: str, asked: Amounts, *, namespace: str = "team-a", **more: Any) -> None:
        """Add a pod on a node."""
        self._pod(namespace, name, asked, {"nodeName": "node-1"}, more)
        pod = self.documents[-1]
        since = pod["metadata"]["creationTimestamp"]
        pod.setdefault("status", {"phase": "Running", "startTime": since})

    def waits(self, name: str, asked: Amounts, *, namespace: str = "team-a", **more: Any) -> None:
        """Add a pod behind the gate."""
        self._pod(namespace, name, asked, {"schedulingGates": [{"name": GATE}]}, more)

    def add(self, api: str, kind: str, namespace: str, name: str, **parts: Any) -> None:
        number = next(self._numbers)
        metadata = {
            "name": name,
            "uid": f"uid-{number:04}",
            "creationTimestamp": f"2026-11-20T07:{number // 60:02}:{number % 60:02}Z",
            **({"namespace": namespace} if namespace else {}),
        }
        self.documents.append({"apiVersion": api, "kind": kind, "metadata": metadata, **parts})

    def write(self, folder: Path) -> Path:
        file = folder / "stored.json"
        whole = {"apiVersion": "v1", "kind": "List", "items": self.documents}
        file.write_text(json.dumps(whole), encoding="utf-8")
        return file

    def _pod(
        self, namespace: str, name: str, asked: Amounts, spec: Document, more: Mapping[str, Any]
    ) -> None:
        parts = dict(more)
        metadata = {key: parts.pop(key) for key in ("labels", "annotations") if key in parts}
        metadata |= parts.pop("metadata", {})
        spec |= parts.pop("spec", {})
        containers = [{"name": "main", "resources": {"requests": _amounts(asked)}}]
        self.add("v1", "Pod", namespace, name, spec={"containers": containers, **spec}, **parts)
        self.documents[-1]["metadata"] |= metadata


def _amounts(given: Amounts) -> dict[str, str]:
    return {"cpu": str(given)} if isinstance(given, int) else dict(given)
