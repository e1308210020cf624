"""JobSets of the real controller of JobSet, with its chart, its CRD and its webhooks."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import command_line
from installation import Installation, Kubectl
from jobset_program import MANAGER, OF_JOBSET, job_set, replicated_job
from local_cluster import cluster as local
from scenes import Pool, condition
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(900)]

KNOWN = 30.0
"""Seconds within which a kind is known that was installed after the controller had started."""


@pytest.fixture(scope="module")
def jobset(
    product: Installation,
    cluster: local.Cluster,
    kubectl: Kubectl,
    admin: User,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """The real controller of JobSet."""
    with MANAGER.running(cluster, kubectl, admin, tmp_path_factory.mktemp("jobset")):
        yield


@pytest.fixture
def team(pool: Pool, jobset: None) -> Iterator[Pool]:
    """The quota team may have 4 of 16 cpu."""
    pool.quota("team", min=0, max=4)
    yield pool
    for each in pool.admin.list("JobSet", pool.namespace):
        pool.admin.delete("JobSet", each["metadata"]["name"], pool.namespace)
    eventually(lambda: pool.admin.list("Job", pool.namespace), [], within=60)


def unit(pool: Pool, name: str) -> dict[str, Any]:
    """The status of the JobSet's QueueUnit."""
    found = pool.admin.find("QueueUnit", f"{name}-jobset-qu", pool.namespace) or {}
    return dict(found.get("status") or {})


def phase(pool: Pool, name: str) -> str:
    return str(unit(pool, name).get("phase", ""))


def suspended(pool: Pool, name: str) -> bool:
    return bool(pool.admin.get("JobSet", name, pool.namespace)["spec"]["suspend"])


def conditions(pool: Pool, name: str) -> set[str]:
    """The conditions that the controller of JobSet says are true."""
    status = pool.admin.get("JobSet", name, pool.namespace).get("status") or {}
    return {each["type"] for each in status.get("conditions") or () if each["status"] == "True"}


def of(pool: Pool, name: str) -> set[str]:
    """Running pods of the JobSet."""
    found = pool.admin.list("Pod", pool.namespace, labelSelector=f"{OF_JOBSET}={name}")
    return {each["metadata"]["name"] for each in found} & pool.running()


def two_parts(pool: Pool, quota: str, name: str, **spec: Any) -> dict[str, Any]:
    """A driver of one pod, and two Jobs of one worker each."""
    parts = [replicated_job(pool, quota, "driver", 1, 1), replicated_job(pool, quota, "w", 2, 1)]
    return job_set(pool, name, parts, **spec)


def test_a_jobset_starts_as_a_whole_waits_as_a_whole_and_makes_room_when_it_is_deleted(
    team: Pool,
) -> None:
    team.admin.create(two_parts(team, "team", "first"))
    eventually(lambda: phase(team, "first"), "Running", within=KNOWN)
    eventually(lambda: len(of(team, "first")), 3)
    team.admin.create(two_parts(team, "team", "second"))
    eventually(lambda: phase(team, "second"), "Enqueued")
    assert "needs 3 cpu" in unit(team, "second")["message"]
    assert suspended(team, "second")
    eventually(lambda: conditions(team, "second"), {"Suspended"})
    assert "QuotaWait" in eventually(
        lambda: team.events("second", "JobSet"), lambda told: "QuotaWait" in told
    )
    assert not of(team, "second")
    team.admin.delete("JobSet", "first", team.namespace)
    eventually(lambda: len(of(team, "second")), 3, within=60)
    eventually(lambda: phase(team, "second"), "Running")
    eventually(lambda: team.used("team"), "3")


def test_a_jobset_that_completes_makes_room_for_the_next_one(team: Pool) -> None:
    short = [replicated_job(team, "team", "w", 3, 1, run_for="3s")]
    team.admin.create(job_set(team, "first", short))
    eventually(lambda: len(of(team, "first")), 3, within=KNOWN)
    team.admin.create(two_parts(team, "team", "second"))
    eventually(lambda: phase(team, "first"), "Succeed", within=60)
    assert "Completed" in conditions(team, "first")
    eventually(lambda: len(of(team, "second")), 3, within=60)


def test_the_room_of_a_part_that_has_finished_starts_another_pod_while_the_rest_runs(
    team: Pool,
) -> None:
    parts = [replicated_job(team, "team", "driver", 1, 1), replicated_job(team, "team", "w", 3, 1)]
    team.admin.create(job_set(team, "train", parts))
    before = eventually(lambda: of(team, "train"), lambda found: len(found) == 4, within=KNOWN)
    team.pod("next", "team")
    eventually(lambda: "needs 1 cpu" in waits_because(team, "next"), True)
    (driver,) = (each for each in before if each.startswith("train-driver-"))
    end(team, driver, "Succeeded", code=0)
    eventually(lambda: "next" in team.running("team"), True)
    assert of(team, "train") == before - {driver}
    assert "Completed" not in conditions(team, "train")


def waits_because(pool: Pool, pod: str) -> str:
    return str(condition(pool.get_pod(pod), "PodScheduled").get("message", ""))


