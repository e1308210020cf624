"""Examples of other systems on a cluster: applied by kubectl, checked, and deleted completely."""

import json
from collections.abc import Sequence
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any

import yaml

from installation import NAMESPACE, Kubectl, documents
from scenes import GATE, condition, gates
from users import Document, User
from waiting import eventually


EXAMPLES = Path(__file__).parents[3] / "examples"
MARK = "elasticquota.dev/dialect"
CAPACITY = "elasticquotas.scheduling.x-k8s.io"


class IntegrationScene:
    """The objects that one test applies; ``close()`` deletes all of them."""

    def __init__(self, admin: User, kubectl: Kubectl, folder: str, spaces: set[str]) -> None:
        """``spaces`` collects the namespaces that are made; they outlive the test."""
        self.admin = admin
        self._kubectl = kubectl
        self._folder = EXAMPLES / folder
        self._spaces = spaces
        self._applied: list[Document] = []

    def close(self) -> None:
        """Delete everything; no pod runs any more, and no kept quota is left."""
        kinds = [each["kind"] for each in self._applied]
        first = [kind.startswith("ElasticQuota") or kind.endswith("Job") for kind in kinds]
        self.delete(*compress(self._applied, first))
        for name in {each["metadata"]["name"] for each in self._applied if _is(each, "Namespace")}:
            self.admin.delete_all("Deployment", name)
            self.admin.delete_all("Pod", name)
            eventually(partial(self._pods, name), [], within=60)
        self.delete(*(each for each in self._applied if _is(each, "Node")))
        eventually(self.kept, {}, within=60)

    def play(self, *files: str) -> None:
        """Apply files of the example."""
        for file in files:
            self.apply(*self.documents(file))

    def documents(self, file: str) -> list[Document]:
        """The documents in a file of the example."""
        return list(yaml.safe_load_all((self._folder / file).read_text()))

    def apply(self, *manifests: Document) -> None:
        """Apply them in this order, by one call of kubectl up to each namespace."""
        together: list[Document] = []
        for manifest in manifests:
            together.append(manifest)
            if manifest["kind"] == "Namespace":
                self._apply(together)
                together = []
                name = manifest["metadata"]["name"]
                self._spaces.add(name)
                # Pods are refused until the controller manager has made this.
                eventually(partial(self.admin.find, "ServiceAccount", "default", name), bool)
        self._apply(together)

    def _apply(self, manifests: Sequence[Document]) -> None:
        if manifests:
            self._applied += manifests
            self._kubectl("apply", "-f", "-", stdin=documents(manifests))

    def apply_later(self, *manifests: Document) -> None:
        """Apply them in a later second than all before: of two objects the older one counts, and
        creation times are whole seconds.
        """
        begun = self._second()
        eventually(self._second, lambda now: now > begun)
        self.apply(*manifests)

    def delete(self, *manifests: Document) -> None:
        """Begin to delete those that exist."""
        if manifests:
            words = ("delete", "--ignore-not-found", "--wait=false", "-f", "-")
            self._kubectl(*words, stdin=documents(manifests))

    def kept(self, dialect: str = "") -> dict[str, Document]:
        """The quotas that the controller keeps for foreign objects, by name."""
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
        """Min and max of one resource in the kept quota."""
        spec = self.kept()[name]["spec"]
        return (spec["min"][resource], spec["max"][resource])

    def capacity(self, name: str, namespace: str) -> Any:
        """A capacity scheduling ElasticQuota."""
        return json.loads(self._kubectl("get", CAPACITY, name, "-n", namespace, "-o", "json"))

    def running(self, namespace: str) -> int:
        """Number of pods that run and are not being deleted."""
        return len(self.names(namespace))

    def names(self, namespace: str) -> set[str]:
        """Names of these pods."""
        return {
            pod["metadata"]["name"]
            for pod in self._pods(namespace)
            if pod["status"]["phase"] == "Running"
        }

    def waiting(self, namespace: str) -> int:
        """Number of pods that wait at our gate."""
        return sum(GATE in gates(pod) for pod in self._pods(namespace))

    def _second(self) -> str:
        """The creation time of an object that is created now."""
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
