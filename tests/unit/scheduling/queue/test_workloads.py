"""A job is queued as a whole, its pods are admitted behind it, and it is reclaimed at once."""

import pytest

from elasticquota import names
from elasticquota.model.decision import Decisions, QuotaStatus
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from sentences import why
from worlds import World


AT_ONCE = Policy(grace=0, delay=0, brake_percent=0)


def released(decisions: Decisions) -> list[str]:
    return [release.uid for release in decisions.of_workloads.releases]


def told(decisions: Decisions) -> dict[str, str]:
    """Uid -> what its message says."""
    return {wait.uid: why(wait.message) for wait in decisions.of_workloads.waits}


def status(decisions: Decisions, quota: str) -> QuotaStatus:
    return next(each for each in decisions.statuses if each.key.name == quota)


def cpu(decisions: Decisions, quota: str) -> tuple[int, int, int]:
    """Request, admitted and used, in whole cpus."""
    found = status(decisions, quota)
    asked, admitted, used = (
        each.get("cpu", 0) // 1000 for each in (found.request, found.admitted, found.used)
    )
    return asked, admitted, used


def test_a_job_starts_when_all_of_it_fits_and_not_before() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=10)
    world.pods("team-a", 5, cpu=1)
    job = world.job("team-a", "train", pods=3, cpu=2)
    decisions = world.decide()
    assert released(decisions) == []
    assert told(decisions) == {
        job.uid: "QuotaExhausted: Job teams/train needs 6 cpu; 5 of its current share of 10 "
        "are in use (guaranteed 0, limit 10). Position 1 of 1. It starts when 1 cpu "
        "is freed in team-a."
    }
    assert cpu(decisions, "team-a") == (11, 5, 5)
    world.ledger.delete_pod(next(iter(world.ledger.pods)))
    assert released(world.decide()) == [job.uid]


def test_pods_of_a_job_that_waits_wait_with_it_and_ask_for_nothing() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    world.pods("team-a", 2)
    job = world.job("team-a", "train", pods=3)
    early = world.pods("team-a", 3, waiting=True, job="train")
    decisions = world.decide()
    assert released(decisions) == []
    assert cpu(decisions, "team-a") == (5, 2, 2)
    assert {uid: text for uid, text in told(decisions).items() if uid != job.uid} == dict.fromkeys(
        [pod.uid for pod in early],
        (
            "WaitingForGroup: Job teams/train waits as a whole, and its pods with it. It "
            "starts when its group is complete."
        ),
    )


@pytest.mark.parametrize("by", ["eviction", "its user"])
def test_pods_at_the_gate_of_a_job_that_is_reclaimed_are_not_admitted_by_themselves(
    by: str,
) -> None:
    """There is room for them, and their operator is about to delete them."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    job = world.job("team-a", "train", pods=3, admitted=True)
    world.pods("team-a", 1, job="train")
    late = world.pods("team-a", 2, waiting=True, job="train")
    if by == "eviction":
        world.ledger.expect_eviction(job.uid)
    else:
        world.ledger.upsert_job(replace(job, request={names.MAX_JOBS: 1}, deleting=True))
    decisions = world.decide()
    assert released(decisions) == []
    assert told(decisions) == dict.fromkeys(
        [pod.uid for pod in late],
        (
            "WaitingForGroup: Job teams/train is being suspended, and its pods with it. It "
            "starts when its group is complete."
        ),
    )
    if by == "eviction":
        world.ledger.forget_eviction(job.uid)
    else:
        world.ledger.upsert_job(job)
    assert released(world.decide()) == [pod.uid for pod in late]


def test_pods_of_an_admitted_job_wait_in_no_queue() -> None:
    """A more important pod has to wait, because the job has reserved the room."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=4)
    world.job("team-a", "train", pods=4, admitted=True)
    mine = world.pods("team-a", 2, waiting=True, job="train")
    world.pods("team-a", waiting=True, priority=9, may_preempt=False)
    decisions = world.decide()
    assert released(decisions) == [pod.uid for pod in mine]
    assert (
        decisions.of_workloads.releases[0].message == "quota team-a: admitted with Job teams/train."
    )
    assert cpu(decisions, "team-a") == (5, 4, 0)


def test_reservation_and_pods_are_never_both_counted() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=8)
    world.job("team-a", "train", pods=4, cpu=2, admitted=True)
    assert cpu(world.decide(), "team-a") == (8, 8, 0)
    world.pods("team-a", 3, cpu=2, job="train")
    assert cpu(world.decide(), "team-a") == (8, 8, 6)
    world.pods("team-a", cpu=2, job="train", waiting=True)
    assert cpu(world.decide(), "team-a") == (8, 8, 6)
    assert status(world.decide(), "team-a").pods_admitted == 4


def test_pods_of_a_job_beyond_its_request_wait_like_all_others() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    world.job("team-a", "train", pods=2, cpu=2, admitted=True)
    pods = world.pods("team-a", 3, cpu=2, waiting=True, job="train")
    decisions = world.decide()
    assert released(decisions) == [pod.uid for pod in pods[:2]]
    assert told(decisions)[pods[2].uid].startswith("QuotaExhausted: needs 2 cpu; all 4 of")


def test_a_pod_of_another_quota_draws_on_nothing_with_the_jobs_label() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=4)
    world.quota("team-b", max=1)
    world.job("team-a", "train", pods=4, admitted=True)
    world.pods("team-b")
    stranger = world.pods("team-b", waiting=True, job="train")
    decisions = world.decide()
    assert released(decisions) == []
    assert told(decisions).keys() == {stranger[0].uid}
    assert cpu(decisions, "team-a") == (4, 4, 0)


