"""Pods of every kind of owner behave the same: held, admitted, freed, reclaimed.

The owners are the real controllers of kube-controller-manager; the pods run on kwok's nodes.
"""

from pathlib import Path

import pytest
import yaml

import workloads
from installation import BY_BOTH
from scenes import LOW, Pool, condition
from users import Document
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.long]

EXAMPLES = Path(__file__).parents[2] / "examples" / "jobs"
ANY_KIND = pytest.mark.parametrize("kind", workloads.MAKERS)


@pytest.fixture
def team(pool: Pool) -> Pool:
    """The quota team may have 2 of 16 cpu; other and owner exist to borrow and to reclaim."""
    pool.quota("team", min=0, max=2)
    return pool


def job_of(pool: Pool, name: str) -> Document:
    return dict(pool.admin.get("Job", name, pool.namespace).get("status") or {})


def ended(pool: Pool, name: str, how: str) -> str:
    """The reason of the Job's condition, once it is true."""
    found = condition(pool.admin.get("Job", name, pool.namespace), how)
    return str(found.get("reason") or found["type"]) if found["status"] == "True" else ""


@BY_BOTH
@ANY_KIND
def test_pods_of_any_owner_are_held_and_admitted_and_scaling_down_frees_room(
    team: Pool, kind: str
) -> None:
    workloads.MAKERS[kind](team, "team", "work", 3)
    eventually(lambda: (len(team.running("team")), len(team.gated("team"))), (2, 1))
    workloads.scale(team, kind, "work", 1)
    eventually(lambda: (len(team.running("team")), len(team.gated("team"))), (1, 0))
    team.pod("next", "team")
    eventually(lambda: "next" in team.running("team"), True)
    eventually(lambda: team.used("team"), "2")
    team.admin.delete(kind, "work", team.namespace)
    eventually(lambda: team.running("team"), {"next"}, within=30)


def test_a_pod_that_has_finished_frees_its_room(team: Pool) -> None:
    team.pods("team", 2, run_for="1s")
    team.pods("team", 2, prefix="later")
    eventually(lambda: team.running("team"), {"later-0", "later-1"})
    failed = {"status": {"phase": "Failed"}}
    team.admin.patch("Pod", "later-0", team.namespace, change=failed, subresource="status")
    team.pod("last", "team")
    eventually(lambda: team.running("team"), {"later-1", "last"})


def test_a_job_with_more_pods_than_its_quota_has_room_for_runs_them_in_turn(
    team: Pool,
) -> None:
    workloads.job(team, "team", "work", 5, run_for="3s")
    eventually(lambda: len(team.gated("team")), 3)
    eventually(lambda: ended(team, "work", "Complete"), bool, within=40)
    status = job_of(team, "work")
    assert (status["succeeded"], status.get("failed", 0)) == (5, 0)
    eventually(lambda: team.used("team"), "0")


def test_a_job_that_asks_for_all_or_nothing_starts_as_a_whole(team: Pool) -> None:
    pod = workloads.template(team, "team", "train")
    pod["metadata"]["annotations"] |= {
        "elasticquota.dev/all-or-nothing": "true",
        "elasticquota.dev/pod-group-size": "3",
    }
    spec = workloads.job_spec(pod, 3)
    team.admin.create(workloads.manifest(team, "Job", "train", spec))
    eventually(lambda: len(team.gated("team")), 3)
    team.pod("small", "team")
    eventually(lambda: team.running("team"), {"small"})
    more = {"spec": {"max": {"cpu": "4"}}}
    team.admin.patch("ElasticQuota", team.name("team"), team.namespace, change=more)
    eventually(lambda: (len(team.running("team")), team.gated("team")), (4, set()))


def test_a_suspended_job_holds_nothing_before_and_after(team: Pool) -> None:
    workloads.job(team, "team", "work", 3, job={"suspend": True})
    eventually(lambda: ended(team, "work", "Suspended"), bool)
    assert team.running("team") | team.gated("team") == set()
    for suspend, here in ((False, (2, 1)), (True, (0, 0)), (False, (2, 1))):
        team.admin.patch("Job", "work", team.namespace, change={"spec": {"suspend": suspend}})
        eventually(
            lambda: (len(team.running("team")), len(team.gated("team"))),
            here,
            within=60,
        )
    assert job_of(team, "work").get("failed", 0) == 0


def test_the_deadline_of_a_job_runs_while_its_pods_wait_and_that_of_a_pod_does_not(
    team: Pool,
) -> None:
    team.pods("team", 2, prefix="others")
    eventually(lambda: len(team.running("team")), 2)
    workloads.job(team, "team", "whole", 1, job={"activeDeadlineSeconds": 1})
    workloads.job(team, "team", "each", 1, activeDeadlineSeconds=1)
    eventually(lambda: ended(team, "whole", "Failed"), "DeadlineExceeded", within=30)
    eventually(lambda: job_of(team, "each").get("active"), 1)
    assert ended(team, "each", "Failed") == ""


def test_pods_of_a_cron_job_wait_and_run_like_those_of_any_job(team: Pool) -> None:
    team.pods("team", 2, prefix="others")
    eventually(lambda: len(team.running("team")), 2)
    pod = workloads.template(team, "team", "tick", run_for="1s")
    spec = {
        "schedule": "* * * * *",
        "concurrencyPolicy": "Forbid",
        "jobTemplate": {"spec": workloads.job_spec(pod, 1)},
    }
    team.admin.create(workloads.manifest(team, "CronJob", "tick", spec))
    eventually(lambda: len(team.gated("team")), 1, within=90)
    team.delete_pods("others-0")

    def last_success() -> object:
        found = team.admin.get("CronJob", "tick", team.namespace)
        return (found.get("status") or {}).get("lastSuccessfulTime")

    eventually(last_success, bool, within=30)


