"""When half of the nodes go, or a node flaps, capacity shrinks, but no pod is evicted for it."""

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

import audit
import settled
from local_cluster import cluster as local
from scenes import Pool, condition
from waiting import eventually, seconds_until


FLAPS = int(os.environ.get("FLAPS", "10"))
"""Times that a node changes between Ready and not Ready, one a second; ``FLAPS=120`` is the long
form."""

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.usefixtures("admission"),
    pytest.mark.timeout(240 + 2 * FLAPS),
]

TEAMS = ("north", "south")


def teams(pool: Pool) -> None:
    """Each team is guaranteed and uses half of 16 cpus, and has one pod that waits."""
    for team in TEAMS:
        pool.quota(team, min=8, max=16)
        pool.pods(team, 9)
    # What the first team borrowed for a moment has been reclaimed.
    eventually(lambda: [len(pool.running(team)) for team in TEAMS], [8, 8])
    eventually(lambda: settled.faults(pool), [], within=30)


def evictions(cluster: local.Cluster, pool: Pool, since: int) -> list[audit.Request]:
    return audit.writes(cluster.audit_log, "pods/eviction", pool.namespace, since=since)


def test_a_19_when_half_of_the_nodes_go_guarantees_shrink_in_proportion(
    new_pool: Callable[..., Pool], cluster: local.Cluster, measured: dict[str, float]
) -> None:
    pool = new_pool(nodes=4, cpu=4)
    teams(pool)
    since = audit.end(cluster.audit_log)
    seen: dict[str, list[Any]] = {team: [] for team in TEAMS}

    def runtimes() -> list[Any]:
        for team in TEAMS:
            runtime = pool.status(team)["runtime"]["cpu"]
            if runtime not in seen[team][-1:]:
                seen[team].append(runtime)
        return [seen[team][-1] for team in TEAMS]

    assert runtimes() == ["8", "8"]
    for node in sorted(pool.nodes())[:2]:
        pool.remove_node(node)
    took = seconds_until(runtimes, ["4", "4"])
    measured["A-19 half of the nodes gone: until guarantees have shrunk"] = took
    began = time.monotonic()
    # Longer than the delay after which pods beyond their runtime may be evicted (3 s here).
    eventually(lambda: (runtimes(), time.monotonic() - began > 6), (["4", "4"], True))
    assert max(len(changes) for changes in seen.values()) <= 3, seen
    assert evictions(cluster, pool, since) == []
    assert condition(pool.get("north"), "Overused")["status"] == "True"


def test_a_20_a_node_that_flaps_costs_no_pod_and_few_writes(
    pool: Pool, cluster: local.Cluster, measured: dict[str, float]
) -> None:
    teams(pool)
    node = min(pool.nodes())
    since = audit.end(cluster.audit_log)
    began = time.monotonic()
    for number in range(FLAPS):
        status = "True" if number % 2 else "False"
        ready = {"type": "Ready", "status": status, "reason": "Flap", "message": "flaps"}
        change = {"status": {"conditions": [ready]}}
        pool.admin.patch("Node", node, change=change, subresource="status")
        time.sleep(max(0.0, began + number + 1 - time.monotonic()))  # the fault: each second
    lasted = time.monotonic() - began
    writes = audit.writes(cluster.audit_log, "elasticquotas/status", pool.namespace, since=since)
    of_teams = [write for write in writes if write.name != pool.root]
    measured["A-20 node flaps once a second: status writes a second and quota"] = (
        len(of_teams) / lasted / len(TEAMS)
    )
    assert evictions(cluster, pool, since) == []
    assert len(of_teams) <= len(TEAMS) * max(1, lasted / 10)
    eventually(lambda: settled.faults(pool), [], within=30)
