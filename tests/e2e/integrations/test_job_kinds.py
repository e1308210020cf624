"""Jobs of other kinds than batch/v1 on a live cluster, with operators that obey or ignore the
queue.

The definitions and the operators are simulations of ours (``operators``); the rest is real.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import yaml

from installation import Installation
from integration_scenes import EXAMPLES, IntegrationScene
from operators import definitions, pod_makers, rounds, training
from operators.jobsets import JobSets, job_set
from operators.ray import Ray, ray_job
from operators.training import Eager, Idle, Training, pytorch_job
from scenes import PREFIX, Pool, condition
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long]

JOB_PHASE = "elasticquota.dev/job-phase"
KNOWN = 30.0
"""Seconds within which a kind is known that was installed after the controller had started."""


@pytest.fixture(scope="module")
def kinds(admin: User) -> None:
    """The definitions of all kinds are installed."""
    definitions.install(admin, definitions.ALL)


@pytest.fixture
def team(pool: Pool, kinds: None) -> Iterator[Pool]:
    """The quota team may have 4 of 16 cpu; it is that of jobs without pod templates, too."""
    pool.quota("team", min=0, max=4, annotations={f"{PREFIX}namespaces": f'["{pool.namespace}"]'})
    yield pool
    for kind in definitions.ALL:
        pool.admin.delete_all(kind, pool.namespace)


@pytest.fixture(scope="module")
def hasty(product: Installation) -> Iterator[None]:
    """Give operators little time."""
    jobs = {"startTimeoutSeconds": 4, "backoffSeconds": 3, "stopTimeoutSeconds": 8}
    with product.upgraded({"config": {"jobs": jobs}}):
        yield


def unit(admin: User, kind: str, name: str, namespace: str) -> Any:
    return admin.find("QueueUnit", f"{name}-{kind.lower()}-qu", namespace) or {}


def phase(pool: Pool, name: str, kind: str = "PyTorchJob") -> str:
    found = unit(pool.admin, kind, name, pool.namespace)
    return str((found.get("status") or {}).get("phase", ""))


def said(pool: Pool, name: str, kind: str = "PyTorchJob") -> str:
    found = unit(pool.admin, kind, name, pool.namespace)
    return str((found.get("status") or {}).get("message", ""))


def suspended(pool: Pool, name: str) -> bool:
    found = pool.admin.get("PyTorchJob", name, pool.namespace)
    return bool(found["spec"]["runPolicy"]["suspend"])


def finish(pool: Pool, kind: str, name: str) -> None:
    note = {"metadata": {"annotations": {rounds.FINISH: "true"}}}
    pool.admin.patch(kind, name, pool.namespace, change=note)


def started(pool: Pool, *names: str) -> list[bool]:
    """Whether the suspend switch of each job is off."""
    return [not suspended(pool, name) for name in names]


def why(pool: Pool, pod: str) -> str:
    return str(condition(pool.get_pod(pod), "PodScheduled").get("message", ""))


def test_seed_002_queue_operation_and_the_suspend_handoff_of_a_rayjob_in_video(
    integration: Callable[[str], IntegrationScene], kinds: None, admin: User
) -> None:
    scene = integration("ack")
    scene.play("1-nodes.yaml", "2-tree.yaml")
    eventually(lambda: "root-algorithm-video" in scene.accepted(), True, within=30)
    train = yaml.safe_load((EXAMPLES / "ack" / "5-rayjob.yaml").read_text())
    later = {**train, "metadata": {**train["metadata"], "name": "later"}}

    def held(name: str) -> bool:
        return bool(admin.get("RayJob", name, "video")["spec"]["suspend"])

    def seen(name: str) -> Any:
        return unit(admin, "RayJob", name, "video")

    with Ray(admin, "video").at_work():
        scene.play("5-rayjob.yaml")
        eventually(lambda: held("train"), False, within=KNOWN)
        # The head, three workers, and the pod that submits.
        eventually(lambda: scene.running("video"), 5)
        eventually(
            partial(admitted_events, admin, "video", "train"),
            {"quota root-algorithm-video: admitted with RayJob video/train."},
        )
        eventually(lambda: seen("train")["status"]["phase"], "Running")
        assert seen("train")["spec"]["queue"] == "root-algorithm-video"
        assert seen("train")["spec"]["consumerRef"] == {
            "apiVersion": "ray.io/v1",
            "kind": "RayJob",
            "name": "train",
            "namespace": "video",
        }
        scene.apply(later)
        eventually(lambda: seen("later")["status"]["phase"], "Enqueued")
        assert "RayJob video/later needs 7.5 cpu" in seen("later")["status"]["message"]
        assert held("later")
        assert scene.running("video") == 5
        admin.delete("RayJob", "train", "video")
        eventually(lambda: held("later"), False, within=60)
        eventually(lambda: scene.running("video"), 5)
        admin.delete("RayJob", "later", "video")
        eventually(lambda: scene.running("video"), 0)


def admitted_events(admin: User, namespace: str, job: str) -> set[str]:
    """Events of the job about ungating, and about its pods."""
    return {
        each["message"]
        for each in admin.list("Event", namespace, fieldSelector="involvedObject.kind=Pod")
        if each["reason"] == "QuotaAdmitted"
        and each["involvedObject"]["name"].startswith(f"{job}-")
    }


@pytest.mark.parametrize(
    ("kind", "operator", "make", "workers"),
    [
        ("PyTorchJob", Training, pytorch_job, 2),
        ("JobSet", JobSets, job_set, 3),
        ("RayJob", Ray, ray_job, 1),
        ("TFJob", training.TensorFlow, partial(training.training_job, "TFJob", first="Chief"), 2),
        ("XGBoostJob", training.XGBoost, partial(training.training_job, "XGBoostJob"), 2),
        ("PaddleJob", training.Paddle, partial(training.training_job, "PaddleJob"), 2),
        ("MPIJob", training.Mpi, partial(training.training_job, "MPIJob", first="Launcher"), 2),
        ("TrainJob", pod_makers.Trainer, pod_makers.train_job, 3),
        ("SparkApplication", pod_makers.Spark, pod_makers.spark_application, 2),
        ("Workflow", pod_makers.Argo, pod_makers.workflow, 3),
    ],
)
def test_jobs_of_this_kind_start_as_a_whole_end_and_make_room(
    team: Pool,
    kind: str,
    operator: type[rounds.Operator],
    make: Callable[[Pool, str, str, int], Document],
    workers: int,
) -> None:
    with operator(team.admin, team.namespace).at_work():
        team.admin.create(make(team, "team", "first", workers))
        eventually(lambda: phase(team, "first", kind), "Running", within=KNOWN)
        eventually(lambda: len(team.running()), 3)
        team.admin.create(make(team, "team", "second", workers))
        eventually(lambda: phase(team, "second", kind), "Enqueued")
        assert "needs 3 cpu" in said(team, "second", kind)
        assert len(team.running()) == 3
        finish(team, kind, "first")
        eventually(lambda: phase(team, "first", kind), "Succeed")
        eventually(lambda: phase(team, "second", kind), "Running")
        eventually(lambda: len(team.running()), 3)


def test_a_ray_cluster_starts_as_a_whole_and_makes_room_when_it_is_deleted(team: Pool) -> None:
    """It never ends."""
    with pod_makers.RayClusters(team.admin, team.namespace).at_work():
        team.admin.create(pod_makers.ray_cluster(team, "team", "first", 2))
        eventually(lambda: phase(team, "first", "RayCluster"), "Running", within=KNOWN)
        eventually(lambda: len(team.running()), 3)
        team.admin.create(pod_makers.ray_cluster(team, "team", "second", 2))
        eventually(lambda: phase(team, "second", "RayCluster"), "Enqueued")
        assert "needs 3 cpu" in said(team, "second", "RayCluster")
        team.admin.delete("RayCluster", "first", team.namespace)
        eventually(lambda: phase(team, "second", "RayCluster"), "Running")
        eventually(lambda: len(team.running()), 3)


def test_seed_002_reclaim_a_job_of_a_foreign_kind_is_reclaimed_as_a_whole(team: Pool) -> None:
    team.quota("borrower", min=0, max=16)
    team.quota("owner", min=8, max=16)
    with Training(team.admin, team.namespace).at_work():
        team.admin.create(pytorch_job(team, "borrower", "train", 11))
        eventually(lambda: len(team.running("borrower")), 12, within=KNOWN)
        team.pods("owner", 6)
        eventually(lambda: suspended(team, "train"), True, within=30)
        eventually(lambda: len(team.running("owner")), 6)
        eventually(lambda: team.running("borrower"), set())
        eventually(lambda: phase(team, "train"), "Enqueued")


def test_an_operator_that_unsuspends_a_job_itself_does_not_start_it(team: Pool) -> None:
    with Eager(team.admin, team.namespace).at_work():
        team.pods("team", 2, prefix="before")
        eventually(lambda: len(team.running("team")), 2)
        team.admin.create(pytorch_job(team, "team", "eager", 2))
        eventually(lambda: len(team.gated("team")), 3)
        assert not suspended(team, "eager")
        eventually(lambda: phase(team, "eager"), "Enqueued", within=KNOWN)
        for pod in sorted(team.gated("team")):
            eventually(partial(why, team, pod), lambda text: "waits as a whole" in text)
        assert len(team.running("team")) == 2
        team.delete_pods("before-0", "before-1")
        eventually(lambda: phase(team, "eager"), "Running")
        eventually(lambda: len(team.running("team")), 3)


def test_a_running_job_that_a_user_suspends_is_queued_and_started_again(
    team: Pool,
) -> None:
    def written() -> str:
        found = team.admin.get("PyTorchJob", "train", team.namespace)
        return str(found["metadata"]["annotations"][JOB_PHASE])

    with Training(team.admin, team.namespace).at_work():
        team.admin.create(pytorch_job(team, "team", "train", 2))
        eventually(lambda: phase(team, "train"), "Running", within=KNOWN)
        first = written()
        off = {"spec": {"runPolicy": {"suspend": True}}}
        team.admin.patch("PyTorchJob", "train", team.namespace, change=off)
        eventually(written, lambda text: text != first and text.startswith("Dequeued"), within=30)
        eventually(lambda: phase(team, "train"), "Running")
        eventually(lambda: len(team.running("team")), 3)


def test_a_job_suspended_and_started_at_once_does_not_stay_partly_admitted(
    team: Pool,
) -> None:
    def switch(suspend: bool) -> None:
        change = {"spec": {"runPolicy": {"suspend": suspend}}}
        team.admin.patch("PyTorchJob", "train", team.namespace, change=change)

    with Training(team.admin, team.namespace).at_work():
        team.admin.create(pytorch_job(team, "team", "train", 3))
        eventually(lambda: len(team.running("team")), 4, within=KNOWN)
    switch(suspend=True)
    eventually(lambda: phase(team, "train"), "Enqueued")
    team.delete_pods("train-worker-1", "train-worker-2")
    team.pods("team", 1, prefix="other")
    eventually(lambda: len(team.running("team")), 3)
    switch(suspend=False)
    eventually(lambda: suspended(team, "train"), True)
    eventually(lambda: team.events("train", "PyTorchJob"), lambda told: "QuotaReclaim" in told)
    with Training(team.admin, team.namespace).at_work():
        eventually(lambda: len(team.running("team")), 1)
        team.delete_pods("other-0")
        eventually(lambda: len(team.running("team")), 4)
        eventually(lambda: phase(team, "train"), "Running")


def test_a_job_whose_operator_makes_no_pods_is_suspended_after_a_while(
    team: Pool, hasty: None
) -> None:
    with Idle(team.admin, team.namespace).at_work():
        team.admin.create(pytorch_job(team, "team", "idle", 3))
        eventually(lambda: suspended(team, "idle"), False, within=KNOWN)
        eventually(lambda: team.status("team")["admitted"]["cpu"], "4")
        eventually(lambda: phase(team, "idle"), "TimeoutBackoff")
        assert said(team, "idle") == "none of its pods was started in time, once in a row"
        eventually(lambda: suspended(team, "idle"), True)
        eventually(lambda: team.events("idle", "PyTorchJob"), lambda told: "QuotaBackoff" in told)
        eventually(lambda: said(team, "idle"), lambda text: "2 times in a row" in text, within=30)


def test_pods_left_by_a_dead_operator_are_evicted_when_an_owner_needs_their_room(
    team: Pool, hasty: None
) -> None:
    team.quota("borrower", min=0, max=16)
    team.quota("owner", min=8, max=16)
    with Training(team.admin, team.namespace).at_work():
        team.admin.create(pytorch_job(team, "borrower", "train", 11))
        eventually(lambda: len(team.running("borrower")), 12, within=KNOWN)
    team.pods("owner", 6)
    eventually(lambda: suspended(team, "train"), True, within=30)
    assert len(team.running("borrower")) == 12
    assert len(team.gated("owner")) == 2
    eventually(lambda: len(team.running("owner")), 6, within=30)
    eventually(lambda: said(team, "train"), lambda text: "has not deleted" in text)
    assert len(team.running("borrower")) == 10
    eventually(lambda: team.status("borrower")["admitted"]["cpu"], "10")
    with Training(team.admin, team.namespace).at_work():
        eventually(lambda: team.running("borrower"), set(), within=30)
        eventually(lambda: said(team, "train"), lambda text: "needs 12 cpu" in text)
