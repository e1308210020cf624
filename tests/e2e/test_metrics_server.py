"""Nothing of ours needs metrics-server, and one that does not answer harms nothing.

The local cluster has none. A dead one leaves an API of which the API server knows no resource: it
answers discovery of that group with 503.
"""

import json
from collections.abc import Iterator
from typing import Final

import pytest

import command_line
from installation import CONTROLLER, WEBHOOK, Installation, Kubectl
from local_cluster import cluster as local
from scenes import Pool
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(300)]

API: Final = "v1beta1.metrics.k8s.io"
READING: Final = ("doctor", "tree", "top", "pending", "usage", "history")


def answers(cluster: local.Cluster, namespace: str) -> dict[str, tuple[int, str]]:
    """By verb, the exit code and the errors of the command line."""
    found = {}
    for verb in READING:
        done = command_line.run(verb, "-n", namespace, kubeconfig=cluster.kubeconfig)
        found[verb] = (done.returncode, done.stderr)
    return found


@pytest.fixture
def dead(kubectl: Kubectl) -> Iterator[None]:
    """metrics-server is registered, and its Service leads to no pod."""
    manifest = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": API},
        "spec": {
            "group": "metrics.k8s.io",
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": "metrics-server", "namespace": "kube-system"},
        },
    }
    kubectl("apply", "-f", "-", stdin=json.dumps(manifest))
    asked = ("get", "--raw", "/apis/metrics.k8s.io/v1beta1")
    eventually(lambda: "ServiceUnavailable" in kubectl.attempt(*asked).stderr, True)
    yield
    kubectl("delete", "apiservice", API)


@pytest.fixture
def busy(pool: Pool) -> Pool:
    """A quota with one pod that runs and one that waits."""
    pool.quota("team", min=1, max=1)
    pool.pods("team", 2)
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (1, 1))
    return pool


def test_without_metrics_server_every_reading_verb_answers(
    busy: Pool, cluster: local.Cluster, kubectl: Kubectl
) -> None:
    assert "metrics.k8s.io" not in kubectl("api-versions")
    assert kubectl.attempt("top", "nodes").returncode != 0
    expected = dict.fromkeys(READING, (0, ""))
    eventually(lambda: answers(cluster, busy.namespace), expected, within=60)


def test_with_a_dead_metrics_server_all_processes_start_and_pods_are_admitted(
    busy: Pool,
    dead: None,
    cluster: local.Cluster,
    admin: User,
    product: Installation,
) -> None:
    for deployment in (CONTROLLER, WEBHOOK):
        for pod in product.pods(deployment):
            product.kill(pod)
    eventually(lambda: (product.ready(CONTROLLER), product.ready(WEBHOOK)), (2, 2), within=90)
    product.settle()
    busy.quota("other", min=1, max=1)
    busy.pod("new", "other")
    eventually(lambda: busy.running("other"), {"new"}, within=30)
    busy.pod("more", "other")
    eventually(lambda: busy.gated("other"), {"more"})
    expected = dict.fromkeys(READING, (0, ""))
    eventually(lambda: answers(cluster, busy.namespace), expected, within=60)
