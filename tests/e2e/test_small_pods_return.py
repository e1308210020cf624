"""A min returns as fast where many small pods that end slowly have borrowed it."""

import json
import time
from collections.abc import Callable

import pytest

import audit
from installation import Kubectl
from local_cluster import cluster as local
from scenes import Pool
from users import Document
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long]

SMALL, ENDING = 150, 20
"""So many pods of 100m, and the seconds that each of them takes to end."""
WITHIN = 55
"""Seconds: 40, and what a busy machine adds. A unit test of the same name counts them exactly. When
how many pods are still ending was limited, it took 137 s.
"""


@pytest.fixture(scope="module")
def values() -> Document:
    """The chart's defaults of reclaim."""
    return {"config": {"reclaim": {"graceSeconds": 5, "evictionsPerSecond": 100}}}


def slow_pods(pool: Pool) -> str:
    """A Deployment whose pods take their whole grace period to end."""
    deployment = pool.deployment_manifest(
        "small", "borrower", SMALL, cpu="100m", terminationGracePeriodSeconds=ENDING
    )
    template = deployment["spec"]["template"]["metadata"]
    template["annotations"] = {"elasticquota.dev/takes-its-grace": ""}
    return json.dumps(deployment)


def test_150_small_pods_with_20_s_to_end_return_a_min_of_12_cpu_in_a_minute(
    new_pool: Callable[..., Pool],
    kubectl: Kubectl,
    cluster: local.Cluster,
    measured: dict[str, float],
) -> None:
    pool = new_pool(nodes=2, cpu="7500m")
    pool.quota("owner", min=12)
    pool.quota("borrower")
    kubectl("create", "-f", "-", stdin=slow_pods(pool))
    eventually(lambda: len(pool.running("borrower")), SMALL, within=60)
    since = audit.end(cluster.audit_log)
    began = time.monotonic()
    kubectl("create", "-f", "-", stdin=json.dumps(pool.deployment_manifest("large", "owner", 12)))
    ready = ("wait", "--for=condition=Available", "deployment/large", f"--timeout={WITHIN}s")
    kubectl("--namespace", pool.namespace, *ready)
    measured["150 small pods with 20 s to end: until the owner runs"] = time.monotonic() - began
    evicted = audit.writes(cluster.audit_log, "pods/eviction", pool.namespace, since=since)
    assert len({write.name for write in evicted}) == len(evicted), "each of them once"
