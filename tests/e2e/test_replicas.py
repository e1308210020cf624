"""Two controllers, one hand: the leader acts, the other waits, and losing either loses nothing."""

import itertools
from pathlib import Path

import pytest

import audit
from installation import CONTROLLER_USER, NAMESPACE, Installation
from local_cluster import cluster as local
from scenes import Pool
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

ACTS = ("elasticquotas", "elasticquotas/status", "pods", "pods/status", "pods/eviction")


def writers(log: Path, since: int) -> list[str]:
    """Names of the controller pods that wrote, one for each time the pen changed hands."""
    acts = [
        write
        for what in ACTS
        for write in audit.writes(log, what, since=since)
        if write.user == CONTROLLER_USER
    ]
    return [pod for pod, _ in itertools.groupby(write.pod for write in sorted(acts))]


def exercise(pool: Pool, quota: str) -> None:
    """Make the controller write a status, a release and a wait."""
    pool.quota(quota, min=1, max=1)
    pool.pods(quota, 2)
    eventually(lambda: (len(pool.running(quota)), len(pool.gated(quota))), (1, 1))
    eventually(lambda: pool.status(quota)["pods"], {"admitted": 1, "gated": 1})


def test_only_the_leader_writes_and_another_takes_over_when_it_goes(
    pool: Pool, admin: User, product: Installation, cluster: local.Cluster
) -> None:
    product.settle()
    begin = audit.end(cluster.audit_log)
    leader = product.leader()
    exercise(pool, "before")
    assert writers(cluster.audit_log, begin) == [leader]
    admin.delete("Pod", leader, NAMESPACE)
    successor = eventually(product.leader, lambda name: name not in ("", leader), within=30)
    exercise(pool, "after")
    assert writers(cluster.audit_log, begin) == [leader, successor]
    product.settle()


def test_a_killed_controller_is_started_again_and_leads_or_stands_by(
    pool: Pool, product: Installation
) -> None:
    leader = product.leader()
    with product.restarted(leader):
        product.kill(leader)
    product.settle()
    exercise(pool, "team")