def test_a_jobset_is_reclaimed_as_a_whole_and_starts_again_when_there_is_room(team: Pool) -> None:
    team.quota("borrower", min=0, max=16)
    team.quota("owner", min=12, max=16)
    parts = [replicated_job(team, "borrower", "w", 4, 3)]
    team.admin.create(job_set(team, "train", parts))
    eventually(lambda: len(of(team, "train")), 12, within=KNOWN)
    team.pods("owner", 6)
    eventually(lambda: suspended(team, "train"), True, within=30)
    eventually(lambda: len(team.running("owner")), 6, within=30)
    eventually(lambda: of(team, "train"), set(), within=30)
    eventually(lambda: "QuotaReclaim" in team.events("train", "JobSet"), True)
    eventually(lambda: phase(team, "train"), "Enqueued")
    team.delete_pods(*team.running("owner"))
    eventually(lambda: len(of(team, "train")), 12, within=60)
    eventually(lambda: conditions(team, "train") & {"Suspended"}, set())


def test_parts_that_start_in_order_are_one_job_of_the_queue(team: Pool) -> None:
    order = {"startupPolicy": {"startupPolicyOrder": "InOrder"}}
    team.admin.create(two_parts(team, "team", "ordered", **order))
    eventually(lambda: len(of(team, "ordered")), 3, within=KNOWN)
    eventually(lambda: phase(team, "ordered"), "Running")
    team.pods("team", 2, prefix="other")
    eventually(lambda: (len(team.running("team")), len(team.gated("team"))), (4, 1))


def test_a_jobset_that_restarts_after_a_failure_keeps_its_place(team: Pool) -> None:
    part = replicated_job(team, "team", "w", 3, 1)
    part["template"]["spec"]["backoffLimit"] = 0
    policy = {"failurePolicy": {"maxRestarts": 2}}
    team.admin.create(job_set(team, "train", [part], **policy))
    before = eventually(lambda: of(team, "train"), lambda found: len(found) == 3, within=KNOWN)
    team.admin.create(two_parts(team, "team", "next"))
    eventually(lambda: phase(team, "next"), "Enqueued")
    end(team, min(before), "Failed", code=1)

    def again() -> bool:
        found = of(team, "train")
        return len(found) == 3 and not found & before

    eventually(again, True, within=60)
    status = team.admin.get("JobSet", "train", team.namespace)["status"]
    assert status["restarts"] == 1
    assert (suspended(team, "train"), suspended(team, "next")) == (False, True)
    eventually(lambda: phase(team, "train"), "Running")
    assert phase(team, "next") == "Enqueued"


def end(pool: Pool, name: str, phase: str, *, code: int) -> None:
    """Write what a kubelet would: the container ended with this exit code."""
    reason = "Error" if code else "Completed"
    ended = {"exitCode": code, "reason": reason, "finishedAt": "2026-01-01T00:00:00Z"}
    state = {
        "name": "main",
        "ready": False,
        "restartCount": 0,
        "image": "registry.example/main:1",
        "imageID": "",
        "state": {"terminated": ended},
    }
    change = {"status": {"phase": phase, "containerStatuses": [state]}}
    pool.admin.patch("Pod", name, pool.namespace, change=change, subresource="status")


def test_pods_of_one_node_for_each_job_start_although_followers_are_made_after_the_leader(
    team: Pool,
) -> None:
    """The webhook of JobSet refuses the followers until the leader has a node."""
    jobs = job_set(team, "train", [replicated_job(team, "team", "w", 2, 2)])
    topology = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "kubernetes.io/hostname"}
    jobs["metadata"]["annotations"] = topology
    team.admin.create(jobs)
    eventually(lambda: len(of(team, "train")), 4, within=60)
    nodes = {
        (pod["metadata"]["labels"]["jobset.sigs.k8s.io/job-index"], pod["spec"]["nodeName"])
        for pod in team.admin.list("Pod", team.namespace, labelSelector=OF_JOBSET)
    }
    assert len(nodes) == len(dict(nodes)) == 2


@pytest.mark.parametrize(
    ("suspend", "summary"),
    [
        (True, "waits as a whole for quota {quota}; it has no pods yet."),
        (False, "3 of 3 pods wait for quota {quota}."),
    ],
)
def test_why_answers_about_a_jobset_that_waits_with_and_without_pods(
    team: Pool, cluster: local.Cluster, suspend: bool, summary: str
) -> None:
    quota = team.name("team")
    team.pods("team", 2)
    eventually(lambda: len(team.running("team")), 2)
    team.admin.create(two_parts(team, "team", "train", suspend=suspend))
    eventually(lambda: phase(team, "train"), "Enqueued", within=KNOWN)
    about = f"JobSet {team.namespace}/train"
    wanted = {f"{about} {summary}", f"{about}: {summary}"}
    told = eventually(
        partial(why, cluster.kubeconfig, "jobset/train", team.namespace),
        lambda text: text.splitlines()[0] in {each.format(quota=quota) for each in wanted},
    )
    assert "You can" in told


def why(kubeconfig: Path, what: str, namespace: str) -> str:
    """What ``why`` prints, errors included."""
    done = command_line.run("why", what, "-n", namespace, kubeconfig=kubeconfig)
    return done.stdout + done.stderr
