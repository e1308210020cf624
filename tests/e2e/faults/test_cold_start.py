"""After a time without a controller, the new one writes what has changed, once."""

import json
import os
import time
from collections import Counter
from collections.abc import Callable

import pytest

import audit
import settled
from installation import CONTROLLER, CONTROLLER_USER, Installation
from local_cluster import cluster as local
from scenes import PREFIX, Pool
from waiting import eventually


TEAMS, PODS = map(int, os.environ.get("COLD", "40x3").split("x"))
"""Quotas, and pods that run in each: ``COLD=1000x5`` is a long form."""

pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(300 + TEAMS * PODS // 5)]

POD = "20m"
"""Cpu of each pod."""
TO_RUN = 60 + TEAMS * PODS / 10
"""Seconds until all pods run."""


def test_a_18_a_cold_start_writes_each_changed_quota_once_and_no_other(
    new_pool: Callable[..., Pool],
    product: Installation,
    cluster: local.Cluster,
    measured: dict[str, float],
) -> None:
    pool = new_pool(nodes=2 + TEAMS * PODS // 100)
    teams = [f"team-{number:02}" for number in range(TEAMS)]
    pool.department("dept", max=TEAMS * PODS)
    for team in teams:
        pool.quota(team, parent="dept", max=PODS)
        pool.pods(team, PODS, cpu=POD)
    everybody = {f"{team}-{number}" for team in teams for number in range(PODS)}
    eventually(pool.running, everybody, within=TO_RUN)
    eventually(lambda: settled.faults(pool), [], within=TO_RUN)
    eventually(lambda: annotated_later(pool), [], within=TO_RUN)
    with product.without(CONTROLLER):
        for team in teams[:5]:
            pool.delete_pods(f"{team}-0")
        began = time.monotonic()
        since = audit.end(cluster.audit_log)
    eventually(lambda: pool.status(teams[0])["pods"]["admitted"], PODS - 1, within=60)
    measured["A-18 no controller was there: until a status is right"] = time.monotonic() - began
    eventually(lambda: settled.faults(pool), [], within=60)
    eventually(lambda: annotated_later(pool), [], within=60)
    changed = {pool.name(team) for team in teams[:5]}
    above = {pool.name("dept"), pool.root}
    for what in ("elasticquotas/status", "elasticquotas"):
        written = Counter(
            write.name
            for write in audit.writes(cluster.audit_log, what, pool.namespace, since=since)
            if write.user == CONTROLLER_USER
        )
        assert changed <= written.keys() <= changed | above
        assert {name: count for name, count in written.items() if count > 1} == {}


def annotated_later(pool: Pool) -> list[str]:
    """Quotas whose annotations do not match their statuses yet."""
    return [
        quota["metadata"]["name"]
        for quota in pool.admin.list("ElasticQuota", pool.namespace)
        if json.loads(quota["metadata"]["annotations"].get(f"{PREFIX}request", "{}"))
        != quota["status"]["request"]
    ]
