"""Which pods of one quota may be evicted, and in which order."""

from typing import Any

import pytest

from elasticquota import names
from elasticquota.ledger.pods.usage import Account, CountedAs
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import JobName, QueuedJob
from elasticquota.scheduling.preemption import victims
from elasticquota.structs import replace


RUNS = CountedAs("team-a", running=True)
LATER = "2026-01-02"


def pod(name: str, cpu: int = 0, **facts: Any) -> Pod:
    request = facts.pop("request", {"cpu": cpu})
    given = {"node_name": "node-0", "started": "2026-01-01", **facts}
    return Pod(Key("teams", name), name, "2026-01-01", request=request, **given)


@pytest.mark.parametrize(
    ("facts", "counted_as", "may"),
    [
        ({}, RUNS, True),
        ({"preemptible": False}, RUNS, False),
        ({"preemptible": False}, RUNS._replace(stuck=True), True),
        ({"mirror": True}, RUNS, False),
        ({"daemon": True}, RUNS, False),
        ({"gates": (names.GATE,)}, RUNS, False),
        ({}, RUNS._replace(leaving=True), False),
        ({}, RUNS._replace(late=True), False),
    ],
)
def test_a_pod_may_go_by_what_it_is_and_how_it_counts(
    facts: dict[str, Any], counted_as: CountedAs, may: bool
) -> None:
    account, one = Account(), pod("a", 2, **facts)
    account.add(one, counted_as)
    low = {"cpu": 2}
    assert victims.may_go(one, account, low, frozenset()) is may


def test_a_job_may_go() -> None:
    account, job = (
        Account(),
        QueuedJob(Key("teams", "job"), "job", "2026-01-01", JobName("Job", Key("teams", "job"))),
    )
    account.add(job, RUNS)
    assert victims.may_go(job, account, {}, frozenset())


def test_pods_that_are_not_preemptible_may_go_while_they_hold_more_than_min_together() -> None:
    account = Account()
    first, second = (pod(name, 2, preemptible=False) for name in "ab")
    plain = pod("c", request={"memory": 1}, preemptible=False)
    for each in (first, second, plain):
        account.add(each, RUNS)
    enough, less = {"cpu": 4, "memory": 1}, {"cpu": 3, "memory": 1}
    for low, go in ((enough, []), (less, [first, second])):
        assert [
            pod for pod in account.running if victims.may_go(pod, account, low, frozenset())
        ] == go


def test_the_least_important_goes_first() -> None:
    expected = [
        pod("a", node_name=""),
        pod("b", deleting=True, priority=1),
        pod("c", node_name="", preemptible=False),
        pod("d", started=LATER),
        pod("e"),
        pod("f"),
        pod("g", priority=1),
        pod("last", evict_last=True),
        pod("lost", evict_last=True, priority=1),
        pod("h", preemptible=False),
    ]
    assert victims.in_order(reversed(expected)) == expected
    assert victims.rank(expected[0]) == (False, False, False, 0)
    assert victims.rank(expected[1]) == (False, False, False, 1)
    assert victims.rank(expected[7]) == (True, False, True, 0)
    assert victims.rank(expected[9]) == (True, True, False, 0)


def test_a_pod_that_has_not_started_is_as_old_as_its_creation() -> None:
    young = replace(pod("b", started=""), created=LATER)
    assert victims.in_order([pod("a"), young]) == [young, pod("a")]
