"""Each odd input has one meaning, and the controller reports it (docs/limits.md)."""

from collections.abc import Iterator

import pytest

from scenes import LOW, Pool, condition
from users import Document, User
from waiting import eventually, stays


pytestmark = pytest.mark.cluster


def budget(pool: Pool, name: str, selector: Document | None) -> Document:
    spec = {"maxUnavailable": 0} | ({} if selector is None else {"selector": selector})
    meta = {"name": name, "namespace": pool.namespace}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": meta,
        "spec": spec,
    }


@pytest.fixture
def owed(pool: Pool) -> Iterator[Pool]:
    """team-a holds all 16 cpus, of which 8 are guaranteed to team-b."""
    pool.quota("team-a", max=16)
    pool.quota("team-b", min=8, max=16)
    pool.pods("team-a", 16, priority=LOW)
    eventually(lambda: len(pool.running("team-a")), 16)
    yield pool
    pool.admin.delete_all("PodDisruptionBudget", pool.namespace)


def test_labels_without_meaning_are_reported_in_condition_and_events_of_the_pod(
    pool: Pool,
) -> None:
    pool.quota("team", min=4, max=4)
    odd = {"quota.scheduling.koordinator.sh/preemptible": "maybe"}
    ignored = f" Ignored: {next(iter(odd))} must be true or false, got 'maybe'."
    pool.pod("in", "team", cpu=4, labels=odd)
    eventually(lambda: pool.events("in").get("QuotaAdmitted", "").endswith(ignored), True)
    pool.pod("out", "team", labels=odd)
    told = eventually(
        lambda: condition(pool.get_pod("out"), "PodScheduled"),
        lambda found: "QuotaExhausted" in found.get("message", ""),
    )
    assert ignored in told["message"]
    eventually(lambda: pool.events("out").get("QuotaWait"), told["message"])


def test_pods_keep_the_priority_of_a_class_that_is_gone(owed: Pool, admin: User) -> None:
    gone = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": f"gone-{owed.namespace}"},
        "value": 50,
    }
    name = admin.create(gone)["metadata"]["name"]
    owed.delete_pods("team-a-3")
    # The API server takes a moment to learn of the class.
    eventually(lambda: owed.pod("least", "team-a", priority=name), bool)
    eventually(lambda: "least" in owed.running("team-a"), True)
    admin.delete("PriorityClass", name)
    owed.pod("late", "team-b")
    eventually(lambda: owed.running("team-b"), {"late"}, within=60)
    stays(lambda: "least" in owed.running("team-a"), False)


def test_a_budget_with_an_empty_selector_protects_all_pods_and_one_without_selector_none(
    owed: Pool, admin: User
) -> None:
    admin.create(budget(owed, "nothing", None))
    admin.create(budget(owed, "everything", {}))
    eventually(
        lambda: admin.get("PodDisruptionBudget", "everything", owed.namespace)["status"],
        lambda status: status.get("currentHealthy") == 16,
    )
    owed.pod("late", "team-b")
    blocked = eventually(
        lambda: condition({"status": owed.status("team-a")}, "ReclaimBlocked"),
        lambda found: found["status"] == "True",
    )
    assert f"{owed.namespace}/everything" in blocked["message"]
    assert f"{owed.namespace}/nothing" not in blocked["message"]
    admin.delete("PodDisruptionBudget", "everything", owed.namespace)
    eventually(lambda: owed.running("team-b"), {"late"}, within=60)
