"""What stands in the way of an owner is said where people look, and overruled if that is asked."""

from collections.abc import Iterator

import pytest

from installation import Installation
from scenes import Pool, condition
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster


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
    """The types of those that are true."""
    return {
        found["type"] for found in pool.status(quota)["conditions"] if found["status"] == "True"
    }


def test_a_budget_in_the_way_of_an_owner_is_named_until_it_is_gone(
    waiting: Pool, admin: User
) -> None:
    eventually(lambda: conditions(waiting, "team-a"), lambda said: "ReclaimBlocked" in said)
    blocked = condition({"status": waiting.status("team-a")}, "ReclaimBlocked")
    assert blocked["reason"] == "DisruptionBudget"
    keeper = f"disruption budget {waiting.namespace}/all-of-them protects them for now"
    owner = waiting.name("team-b")
    assert blocked["message"] == f"pods that should go stay: {keeper}; quota {owner} waits"
    eventually(lambda: conditions(waiting, "team-b"), lambda said: "Starved" in said)
    starved = condition({"status": waiting.status("team-b")}, "Starved")
    assert starved["reason"] == "ReclaimBlocked"
    assert starved["message"].endswith(keeper)
    team = waiting.name("team-a")
    told = eventually(lambda: waiting.events(team, "ElasticQuota"), lambda events: len(events) > 0)
    assert told == {"DisruptionBudget": blocked["message"]}
    admin.delete("PodDisruptionBudget", "all-of-them", waiting.namespace)
    eventually(lambda: waiting.running("team-b"), {"late"}, within=60)
    eventually(lambda: "ReclaimBlocked" in conditions(waiting, "team-a"), False, within=60)
    eventually(lambda: "Starved" in conditions(waiting, "team-b"), False)


def test_a_pod_that_a_budget_has_kept_for_too_long_is_deleted_where_that_is_asked_for(
    product: Installation, waiting: Pool
) -> None:
    product.upgrade({"config": {"reclaim": {"deleteAfterSeconds": 1}}})
    try:
        eventually(lambda: waiting.running("team-b"), {"late"}, within=60)
        assert len(waiting.running("team-a")) == 15
    finally:
        product.upgrade({"config": {"reclaim": {"deleteAfterSeconds": 0}}})
