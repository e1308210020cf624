"""Nobody of the controller was there for a while; who comes writes what has changed, once."""

import json
import time
from collections import Counter

import pytest

import audit
import rest
from installation import CONTROLLER, CONTROLLER_USER, Installation
from local_cluster import cluster as local
from scenes import PREFIX, Pool
from waiting import eventually


TEAMS = 40

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]


def test_a_18_a_cold_start_writes_each_changed_quota_once_and_no_other(
    pool: Pool,
    product: Installation,
    cluster: local.Cluster,
    measured: dict[str, float],
) -> None:
    teams = [f"team-{number:02}" for number in range(TEAMS)]
    pool.department("dept", max=16)
    for team in teams:
        pool.quota(team, parent="dept", max=1)
        pool.pods(team, 3, cpu="100m")
    everybody = {f"{team}-{number}" for team in teams for number in range(3)}
    eventually(pool.running, everybody, within=60)
    eventually(lambda: rest.faults(pool), [], within=60)
    eventually(lambda: annotated_later(pool), [], within=60)
    with product.without(CONTROLLER):
        for team in teams[:5]:
            pool.delete_pods(f"{team}-0")
        began = time.monotonic()
        since = audit.end(cluster.audit_log)
    eventually(lambda: pool.used(teams[0]), "200m", within=60)
    measured["A-18 no controller was there: until a status is right"] = time.monotonic() - began
    eventually(lambda: rest.faults(pool), [], within=60)
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
    """Quotas whose annotations are not yet what their statuses say."""
    return [
        quota["metadata"]["name"]
        for quota in pool.admin.list("ElasticQuota", pool.namespace)
        if json.loads(quota["metadata"]["annotations"].get(f"{PREFIX}request", "{}"))
        != quota["status"]["request"]
    ]
