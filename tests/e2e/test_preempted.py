"""What the stock scheduler preempts, and how it comes back."""

import random
from collections.abc import Callable
from functools import partial

import pytest

from scenes import HIGH, LOW, Pool
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

SOON = 60
ROUNDS = 8


def preempted(pool: Pool) -> list[str]:
    """The scheduler's events about the pods that it preempted."""
    events = pool.admin.list("Event", pool.namespace)
    return [event["message"] for event in events if event["reason"] == "Preempted"]


def uids(pool: Pool, pods: list[str]) -> dict[str, str]:
    there = {pod["metadata"]["name"]: pod for pod in pool.admin.list("Pod", pool.namespace)}
    return {name: there[name]["metadata"]["uid"] for name in pods if name in there}


def some_run(pool: Pool, prefix: str) -> bool:
    return any(name.startswith(prefix) for name in pool.running())


def test_no_guaranteed_pod_of_fifty_tenants_is_preempted_by_more_important_pods(
    new_pool: Callable[..., Pool],
) -> None:
    """Forty have one pod each within their min.

    Pods of the ten others come and go, of any size and priority, and half of them for one node
    only, which may be full.
    """
    dice = random.Random(18)
    pool = new_pool(nodes=10, cpu=8)
    owners = [f"owner-{number}" for number in range(40)]
    borrowers = [f"borrower-{number}" for number in range(10)]
    for owner in owners:
        pool.quota(owner, min=1)
    for borrower in borrowers:
        pool.quota(borrower)
    guaranteed = [name for owner in owners for name in pool.pods(owner, 1, priority=LOW)]
    eventually(lambda: pool.running() >= set(guaranteed), True, within=SOON)
    before = uids(pool, guaranteed)
    nodes = sorted(pool.nodes())
    for number in range(ROUNDS):
        for borrower in borrowers:
            only = {"kubernetes.io/hostname": dice.choice(nodes)} if dice.random() < 0.5 else {}
            pool.pods(
                borrower,
                2,
                prefix=f"loan-{number}-{borrower}",
                cpu=dice.randint(1, 4),
                priority=dice.choice((LOW, None, HIGH, HIGH)),
                run_for=f"{dice.randint(1, 3)}s",
                nodeSelector=only,
            )
        eventually(partial(some_run, pool, f"loan-{number}-"), True, within=SOON)
    assert preempted(pool) == []
    assert uids(pool, guaranteed) == before
    assert pool.running() >= set(guaranteed)


def test_a_pod_without_quota_preempts_as_usual_and_its_victim_runs_again(
    new_pool: Callable[..., Pool],
) -> None:
    """No gate holds it, so the scheduler acts as without us; the guarantee is restored."""
    pool = new_pool(nodes=1, cpu=4)
    pool.quota("own", min=4)
    pool.deployment("web", "own", replicas=4)
    eventually(lambda: len(pool.running("own")), 4, within=SOON)
    pool.pod("wild", None, cpu=4, priority=HIGH, nodeSelector={"pool": pool.namespace})
    eventually(lambda: len(preempted(pool)), lambda found: found >= 4, within=SOON)
    eventually(lambda: len(pool.running("own")), 4, within=SOON)
    stays(lambda: "wild" in pool.running(), False)