def test_pods_of_a_daemon_set_belong_to_the_system_unless_they_name_a_quota(team: Pool) -> None:
    team.pods("team", 2, prefix="others")
    eventually(lambda: len(team.running("team")), 2)
    workloads.daemons(team, "agents", None)
    eventually(lambda: len(team.running()), 4)
    stays(team.gated, set())
    workloads.daemons(team, "paid", "team")
    eventually(lambda: len(team.gated("team")), 2)
    team.delete_pods("others-0")
    eventually(lambda: len(team.gated("team")), 1)


def test_an_ordered_stateful_set_waits_for_the_first_pod_that_is_held(team: Pool) -> None:
    team.pod("other", "team")
    eventually(lambda: team.running("team"), {"other"})
    workloads.replicated(team, "StatefulSet", "team", "db", 3)
    eventually(lambda: team.gated("team"), {"db-1"})
    assert team.running("team") == {"other", "db-0"}
    team.delete_pods("other")
    eventually(lambda: (team.running("team"), team.gated("team")), ({"db-0", "db-1"}, {"db-2"}))


@pytest.mark.parametrize(
    ("strategy", "passes"),
    [({"maxSurge": 1, "maxUnavailable": 0}, False), ({"maxSurge": 0, "maxUnavailable": 1}, True)],
    ids=["new pods first", "old pods first"],
)
def test_a_rollout_in_a_full_quota_needs_a_strategy_that_ends_old_pods_first(
    team: Pool, strategy: Document, passes: bool
) -> None:
    spec = {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": strategy},
        "progressDeadlineSeconds": 5,
    }
    workloads.replicated(team, "Deployment", "team", "web", 2, spec=spec)
    eventually(lambda: len(team.running("team")), 2)
    change = {"spec": {"template": {"metadata": {"annotations": {"release": "2"}}}}}
    team.admin.patch("Deployment", "web", team.namespace, change=change)

    def rolled_out() -> tuple[str, int]:
        found = team.admin.get("Deployment", "web", team.namespace)
        return condition(found, "Progressing")["reason"], found["status"].get("updatedReplicas", 0)

    wanted = ("NewReplicaSetAvailable", 2, 0) if passes else ("ProgressDeadlineExceeded", 1, 1)
    eventually(lambda: (*rolled_out(), len(team.gated("team"))), wanted, within=40)
    eventually(lambda: len(team.running("team")), 2)


class BorrowedPool:
    """16 cpu, of which borrower has 12; owner, who is guaranteed them, reclaims."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        pool.quota("borrower", min=4, max=16)
        pool.quota("owner", min=12, max=16)

    def reclaim(self, cpu: int) -> None:
        for number in range(cpu):
            self.pool.pod(f"owner-{number}", "owner")
        eventually(lambda: len(self.pool.running("owner")), cpu, within=60)


def test_a_reclaimed_pod_is_a_disruption_of_its_job_and_no_failure(pool: Pool) -> None:
    """The published example."""
    lent = BorrowedPool(pool)
    example = yaml.safe_load((EXAMPLES / "reclaimed-is-not-failed.yaml").read_text())
    pod = example["spec"]["template"]
    mine = workloads.template(pool, "borrower", "crunch", cpu=4, priority=LOW)
    pod["metadata"] = mine["metadata"]
    pod["spec"] |= mine["spec"]
    example["spec"]["backoffLimit"] = 0
    example["metadata"]["namespace"] = pool.namespace
    pool.admin.create(example)
    eventually(lambda: len(pool.running("borrower")), 4)
    lent.reclaim(8)
    # The Job controller creates pods again after a back-off of its own, 10 s doubled by each.
    eventually(
        lambda: (len(pool.running("borrower")), len(pool.gated("borrower"))), (2, 2), within=90
    )
    eventually(lambda: job_of(pool, "crunch").get("active"), 4)  # as its controller counts them
    assert job_of(pool, "crunch").get("failed", 0) == 0
    assert ended(pool, "crunch", "Failed") == ""
    pool.delete_pods(*(f"owner-{number}" for number in range(8)))
    eventually(lambda: len(pool.running("borrower")), 4)


def test_without_a_failure_policy_an_eviction_counts_against_the_backoff_limit(pool: Pool) -> None:
    lent = BorrowedPool(pool)
    workloads.job(pool, "borrower", "crunch", 4, job={"backoffLimit": 0}, cpu=4)
    eventually(lambda: len(pool.running("borrower")), 4)
    lent.reclaim(4)
    eventually(lambda: ended(pool, "crunch", "Failed"), "BackoffLimitExceeded", within=60)


def test_a_reclaimed_pod_of_a_deployment_is_created_again_and_waits(pool: Pool) -> None:
    lent = BorrowedPool(pool)
    workloads.replicated(pool, "Deployment", "borrower", "web", 16)
    eventually(lambda: len(pool.running("borrower")), 16)
    lent.reclaim(2)
    eventually(lambda: (len(pool.running("borrower")), len(pool.gated("borrower"))), (14, 2))


def test_a_reclaimed_pod_without_an_owner_is_gone(pool: Pool) -> None:
    lent = BorrowedPool(pool)
    pool.pods("borrower", 16)
    eventually(lambda: len(pool.running("borrower")), 16)
    lent.reclaim(1)
    eventually(lambda: len(pool.running("borrower")), 15)
    stays(lambda: (len(pool.running("borrower")), pool.gated("borrower")), (15, set()))