def test_of_two_jobs_that_select_the_same_pods_the_older_has_them() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=8)
    older = world.job("team-a", "train", pods=2, admitted=True)
    younger = world.job("team-a", "other", pods=2, admitted=True)
    world.ledger.upsert_job(replace(younger, labels=older.labels))
    world.pods("team-a", 2, job="train")
    assert cpu(world.decide(), "team-a") == (4, 4, 2)
    world.ledger.delete_job(older.key)
    assert cpu(world.decide(), "team-a") == (2, 2, 2)


def test_a_limit_of_jobs_holds_on_every_level() -> None:
    world = World(nodes=4, cpu=8)
    limit = {"cpu": 30_000, names.MAX_JOBS: 1}
    world.quota("dept", max=limit, is_parent=True)
    world.quota("team-a", max={"cpu": 30_000}, parent="dept")
    world.quota("team-b", max={"cpu": 30_000}, parent="dept")
    first = world.job("team-a", "one", pods=1)
    second = world.job("team-b", "two", pods=1)
    decisions = world.decide()
    assert released(decisions) == [first.uid]
    assert told(decisions) == {
        second.uid: f"QuotaExhausted: Job teams/two needs 1 {names.MAX_JOBS}; its current share is "
        "0 (guaranteed 0, no limit). Position 1 of 1. It starts when its share grows to at least 1 "
        f"{names.MAX_JOBS}."
    }
    world.ledger.delete_job(first.key)
    assert released(world.decide()) == [second.uid]


def test_a_job_too_large_for_the_tree_or_with_a_pod_too_large_for_any_node_is_reported() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", max=100)
    wide = world.job("team-a", "wide", pods=3, cpu=6)
    tall = world.job("team-a", "tall", pods=1, cpu=9)
    assert told(world.decide()) == {
        wide.uid: "NoNodeFits: Job teams/wide needs 18 cpu; all nodes of the tree together "
        "offer 16. It starts only if it asks for less, or if a node for it joins the "
        "tree.",
        tall.uid: (
            "NoNodeFits: needs 9 cpu; the largest node of the tree offers 8. It starts only if it "
            "asks for less, or if a node for it joins the tree."
        ),
    }


def test_a_job_is_reclaimed_as_a_whole_and_once() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=4)
    world.quota("team-a")
    job = world.job("team-a", "train", pods=3, cpu=2, admitted=True)
    pods = world.pods("team-a", 3, cpu=2, job="train")
    world.pods("owner", 2, cpu=2, waiting=True)
    (eviction,) = world.decide(policy=AT_ONCE).of_workloads.evictions
    assert (eviction.pod, eviction.request["cpu"]) == (job.key, 6000)
    world.ledger.expect_eviction(job.uid)
    assert world.decide(policy=AT_ONCE).of_workloads.evictions == ()
    stopping = replace(job, uid="uid-again", request={}, deleting=True)
    world.ledger.upsert_job(stopping)
    assert world.decide(policy=AT_ONCE).of_workloads.evictions == ()
    for pod in pods:
        world.ledger.delete_pod(pod.key)
    world.ledger.upsert_job(replace(job, uid="uid-again", gates=(names.GATE,)))
    assert [release.quota for release in world.decide(policy=AT_ONCE).of_workloads.releases] == [
        "owner"
    ] * 2


def test_a_job_that_is_partly_beyond_min_goes_whole_for_a_guarantee() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=4)
    world.quota("team-a", min=4)
    job = world.job("team-a", "train", pods=8, admitted=True)
    world.pods("team-a", 8, job="train")
    world.pods("owner", 4, waiting=True)
    assert [eviction.pod for eviction in world.decide(policy=AT_ONCE).of_workloads.evictions] == [
        job.key
    ]


def test_for_a_fair_share_a_job_that_is_partly_within_min_stays_whole() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner")
    world.quota("team-a", min=4)
    world.job("team-a", "train", pods=8, admitted=True)
    world.pods("team-a", 8, job="train")
    world.pods("owner", 4, waiting=True)
    assert world.decide(policy=AT_ONCE).of_workloads.evictions == ()


def test_what_pods_of_a_job_return_that_leave_already_is_not_returned_with_the_job_again() -> None:
    world = World(nodes=1, cpu=4)
    world.quota("team-a")
    world.quota("team-b")
    world.pods("team-b", 2)
    world.job("team-a", "less", 2, admitted=True)
    for pod in world.pods("team-a", 2, job="less"):
        world.ledger.upsert_pod(replace(pod, deleting=True))
    world.job("team-a", "important", 3, priority=9)
    assert world.decide().jobs.evictions == ()


def test_a_job_that_is_not_reclaimed_whole_is_reclaimed_pod_by_pod() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("owner", min=4)
    world.quota("team-a", min=4)
    world.job("team-a", "flow", pods=8, admitted=True, whole=False)
    pods = world.pods("team-a", 8, job="flow")
    world.pods("owner", 4, waiting=True)
    evicted = {eviction.uid for eviction in world.decide(policy=AT_ONCE).of_workloads.evictions}
    assert evicted == {pod.uid for pod in pods[-4:]}


def test_a_job_of_higher_priority_takes_the_place_of_a_whole_job_of_its_quota() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    low = world.job("team-a", "low", pods=8, admitted=True)
    world.pods("team-a", 8, job="low")
    world.job("team-a", "high", pods=2, priority=9)
    (eviction,) = world.decide(policy=AT_ONCE).of_workloads.evictions
    assert eviction.pod == low.key
    assert eviction.message == (
        "Job teams/high of the same quota team-a takes its place, because its "
        "priority 9 is higher. It starts again when team-a has room"
    )
