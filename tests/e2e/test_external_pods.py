"""External pods are evicted from the nodes of a tree when a guarantee needs them."""

from collections.abc import Callable

import pytest

from scenes import PREFIX, Pool
from waiting import eventually


pytestmark = pytest.mark.cluster

SOON = 40


def external_pods(pool: Pool, count: int) -> list[str]:
    """Pods of a namespace that no quota binds, on the nodes of the pool."""
    names = [f"wild-{number}" for number in range(count)]
    for name in names:
        pool.pod(
            name,
            None,
            nodeSelector={"pool": pool.namespace},
            labels={f"{PREFIX}name": "koordinator-default-quota"},
        )
    eventually(lambda: pool.running() >= set(names), True, within=SOON)
    return names


def test_a_guarantee_reclaims_its_nodes_from_external_pods(
    new_pool: Callable[..., Pool],
) -> None:
    pool = new_pool(nodes=2, cpu=8)
    pool.quota("own", min=8)
    wild = external_pods(pool, 16)
    own = pool.pods("own", 8)
    eventually(lambda: pool.running("own"), set(own), within=SOON)
    assert len(pool.running() & set(wild)) == 8


def test_external_pods_name_the_guarantee_and_the_quota_keeps_its_runtime(
    new_pool: Callable[..., Pool],
) -> None:
    pool = new_pool(nodes=1, cpu=4)
    pool.quota("own", min=4)
    external_pods(pool, 4)
    own = pool.pods("own", 1, cpu=4)
    eventually(lambda: pool.get("own")["status"]["runtime"]["cpu"], "4")
    eventually(lambda: pool.running("own"), set(own), within=SOON)
    said = f"Evicted: the pod belongs to no quota of tree {pool.root}, which has node"
    events = pool.admin.list("Event", pool.namespace)
    told = [
        event["message"]
        for event in events
        if (event["reason"], event["involvedObject"]["kind"]) == ("QuotaReclaim", "Pod")
    ]
    assert told
    assert all(each.startswith(said) for each in told)
    assert all(f"quota {pool.name('own')} reclaims the room there" in each for each in told)
