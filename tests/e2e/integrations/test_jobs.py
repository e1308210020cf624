"""Jobs are queued as a whole on a live cluster: the real Job controller, kwok's nodes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import served
import workloads
from installation import Installation
from scenes import HIGH, Pool, condition, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

JOB_PHASE = "elasticquota.dev/job-phase"
MAX_JOBS = "kube-queue/max-jobs"
ENDING = 3600
"""Seconds that a pod takes to end, more than any test."""


@pytest.fixture
def team(pool: Pool) -> Iterator[Pool]:
    """The quota team may have 4 of 16 cpu."""
    pool.quota("team", min=0, max=4)
    yield pool
    pool.admin.delete_all("Job", pool.namespace)


def submit(pool: Pool, name: str, pods: int, quota: str = "team", **facts: Any) -> Document:
    """A suspended Job, as users submit it."""
    return workloads.job(pool, quota, name, pods, job={"suspend": True}, **facts)


def stored(pool: Pool, name: str) -> Any:
    return pool.admin.get("Job", name, pool.namespace)


def suspended(pool: Pool, *names: str) -> tuple[bool, ...]:
    return tuple(stored(pool, name)["spec"]["suspend"] for name in names)


def unit(pool: Pool, name: str) -> Any:
    return pool.admin.find("QueueUnit", f"{name}-job-qu", pool.namespace) or {}


def phase(pool: Pool, name: str) -> str:
    return str((unit(pool, name).get("status") or {}).get("phase", ""))


def said(pool: Pool, name: str) -> str:
    return str((unit(pool, name).get("status") or {}).get("message", ""))


def waits_because(pool: Pool, pod: str) -> str:
    return str(condition(pool.get_pod(pod), "PodScheduled").get("message", ""))


def test_seed_002_suspend_handoff_a_job_is_dequeued_when_its_whole_request_fits(
    team: Pool,
) -> None:
    submit(team, "first", 3)
    eventually(lambda: suspended(team, "first"), (False,))
    eventually(lambda: len(team.running("team")), 3)
    submit(team, "second", 2)
    eventually(lambda: phase(team, "second"), "Enqueued")
    eventually(lambda: "needs 2 cpu" in said(team, "second"), True)
    assert "Position 1 of 1" in said(team, "second")
    assert suspended(team, "second") == (True,)
    eventually(lambda: phase(team, "first"), "Running")
    eventually(lambda: team.events("first", "Job"), lambda found: "QuotaAdmitted" in found)
    team.admin.delete("Job", "first", team.namespace)
    eventually(lambda: suspended(team, "second"), (False,))
    eventually(lambda: len(team.running("team")), 2)
    # The garbage collector hears of new kinds every half minute.
    eventually(lambda: unit(team, "first"), {}, within=60)


def test_seed_002_troubleshooting_a_stuck_job_says_why_in_its_unit(team: Pool) -> None:
    submit(team, "wide", 5)
    eventually(
        lambda: said(team, "wide"), lambda text: "needs 5 cpu" in text and "[ExceedsMax]" in text
    )


def test_pods_of_a_job_that_is_unsuspended_before_its_turn_wait_for_it(team: Pool) -> None:
    submit(team, "first", 3)
    eventually(lambda: len(team.running("team")), 3)
    workloads.job(team, "team", "eager", 2)
    eventually(lambda: len(team.gated("team")), 2)
    eventually(lambda: phase(team, "eager"), "Enqueued")
    for pod in team.gated("team"):
        eventually(partial(waits_because, team, pod), lambda text: "waits as a whole" in text)
    team.admin.delete("Job", "first", team.namespace)
    eventually(lambda: len(team.running("team")), 2)


def test_a_job_is_reclaimed_as_a_whole_and_starts_again(team: Pool) -> None:
    team.quota("borrower", min=0, max=16)
    team.quota("owner", min=8, max=16)
    submit(team, "train", 12, quota="borrower")
    eventually(lambda: len(team.running("borrower")), 12)
    team.pods("owner", 6)
    eventually(lambda: suspended(team, "train"), (True,), within=30)
    eventually(lambda: len(team.running("owner")), 6, within=30)
    eventually(lambda: len(team.running("borrower")), 0)
    eventually(lambda: phase(team, "train"), "Enqueued")
    eventually(lambda: team.events("train", "Job"), lambda found: "QuotaReclaim" in found)
    assert stored(team, "train").get("status", {}).get("failed", 0) == 0
    team.admin.delete_all("Pod", team.namespace)
    eventually(lambda: len(team.running("borrower")), 12, within=30)


def ends(phase: str) -> Callable[[Pool], None]:
    """The first pod of the team ends in this phase."""

    def end(pool: Pool) -> None:
        change = {"status": {"phase": phase}}
        first = min(pool.running("team"))
        pool.admin.patch("Pod", first, pool.namespace, change=change, subresource="status")

    return end


def lower_parallelism(pool: Pool) -> None:
    """A user lowers it by one."""
    workloads.scale(pool, "Job", "train", 3)


@pytest.mark.parametrize(
    ("spec", "change"),
    [
        ({"completionMode": "Indexed", "backoffLimitPerIndex": 0}, ends("Failed")),
        ({"completions": None}, ends("Succeeded")),
        ({}, lower_parallelism),
    ],
    ids=["a failed index", "a work queue", "a lowered parallelism"],
)
def test_what_a_running_job_can_no_longer_use_starts_another_pod(
    team: Pool, spec: Document, change: Callable[[Pool], None]
) -> None:
    workloads.job(team, "team", "train", 4, job={"suspend": True, **spec})
    eventually(lambda: len(team.running("team")), 4)
    team.pod("next", "team")
    eventually(lambda: "needs 1 cpu" in waits_because(team, "next"), True)
    change(team)
    eventually(lambda: "next" in team.running("team"), True)
    assert len(team.running("team")) == 4
    assert condition(stored(team, "train"), "Complete")["status"] == ""


@served.since(31)
def test_a_job_whose_success_policy_is_met_starts_another_pod_before_its_own_have_ended(
    team: Pool,
) -> None:
    met = {"completionMode": "Indexed", "successPolicy": {"rules": [{"succeededIndexes": "0"}]}}
    slow = workloads.template(team, "team", "train", terminationGracePeriodSeconds=ENDING)
    slow["metadata"]["annotations"] = {"elasticquota.dev/takes-its-grace": ""}
    spec = workloads.job_spec(slow, 4, suspend=True, **met, completions=8)
    team.admin.create(workloads.manifest(team, "Job", "train", spec))
    eventually(lambda: len(team.running("team")), 4)
    team.pod("next", "team")
    eventually(lambda: "needs 1 cpu" in waits_because(team, "next"), True)
    ends("Succeeded")(team)
    eventually(lambda: team.running("team"), {"next"})
    eventually(lambda: stored(team, "train")["status"]["terminating"], 3)
    assert condition(stored(team, "train"), "SuccessCriteriaMet")["status"] == "True"
    assert condition(stored(team, "train"), "Complete")["status"] == ""


def test_higher_priority_goes_first(team: Pool) -> None:
    submit(team, "first", 4)
    eventually(lambda: len(team.running("team")), 4)
    submit(team, "low", 4)
    eventually(lambda: phase(team, "low"), "Enqueued")
    submit(team, "high", 4, priority=HIGH)
    eventually(lambda: said(team, "high"), lambda text: "Position 1 of 2" in text)
    team.admin.delete("Job", "first", team.namespace)
    eventually(lambda: suspended(team, "high", "low"), (False, True))


def test_seed_002_max_jobs_limits_how_many_jobs_run(team: Pool) -> None:
    team.quota("few", min=0, max={"cpu": "16", MAX_JOBS: "1"})
    for name in ("one", "two"):
        submit(team, name, 1, quota="few")
    eventually(lambda: sorted(suspended(team, "one", "two")), [False, True])
    (first,) = [name for name in ("one", "two") if suspended(team, name) == (False,)]
    (other,) = {"one", "two"} - {first}
    eventually(lambda: f"needs 1 {MAX_JOBS}" in said(team, other), True)
    team.admin.delete("Job", first, team.namespace)
    eventually(lambda: suspended(team, other), (False,))


def test_no_user_may_write_on_a_job_that_it_was_admitted(team: Pool, tenant: User) -> None:
    submit(team, "first", 4)
    eventually(lambda: len(team.running("team")), 4)
    submit(team, "forger", 4)
    change = {"metadata": {"annotations": {JOB_PHASE: "Dequeued 1 0"}}, "spec": {"suspend": False}}
    found = refusal(lambda: tenant.patch("Job", "forger", team.namespace, change=change))
    assert found.code == 403
    assert (
        f"metadata.annotations[{JOB_PHASE}] says how far a job has come in line, so only the "
        "controller may write it; leave it out [EQ1108]"
    ) in found.message
    change = {"spec": {"suspend": False}}
    tenant.patch("Job", "forger", team.namespace, change=change)
    eventually(lambda: len(team.gated("team")), 4)
    assert len(team.running("team")) == 4


def test_a_controller_that_is_killed_leaves_no_job_both_suspended_and_counted(
    team: Pool, product: Installation
) -> None:
    team.quota("many", min=0, max=6)
    for number in range(8):
        submit(team, f"job-{number}", 2, quota="many")
    product.kill(eventually(product.leader, bool))
    names = [f"job-{number}" for number in range(8)]
    eventually(lambda: sorted(suspended(team, *names)), [False] * 3 + [True] * 5, within=60)
    eventually(lambda: len(team.running("many")), 6, within=30)
    eventually(lambda: team.used("many"), "6")
    started = [name for name in names if suspended(team, name) == (False,)]
    for name in started:
        team.admin.delete("Job", name, team.namespace)
    left = [name for name in names if name not in started]
    eventually(lambda: sorted(suspended(team, *left)), [False] * 3 + [True] * 2, within=30)
