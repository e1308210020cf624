"""Manifests of a small cluster, and the command that simulates them."""

import copy
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from elasticquota_cli import main as cli
from elasticquota_cli.simulate import report


Screen = pytest.CaptureFixture[str]
Manifest = dict[str, Any]
T = TypeVar("T")

METERING = {
    "since": "2026-01-01T00:00:00Z",
    "observedTime": "2026-01-01T01:00:00Z",
    "borrowed": {},
    "lent": {},
    "borrowedSeconds": {"cpu": "14400000"},
    "lentSeconds": {},
}
"""``status.metering`` of a quota that borrowed 4 cores for an hour, a long time ago."""

PARENT = "quota.scheduling.koordinator.sh/parent"
NAME = "quota.scheduling.koordinator.sh/name"
GATE = {"name": "elasticquota.dev/admission"}


class Simulator:
    """Writes manifests to files, simulates them, and reads the result."""

    def __init__(self, folder: Path, capsys: Screen) -> None:
        self._folder = folder
        self._capsys = capsys

    def rest(self, *objects: Manifest) -> report.Simulation:
        return self._answer(report.Simulation, "-f", self._file("base.json", objects))

    def what_if(self, base: Iterable[Manifest], change: Iterable[Manifest]) -> report.Difference:
        first, second = self._file("base.json", base), self._file("change.json", change)
        return self._answer(report.Difference, "-f", first, "--what-if", second)

    def said(self) -> str:
        return self._capsys.readouterr().err

    def _file(self, name: str, objects: Iterable[Manifest]) -> str:
        file = self._folder / name
        whole = {"kind": "List", "apiVersion": "v1", "items": list(objects)}
        file.write_bytes(msgspec.json.encode(whole))
        return str(file)

    def _answer(self, kind: type[T], *arguments: str) -> T:
        assert cli.main(["simulate", "-o", "json", *arguments]) == 0
        return msgspec.json.decode(self._capsys.readouterr().out, type=kind)


def node(name: str, cpu: int = 8) -> Manifest:
    return {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": {"name": name},
        "status": {"allocatable": {"cpu": cpu, "pods": 110}},
    }


def quota(
    name: str, least: int = 0, most: int = 8, labels: dict[str, str] | None = None
) -> Manifest:
    """A quota in the default tree, for the namespace of its name."""
    return {
        "kind": "ElasticQuota",
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "metadata": {"name": name, "namespace": name, "labels": labels or {}},
        "spec": {"min": {"cpu": least}, "max": {"cpu": most}},
    }


def pod(name: str, namespace: str = "a", cpu: int = 2, **spec: Any) -> Manifest:
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"resources": {"requests": {"cpu": cpu}}}], **spec},
    }


def workload(kind: str, name: str, cpu: int = 2, **spec: Any) -> Manifest:
    template = {"spec": pod("any", cpu=cpu)["spec"]}
    api = {"Job": "batch/v1", "ReplicationController": "v1"}.get(kind, "apps/v1")
    return {
        "kind": kind,
        "apiVersion": api,
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"template": template, **spec},
    }


def live(manifest: Manifest, owner: str = "", **status: Any) -> Manifest:
    """The same object as a cluster prints it."""
    found = copy.deepcopy(manifest)
    metadata = found["metadata"]
    metadata |= {
        "uid": f"uid-{found['kind']}-{metadata['name']}",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "resourceVersion": "7",
        "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:metadata": {}}}],
    }
    if owner:
        kind, name = owner.split("/")
        metadata["ownerReferences"] = [{"kind": kind, "name": name, "controller": True}]
    return {**found, "status": {**found.get("status", {}), **status}}


def deleted(manifest: Manifest) -> Manifest:
    return {**manifest, "$patch": "delete"}


def counts(found: report.Simulation, name: str = "a") -> tuple[int, int]:
    """Running and waiting pods of a quota."""
    pods = next(each.pods for each in found.quotas if each.name == name)
    return pods.running, pods.waiting
