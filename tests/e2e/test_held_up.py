"""A released pod that no node takes does not hold up an owner, whatever its user writes."""

from collections.abc import Callable
from typing import Any

import pytest

from scenes import Pool, condition, gates
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

GRACE = 1
"""Of reclaim, in seconds (``installation``)."""

IN_TIME = GRACE + 10
CRITICAL = "system-cluster-critical"
MISSING = [{"name": "data", "persistentVolumeClaim": {"claimName": "missing"}}]
FUTURE = "99999999999"


@pytest.fixture
def pool(new_pool: Callable[..., Pool]) -> Pool:
    """Two nodes of 8 cpu; the quota of the owner has a min of 8, that of the tenant of 1."""
    pool = new_pool(nodes=2, cpu=8)
    pool.quota("own", min=8, max=16)
    pool.quota("bor", min=1, max=8)
    return pool


def released(pool: Pool, name: str) -> bool:
    return gates(pool.get_pod(name)) == []


def forge(pool: Pool, tenant: User, name: str) -> None:
    """Write that the pod is released in the far future."""
    labels = {"elasticquota.dev/admitted-at": FUTURE}
    tenant.patch("Pod", name, pool.namespace, change={"metadata": {"labels": labels}})


def runs_in_time(pool: Pool) -> None:
    pool.pods("own", 8)
    eventually(lambda: len(pool.running("own")), 8, within=IN_TIME)


@pytest.mark.parametrize(
    "spec", [{"schedulerName": "none"}, {"volumes": MISSING}], ids=["scheduler", "volume"]
)
def test_an_important_pod_that_no_node_takes(
    pool: Pool, tenant: User, spec: dict[str, Any]
) -> None:
    tenant.create(pool.pod_manifest("trap", "bor", cpu=7, priority=CRITICAL, **spec))
    eventually(lambda: released(pool, "trap"), True)
    forge(pool, tenant, "trap")
    runs_in_time(pool)
    assert not pool.get_pod("trap")["spec"].get("nodeName")


def affinity(number: int) -> Document:
    """A node affinity that all nodes fulfill."""
    zone = {"key": "zone", "operator": "NotIn", "values": [f"z{number}"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def test_a_hundred_small_important_pods_with_different_affinities(pool: Pool, tenant: User) -> None:
    names = [f"trap-{number}" for number in range(101)]
    for number, name in enumerate(names):
        tenant.create(
            pool.pod_manifest(
                name,
                "bor",
                cpu="1m",
                priority=CRITICAL,
                affinity=affinity(number),
                volumes=MISSING,
            )
        )
    eventually(lambda: [name for name in names if not released(pool, name)], [], within=60)
    for name in names:
        forge(pool, tenant, name)
    runs_in_time(pool)


def test_an_owner_of_an_admitted_pod_without_a_node_starves(pool: Pool, tenant: User) -> None:
    tenant.create(pool.pod_manifest("lost", "own", volumes=MISSING))
    found = eventually(
        lambda: condition(pool.get("own"), "Starved"),
        lambda found: found["status"] == "True",
    )
    assert found["reason"] == "WithoutNode"
    assert "its condition PodScheduled says why" in found["message"]
