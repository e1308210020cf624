"""Neighbours' examples played on a cluster: applied by kubectl, looked at, and taken back whole."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from installation import NAMESPACE, Kubectl
from scenes import GATE, condition, gates
from users import Document, User
from waiting import eventually


EXAMPLES = Path(__file__).parents[3] / "examples"
MARK = "elasticquota.dev/dialect"
CAPACITY = "elasticquotas.scheduling.x-k8s.io"


class Neighbourhood:
    """What one test applies; ``close()`` leaves nothing of it."""

    def __init__(self, admin: User, kubectl: Kubectl, folder: str, spaces: set[str]) -> None:
        """``spaces`` takes in the namespaces that are made, which outlive the test."""
        self.admin = admin
        self._kubectl = kubectl
        self._folder = EXAMPLES / folder
        self._spaces = spaces
        self._applied: list[Document] = []

    def close(self) -> None:
        """Nothing runs any more, and no quota is kept."""
        for each in self._applied:
            if each["kind"].startswith("ElasticQuota") or each["kind"].endswith("Job"):
                self._delete(each)
        for name in {each["metadata"]["name"] for each in self._applied if _is(each, "Namespace")}:
            self.admin.delete_all("Deployment", name)
            self.admin.delete_all("Pod", name)
            eventually(partial(self._pods, name), [], within=60)
        for each in self._applied:
            if _is(each, "Node"):
                self._delete(each)
        eventually(self.kept, {}, within=60)

    def play(self, *files: str) -> None:
        """Apply files of the example."""
        for file in files:
            self.apply(*self.documents(file))

    def documents(self, file: str) -> list[Document]:
        """What a file of the example says."""
        return list(yaml.safe_load_all((self._folder / file).read_text()))

    def apply(self, *manifests: Document) -> None:
        for manifest in manifests:
            self._kubectl("apply", "-f", "-", stdin=json.dumps(manifest))
            self._applied.append(manifest)
            if manifest["kind"] == "Namespace":
                name = manifest["metadata"]["name"]
                self._spaces.add(name)
                # Pods are refused until the controller manager has made this.
                eventually(partial(self.admin.find, "ServiceAccount", "default", name), bool)

    def apply_later(self, *manifests: Document) -> None:
        """Apply them in another second than all before: the older counts, by whole seconds."""
        begun = self._second()
        eventually(self._second, lambda now: now > begun)
        self.apply(*manifests)

    def delete(self, manifest: Document) -> None:
        self._delete(manifest)

    def _delete(self, manifest: Document) -> None:
        kind = manifest["kind"]
        if manifest["apiVersion"].startswith("scheduling.x-k8s.io"):
            kind = CAPACITY
        meta = manifest["metadata"]
        where = ("-n", meta["namespace"]) if "namespace" in meta else ()
        self._kubectl("delete", "--ignore-not-found", "--wait=false", kind, meta["name"], *where)

    def kept(self, dialect: str = "") -> dict[str, Document]:
        """The quotas that the controller keeps for neighbours' objects, by name."""
        selector = f"{MARK}={dialect}" if dialect else MARK
        found = self.admin.list("ElasticQuota", NAMESPACE, labelSelector=selector)
        return {quota["metadata"]["name"]: quota for quota in found}

    def accepted(self) -> set[str]:
        """Names of the kept quotas that are accepted."""
        return {
            name
            for name, quota in self.kept().items()
            if condition(quota, "Accepted")["status"] == "True"
        }

    def limits(self, name: str, resource: str) -> tuple[str, str]:
        """Min and max of one resource as the kept quota says them."""
        spec = self.kept()[name]["spec"]
        return (spec["min"][resource], spec["max"][resource])

    def capacity(self, name: str, namespace: str) -> Any:
        """A capacity scheduling ElasticQuota."""
        return json.loads(self._kubectl("get", CAPACITY, name, "-n", namespace, "-o", "json"))

    def running(self, namespace: str) -> int:
        """Number of pods that run and were not asked to leave."""
        return len(self.names(namespace))

    def names(self, namespace: str) -> set[str]:
        """Names of them."""
        return {
            pod["metadata"]["name"]
            for pod in self._pods(namespace)
            if pod["status"]["phase"] == "Running"
        }

    def waiting(self, namespace: str) -> int:
        """Number of pods that wait at our gate."""
        return sum(GATE in gates(pod) for pod in self._pods(namespace))

    def _second(self) -> str:
        """When something created now is said to have been created."""
        manifest = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "of-this-second", "namespace": "default"},
        }
        made = self.admin.create(manifest, dry_run=True)
        return str(made["metadata"]["creationTimestamp"])

    def _pods(self, namespace: str) -> list[Document]:
        pods = self.admin.list("Pod", namespace)
        return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]


def _is(manifest: Document, kind: str) -> bool:
    return bool(manifest["kind"] == kind)
