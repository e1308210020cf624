"""The definitions are of another version or another project: less is published, and all goes on."""

import itertools
import json
from collections.abc import Callable

import pytest

import audit
import command_line
import fewer_fields
import metrics
import settled
from fewer_fields import PROFILES, QUOTAS
from installation import CONTROLLER, CONTROLLER_USER, NAMESPACE, Installation
from local_cluster import cluster as local
from scenes import LOW, Pool
from users import User
from waiting import eventually


pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.usefixtures("admission"),
]

OLDER = {
    QUOTAS: ("observedGeneration", "tree", "parent", "used", "runtime", "summary"),
    PROFILES: ("observedGeneration",),
}
"""The fields of the status, as an older version of ours might have had."""
KOORDINATOR: dict[str, tuple[str, ...]] = {QUOTAS: ("used",), PROFILES: ()}


def lacking(cluster: local.Cluster) -> set[str]:
    """The definitions of which doctor says that they are not those of this version."""
    done = command_line.run("doctor", "-o", "json", kubeconfig=cluster.kubeconfig)
    return {
        found["object"].removeprefix("CustomResourceDefinition ")
        for found in json.loads(done.stdout)["findings"]
        if "is not the one of this version" in found["message"]
    }


def dropped(product: Installation) -> set[str]:
    """The definitions of which the metric says that fields are dropped."""
    return {
        labels["definition"]
        for pod in product.pods(CONTROLLER).values()
        for labels, count in metrics.of(pod, "elasticquota_definition_dropped_fields")
        if count
    }


@pytest.mark.parametrize("kept", [OLDER, KOORDINATOR], ids=["older", "koordinator"])
def test_definitions_with_fewer_fields_cost_no_decision_and_no_storm_of_writes(
    kept: dict[str, tuple[str, ...]],
    pool: Pool,
    new_pool: Callable[..., Pool],
    admin: User,
    product: Installation,
    cluster: local.Cluster,
) -> None:
    assert lacking(cluster) == set()
    other = new_pool(nodes=1, cpu=64)
    other.quota("other", max=64)
    pods = itertools.count(1)

    def written_meanwhile() -> int:
        """Statuses that are written here while one more pod of another tree comes and is seen."""
        since, number = audit.end(cluster.audit_log), next(pods)
        other.pod(f"next-{number}", "other")
        eventually(lambda: other.used("other"), str(number), within=60)
        return sum(
            each.user == CONTROLLER_USER and each.namespace == pool.namespace
            for each in audit.writes(cluster.audit_log, "elasticquotas/status", since=since)
        )

    with fewer_fields.defined(admin, kept):
        eventually(lambda: lacking(cluster), set(kept), within=60)
        # Pods wait and start, and an owner gets its room back.
        pool.quota("borrower", max=16)
        pool.quota("owner", min=8, max=16)
        pool.pods("borrower", 17, priority=LOW)
        eventually(lambda: (len(pool.running("borrower")), len(pool.gated("borrower"))), (16, 1))
        owned = pool.pods("owner", 8)
        eventually(lambda: pool.running("owner"), set(owned), within=60)
        eventually(lambda: pool.used("owner"), "8")
        eventually(lambda: pool.used("borrower"), "8")
        eventually(written_meanwhile, 0, within=60)  # the last change has been written
        assert sum(written_meanwhile() for _ in range(5)) <= 3, "nothing changes here"
        eventually(lambda: QUOTAS in dropped(product), True, within=60)
    other.pod("last", "other")
    eventually(lambda: QUOTAS in dropped(product), False, within=60)
    leader = product.leader()
    log = cluster.pod_log(NAMESPACE, leader, "controller").read_text()
    assert "the API server drops fields" in log
    # Each status is written whole again after its next change; a restart writes all at once.
    product.kill(leader)
    product.settle()
    eventually(lambda: settled.faults(pool), [], within=60)
    assert lacking(cluster) == set()
