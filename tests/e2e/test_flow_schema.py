"""With ``flowSchema.enabled`` the API server queues the requests of our two processes separately.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from installation import Kubectl
from local_cluster import cluster as local
from waiting import eventually


pytestmark = pytest.mark.cluster

NAMESPACE = "flow-test"
CONTROLLER = f"system:serviceaccount:{NAMESPACE}:flow-controller"
WEBHOOK = f"system:serviceaccount:{NAMESPACE}:flow-webhook"
OTHERS = f"system:serviceaccount:{NAMESPACE}:somebody"
PODS = "/api/v1/pods"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/flow-controller"


@pytest.fixture
def uids(cluster: local.Cluster, kubectl: Kubectl) -> Iterator[dict[str, str]]:
    """The uids of the schemas of a release called ``flow``, by name, once the API server uses them.
    """
    chart = Path(__file__).parents[2] / "charts" / "elastic-quota-operator"
    words = ["--namespace", NAMESPACE, "--set", "flowSchema.enabled=true"]
    for part in (chart / "templates" / "flow").iterdir():
        words += ["--show-only", f"templates/flow/{part.name}"]
    rendered = subprocess.run(
        [cluster.binary("helm"), "template", "flow", str(chart), *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    kubectl("apply", "-f", "-", stdin=rendered)
    names = ("flow", "flow-controller-lease")
    dangling = '{.status.conditions[?(@.type=="Dangling")].status}'

    def state() -> set[str]:
        return {kubectl("get", "flowschema", name, "-o", f"jsonpath={dangling}") for name in names}

    eventually(state, {"False"})
    of = "jsonpath={.metadata.uid}"
    yield {name: kubectl("get", "flowschema", name, "-o", of) for name in names}
    kubectl("delete", "-f", "-", stdin=rendered)


def test_our_requests_have_turns_of_their_own_and_the_lease_those_of_leader_election(
    uids: dict[str, str], kubectl: Kubectl
) -> None:
    def schema_of(user: str, path: str) -> str:
        """The schema by which the API server classified a request; also a forbidden request has
        one.
        """
        words = ("--as", user, "--as-group", "system:serviceaccounts", "-v", "8")
        told = kubectl.attempt("get", "--raw", path, *words).stderr
        found = re.search(r"X-Kubernetes-Pf-Flowschema-Uid: (\S+)", told, re.IGNORECASE)
        assert found is not None, told
        return found[1].strip('"')

    eventually(lambda: schema_of(CONTROLLER, PODS), uids["flow"])
    assert schema_of(WEBHOOK, PODS) == uids["flow"]
    assert schema_of(CONTROLLER, LEASE) == uids["flow-controller-lease"]
    assert schema_of(WEBHOOK, LEASE) == uids["flow"]
    assert schema_of(OTHERS, PODS) not in uids.values()
