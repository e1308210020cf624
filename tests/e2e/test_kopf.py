"""The controller as a Kopf operator on the real API server, run by Kopf's own test runner.

It stands by beside the installed controllers: the same Lease, so it decides and writes nothing.
"""

import json
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kopf.testing import KopfRunner

import dev
from installation import CONTROLLER, NAMESPACE, Installation
from local_cluster import cluster as local
from local_cluster import ports
from scenes import Pool
from waiting import eventually


pytestmark = pytest.mark.cluster


@dataclass(frozen=True)
class Operator:
    """A running operator, and where it answers."""

    runner: KopfRunner
    port: int
    liveness_port: int

    def health(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._read(self.liveness_port, "healthz"))
        return found

    def quotas(self) -> dict[str, dict[str, Any]]:
        """Those of its ledger, by name."""
        objects = json.loads(self._read(self.port, "debug/ledger"))["items"]
        return {
            each["metadata"]["name"]: each for each in objects if each["kind"] == "ElasticQuota"
        }

    def _read(self, port: int, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
            return str(answer.read().decode())


@pytest.fixture
def operator(
    cluster: local.Cluster, product: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Operator]:
    assert product.leader() in product.pods(CONTROLLER)
    sockets = [ports.reserve() for _ in range(2)]
    port, liveness_port = map(ports.number, sockets)
    for each in sockets:
        each.close()
    file = tmp_path / "config.yaml"
    chosen = f"controller: {{port: {port}, livenessPort: {liveness_port}}}\n"
    file.write_text(chosen, encoding="utf-8")
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    monkeypatch.setenv("POD_NAMESPACE", NAMESPACE)
    monkeypatch.setenv("ELASTIC_QUOTA_CONFIG", str(file))
    monkeypatch.setenv("POD_IP", "127.0.0.1")
    liveness = f"http://127.0.0.1:{liveness_port}/healthz"
    arguments = ["run", "-A", "-m", "elasticquota_operator.handlers", "--liveness", liveness]
    with KopfRunner(arguments, timeout=60) as runner:
        yield Operator(runner, port, liveness_port)
    assert runner.exit_code == 0, runner.exception
    assert "Traceback" not in runner.output


def test_kopf_runs_the_operator_as_a_standby_that_sees_every_edit(
    operator: Operator, pool: Pool
) -> None:
    seen = eventually(operator.health, lambda health: health["decisions"] > 0, within=60)
    assert seen["leadership"] == "standby"
    assert seen["watches"].keys() >= {"pods", "nodes", "namespaces", "resync"}
    pool.quota("team", min=1, max=4)
    name = pool.name("team")
    eventually(lambda: operator.quotas()[name]["spec"]["max"], {"cpu": "4"})
    change = {"spec": {"max": {"cpu": "6"}}}
    pool.admin.patch("ElasticQuota", name, pool.namespace, change=change)
    eventually(lambda: operator.quotas()[name]["spec"]["max"], {"cpu": "6"})
    pool.admin.delete("ElasticQuota", name, pool.namespace)
    eventually(lambda: name in operator.quotas(), wanted=False)


def test_kopf_leaves_no_trace_on_quotas(operator: Operator, pool: Pool) -> None:
    eventually(operator.health, lambda health: health["decisions"] > 0, within=60)
    pool.quota("team", min=1, max=4)
    eventually(lambda: pool.name("team") in operator.quotas(), wanted=True)
    metadata = pool.get("team")["metadata"]
    assert "finalizers" not in metadata
    assert not [key for key in metadata.get("annotations", {}) if "kopf" in key]


def test_the_operator_from_the_source_does_not_run_beside_an_installed_one(
    cluster: local.Cluster, product: Installation, tmp_path: Path
) -> None:
    assert product.pods(CONTROLLER)
    with pytest.raises(dev.DevError, match="uninstall it, or make cluster-down"):
        dev.prepare(cluster, tmp_path, 8080)
    assert list(tmp_path.iterdir()) == []
