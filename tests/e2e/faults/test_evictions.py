"""What blocks a reclaim is reported where users look, and overruled where that is configured."""

import os
import time
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

import audit
import settled
from installation import Installation
from local_cluster import cluster as local
from scenes import LOW, Pool, condition
from users import Document, User
from waiting import eventually, seconds_until


BLOCKED = float(os.environ.get("BLOCKED", "0"))
"""Seconds for which a budget blocks at least; ``BLOCKED=240`` is the long form."""

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(240 + BLOCKED)]


@pytest.fixture
def waiting(pool: Pool, admin: User) -> Iterator[Pool]:
    """team-a holds all 16 cpus under one disruption budget; a pod of team-b waits for its min."""
    pool.quota("team-a", max=16)
    pool.quota("team-b", min=8, max=16)
    pool.pods("team-a", 16, labels={"guarded": "yes"})
    admin.create(
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "all-of-them", "namespace": pool.namespace},
            "spec": {"minAvailable": 16, "selector": {"matchLabels": {"guarded": "yes"}}},
        }
    )
    eventually(lambda: len(pool.running("team-a")), 16)
    eventually(
        lambda: admin.get("PodDisruptionBudget", "all-of-them", pool.namespace)["status"],
        lambda status: status.get("currentHealthy") == 16,
    )
    pool.pod("late", "team-b")
    yield pool
    if admin.find("PodDisruptionBudget", "all-of-them", pool.namespace):
        admin.delete("PodDisruptionBudget", "all-of-them", pool.namespace)


def conditions(pool: Pool, quota: str) -> set[str]:
    """The types of the conditions that are true."""
    return {
        found["type"] for found in pool.status(quota)["conditions"] if found["status"] == "True"
    }


def tries(log: Path, pool: Pool) -> dict[str, list[datetime]]:
    """When an eviction of each pod was requested, whatever the answer."""
    found: dict[str, list[datetime]] = {}
    for write in audit.writes(log, "pods/eviction", pool.namespace):
        found.setdefault(write.name, []).append(write.at)
    return found


def pauses(log: Path, pool: Pool) -> list[float]:
    """Seconds between two eviction requests for one pod."""
    return [
        (later - earlier).total_seconds()
        for times in tries(log, pool).values()
        for earlier, later in pairwise(times)
    ]


def test_a_09_a_budget_in_the_way_of_an_owner_is_named_until_it_is_gone(
    waiting: Pool, admin: User, cluster: local.Cluster, measured: dict[str, float]
) -> None:
    eventually(lambda: conditions(waiting, "team-a"), lambda said: "ReclaimBlocked" in said)
    blocked = condition({"status": waiting.status("team-a")}, "ReclaimBlocked")
    assert blocked["reason"] == "DisruptionBudget"
    budget_there = f"disruption budget {waiting.namespace}/all-of-them"
    keeper = f"{budget_there} protects them for now, and for 300 s at most"
    owner = waiting.name("team-b")
    assert blocked["message"] == f"pods that should go stay: {keeper}; quota {owner} waits"
    eventually(lambda: conditions(waiting, "team-b"), lambda said: "Starved" in said)
    starved = condition({"status": waiting.status("team-b")}, "Starved")
    assert starved["reason"] == "ReclaimBlocked"
    assert starved["message"].endswith(keeper)
    team = waiting.name("team-a")
    told = eventually(lambda: waiting.events(team, "ElasticQuota"), lambda events: len(events) > 0)
    assert told == {"DisruptionBudget": blocked["message"]}
    eventually(lambda: pauses(cluster.audit_log, waiting), bool, within=30)
    time.sleep(BLOCKED)  # the fault is that it blocks
    admin.delete("PodDisruptionBudget", "all-of-them", waiting.namespace)
    took = seconds_until(lambda: waiting.running("team-b"), {"late"}, within=65)
    measured["A-09 budget gone: until the owner runs"] = took
    # After a refusal, the controller leaves the pod alone for this long.
    assert min(pauses(cluster.audit_log, waiting)) > 4.9
    eventually(lambda: "ReclaimBlocked" in conditions(waiting, "team-a"), False, within=60)
    eventually(lambda: "Starved" in conditions(waiting, "team-b"), False)


def test_a_pod_that_a_budget_has_kept_for_too_long_is_deleted(
    product: Installation, waiting: Pool
) -> None:
    product.upgrade({"config": {"reclaim": {"deleteAfterSeconds": 1}}})
    try:
        eventually(lambda: waiting.running("team-b"), {"late"}, within=60)
        assert len(waiting.running("team-a")) == 15
    finally:
        product.upgrade({"config": {"reclaim": {"deleteAfterSeconds": 300}}})


def budget(pool: Pool, name: str) -> Document:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": pool.namespace},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {settled.GUARDED: "yes"}}},
    }


def test_a_10_a_pod_under_two_budgets_is_left_alone_and_others_go(
    pool: Pool, admin: User, cluster: local.Cluster, measured: dict[str, float]
) -> None:
    pool.quota("team-a", max=16)
    pool.quota("team-b", min=4, max=4)
    admin.create(budget(pool, "one"))
    admin.create(budget(pool, "two"))
    pool.pods("team-a", 12, priority=LOW)
    pool.pods("team-a", 4, prefix="kept", labels={settled.GUARDED: "yes"})
    eventually(lambda: len(pool.running("team-a")), 16)
    owners = pool.pods("team-b", 4)
    took = seconds_until(lambda: pool.running("team-b"), set(owners), within=60)
    measured["A-10 pods under two budgets: until the owner has others' room"] = took
    assert {f"kept-{number}" for number in range(4)} <= pool.running("team-a")
    asked = [name for name in tries(cluster.audit_log, pool) if name.startswith("kept")]
    assert asked, "they are the first in line"
    assert min(pauses(cluster.audit_log, pool), default=5) > 4.9
    told = eventually(lambda: pool.events(asked[0])["QuotaReclaimBlocked"], bool)
    assert "has more than one PodDisruptionBudget" in told
    assert told.endswith(" (one, two)"), "both are named"
    eventually(lambda: settled.faults(pool), [], within=30)
