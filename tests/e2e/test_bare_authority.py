"""The cluster's authority has a minimal certificate, as on EKS and MicroK8s, and is replaced.

The test has its own cluster, because no other test could continue in a cluster whose authority has
changed.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from installation import CONTROLLER, NAMESPACE, WEBHOOK, Kubectl
from local_cluster import certificates, product
from local_cluster import cluster as local
from waiting import eventually


pytestmark = pytest.mark.cluster

CONTAINERS = {CONTROLLER: ("controller", 8080), WEBHOOK: ("webhook", 8081)}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local.Cluster]:
    folder = tmp_path_factory.mktemp("bare") / "local"
    with local.start(folder, bare_authority=True, say=print) as running:
        yield running


@pytest.fixture(scope="module")
def kubectl(own: local.Cluster) -> Kubectl:
    product.install(own)  # helm waits until all are ready
    return Kubectl(own.binary("kubectl"), own.kubeconfig)


def lease(kubectl: Kubectl) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        kubectl("get", "lease", CONTROLLER, "-n", NAMESPACE, "-o", "json")
    )
    return dict(found["spec"])


def pods(kubectl: Kubectl) -> list[dict[str, Any]]:
    found: dict[str, Any] = json.loads(kubectl("get", "pods", "-n", NAMESPACE, "-o", "json"))
    return list(found["items"])


def readiness(pod: dict[str, Any]) -> int:
    """The readiness that the pod itself reports, whatever its node makes of it."""
    _, port = next(it for name, it in CONTAINERS.items() if name in pod["metadata"]["name"])
    try:
        with urllib.request.urlopen(f"http://{pod['status']['podIP']}:{port}/readyz") as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_both_processes_become_ready_and_one_leads(kubectl: Kubectl) -> None:
    eventually(
        lambda: lease(kubectl).get("holderIdentity", ""),
        lambda name: name.startswith(f"{CONTROLLER}-"),
        within=30,
    )


def test_an_authority_that_changes_is_believed_without_a_restart(
    own: local.Cluster, kubectl: Kubectl, tmp_path: Path
) -> None:
    before = pods(kubectl)
    pki = own.folder / "pki"
    successor = certificates.Authority(tmp_path, bare=True, name="successor")
    certificate, key = successor.server("apiserver", ["127.0.0.1", "localhost"])
    (pki / "apiserver.crt").write_bytes(certificate.read_bytes())
    (pki / "apiserver.key").write_bytes(key.read_bytes())
    # Clients' certificates are still signed by the former authority.
    former = (pki / "ca.crt").read_bytes()
    (pki / "ca.crt").write_bytes(former + successor.certificate.read_bytes())
    for path in (own.folder / "pods").rglob("ca.crt"):
        path.write_bytes(successor.certificate.read_bytes())
    own.restart("kube-apiserver")
    admin = tmp_path / "kubeconfig"
    config = json.loads(kubectl("config", "view", "--raw", "-o", "json"))
    config["clusters"][0]["cluster"] = {
        "server": own.api,
        "certificate-authority": str(successor.certificate),
    }
    admin.write_text(json.dumps(config))
    renewed = Kubectl(own.binary("kubectl"), admin)
    gone_by = eventually(lambda: lease(renewed)["renewTime"], bool, within=30)
    eventually(lambda: lease(renewed)["renewTime"], lambda at: at > gone_by, within=60)
    for pod in before:
        eventually(partial(readiness, pod), 200, within=90)
    assert {pod["metadata"]["name"] for pod in pods(renewed)} == {
        pod["metadata"]["name"] for pod in before
    }
