"""Pods without requests: what they cost a quota, and what makes them cost something (S-47)."""

from typing import Any

import pytest

from scenes import Pool, condition
from users import Document
from waiting import eventually


pytestmark = pytest.mark.cluster


def asking(pool: Pool, short: str, resources: Document) -> None:
    """Create a pod of the quota ``team`` whose container has just these resources."""
    made = pool.pod_manifest(short, "team")
    made["spec"]["containers"][0]["resources"] = resources
    pool.admin.create(made)


def share_pods(pool: Pool) -> None:
    """Let the tree of the pool also share the number of pods that its nodes can run."""
    change = {"spec": {"resourceKeys": ["cpu", "memory", "pods"]}}
    pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)
    eventually(lambda: "pods" in pool.root_quota()["spec"]["max"], True)


def test_a_pod_without_requests_costs_a_pod_and_nothing_else(pool: Pool) -> None:
    share_pods(pool)
    pool.quota("team", min=1, max={"cpu": "1", "pods": "2"})
    for number in range(3):
        asking(pool, f"free-{number}", {})
    eventually(lambda: len(pool.running("team")), 2)
    (waiting,) = pool.gated("team")
    told = eventually(
        lambda: condition(pool.get_pod(waiting), "PodScheduled")["message"],
        lambda message: "pod slot" in message,
    )
    assert "needs 1 pod slot; all 2 of its current share are in use" in told
    eventually(lambda: pool.used("team", "pods"), "2")
    assert pool.used("team") == "0"


def test_limits_without_requests_count_as_requests(pool: Pool) -> None:
    """The API server copies limits to requests that are missing."""
    pool.quota("team", min=1, max=1)
    for number in range(2):
        asking(pool, f"bounded-{number}", {"limits": {"cpu": "1"}})
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (1, 1))


def test_a_limit_range_gives_requests_before_the_pod_is_judged(pool: Pool) -> None:
    place: dict[str, Any] = {"name": "usual", "namespace": pool.namespace}
    limits = [{"type": "Container", "defaultRequest": {"cpu": "1"}}]
    pool.admin.create(
        {
            "apiVersion": "v1",
            "kind": "LimitRange",
            "metadata": place,
            "spec": {"limits": limits},
        }
    )
    pool.quota("team", min=1, max=1)

    def made() -> str:
        """The API server learns of a LimitRange a moment after its creation."""
        asking(pool, "trial", {})
        requests = pool.get_pod("trial")["spec"]["containers"][0]["resources"].get("requests")
        pool.delete_pods("trial")
        return str(requests)

    eventually(made, "{'cpu': '1'}")
    for number in range(2):
        asking(pool, f"usual-{number}", {})
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (1, 1))
