"""Every built-in kind is read as its documentation shows it: sizes, state, switch and labels."""

from typing import Any

import pytest

import published_jobs
from elasticquota import resources, structs
from elasticquota.jobs import job, paths, suspension
from elasticquota.jobs.adapter import JobAdapter, JobKind
from elasticquota.jobs.kinds import table
from elasticquota.resources import Resources


ADAPTERS = {each.kind: each for each in table.BUILT_IN}

# kind and version, each set as name: count of its amounts, and the whole request.
SIZES: list[tuple[str, str, str, str]] = [
    # three at a time of ten
    ("Job", "v1", "main: 3 of cpu 500m, memory 128Mi", "cpu 1500m, memory 384Mi, pods 3"),
    # with KubeRay's own submitter
    (
        "RayJob",
        "v1",
        "head: 1 of cpu 200m; small-group: 1 of cpu 200m; submitter: 1 of cpu 500m, memory 200Mi",
        "cpu 900m, memory 200Mi, pods 3",
    ),
    # three replicas of two hosts
    (
        "RayCluster",
        "v1",
        "head: 1 of cpu 14, memory 54Gi; small-wg: 6 of cpu 14, memory 54Gi",
        "cpu 98, memory 378Gi, pods 7",
    ),
    ("TFJob", "v1", "ps: 2 of cpu 1; worker: 4 of cpu 2", "cpu 10, pods 6"),
    ("PyTorchJob", "v1", "worker: 2 of cpu 4", "cpu 8, pods 2"),
    (
        "MPIJob",
        "v2beta1",
        "launcher: 1 of nothing; worker: 2 of nvidia.com/gpu 1",
        "nvidia.com/gpu 2, pods 3",
    ),
    # a limit without a request is one
    (
        "MPIJob",
        "/v1",
        "launcher: 1 of cpu 1, memory 2Gi; worker: 2 of cpu 2, memory 4Gi",
        "cpu 5, memory 10Gi, pods 3",
    ),
    ("XGBoostJob", "v1", "master: 1 of cpu 1; worker: 2 of cpu 2", "cpu 5, pods 3"),
    ("PaddleJob", "v1", "worker: 2 of nvidia.com/gpu 2", "nvidia.com/gpu 4, pods 2"),
    (
        "TrainJob",
        "v1alpha1",
        "node: 3 of cpu 4, memory 16Gi, nvidia.com/gpu 1",
        "cpu 12, memory 48Gi, nvidia.com/gpu 3, pods 3",
    ),
    # two jobs of four workers
    ("JobSet", "v1alpha2", "driver: 1 of cpu 1; workers: 8 of cpu 2", "cpu 17, pods 9"),
    # 512 MiB and the least overhead of Spark
    (
        "SparkApplication",
        "v1beta2",
        "driver: 1 of cpu 1, memory 896Mi; executor: 1 of cpu 1, memory 896Mi",
        "cpu 2, memory 1792Mi, pods 2",
    ),
    (
        "Workflow",
        "v1alpha1",
        "main: 1 of cpu 5, memory 5000000000",
        "cpu 5, memory 5000000000, pods 1",
    ),
]

every = pytest.mark.parametrize("kind", ADAPTERS)


def amounts(found: Resources) -> str:
    return ", ".join(f"{key} {amount}" for key, amount in resources.text(found).items())


def sets_of(found: job.Job) -> str:
    sizes = ((each, {k: v for k, v in each.request.items() if k != "pods"}) for each in found.pods)
    return "; ".join(f"{e.name}: {e.count} of {amounts(size) or 'nothing'}" for e, size in sizes)


@pytest.mark.parametrize(
    ("kind", "version", "sets", "whole"), SIZES, ids=[f"{kind}-{v}" for kind, v, *_ in SIZES]
)
def test_a_published_job_asks_for_what_its_pods_ask_for(
    kind: str, version: str, sets: str, whole: str
) -> None:
    found = job.read(published_jobs.of(kind, version), ADAPTERS[kind])
    assert found.faults == ()
    assert (sets_of(found), amounts(found.request)) == (sets, whole)


def test_every_kind_of_the_table_is_tried() -> None:
    assert {kind for kind, *_ in SIZES} == {kind for kind, *_ in STATES} == set(ADAPTERS)
    assert len(SIZES) == len(published_jobs.ALL)


ELASTIC = {
    # the autoscaler grows the group of two hosts from one replica
    "RayCluster": "cpu 42, memory 162Gi, pods 3",
    "PyTorchJob": "cpu 4, pods 1",
}


@every
def test_an_elastic_job_can_start_with_less_and_all_others_with_all_of_it(kind: str) -> None:
    found = job.read(published_jobs.of(kind), ADAPTERS[kind])
    assert amounts(found.minimum) == ELASTIC.get(kind, amounts(found.request))


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [("PyTorchJob", "elasticPolicy", None), ("RayCluster", "enableInTreeAutoscaling", False)],
)
def test_without_its_policy_or_its_autoscaler_an_elastic_job_starts_with_all_of_it(
    kind: str, field: str, value: Any
) -> None:
    document = published_jobs.of(kind)
    document["spec"][field] = value
    found = job.read(document, ADAPTERS[kind])
    assert found.request["pods"] > 1
    assert found.minimum == found.request


def condition(kind: str, status: str = "True") -> dict[str, Any]:
    return {"conditions": [{"type": kind, "status": status}]}


# kind, status, state
ENDED = (("Running", "False"), ("Succeeded", "True"))
STATES: list[tuple[str, dict[str, Any], str]] = [
    ("Job", {}, "Waiting"),
    ("Job", condition("Suspended"), "Waiting"),
    ("Job", {"active": 0}, "Waiting"),
    ("Job", {"active": 3}, "Running"),
    ("Job", {"active": 1, **condition("FailureTarget")}, "Running"),
    ("Job", condition("Complete"), "Succeeded"),
    ("Job", condition("Failed"), "Failed"),
    ("Job", condition("Failed", "False"), "Waiting"),
    ("RayJob", {"jobDeploymentStatus": "Suspended"}, "Waiting"),
    ("RayJob", {"jobDeploymentStatus": "Initializing"}, "Waiting"),
    ("RayJob", {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}, "Running"),
    ("RayJob", {"jobDeploymentStatus": "Retrying", "jobStatus": "FAILED"}, "Waiting"),
    ("RayJob", {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED"}, "Succeeded"),
    ("RayJob", {"jobDeploymentStatus": "Complete", "jobStatus": "STOPPED"}, "Failed"),
    ("RayJob", {"jobDeploymentStatus": "Failed", "jobStatus": "FAILED"}, "Failed"),
    ("RayCluster", {"state": "suspended"}, "Waiting"),
    ("RayCluster", {"state": "ready"}, "Running"),
    ("RayCluster", condition("HeadPodReady"), "Running"),
    ("TFJob", condition("Created"), "Waiting"),
    ("PyTorchJob", condition("Running"), "Running"),
    (
        "MPIJob",
        {"conditions": [each for pair in ENDED for each in condition(*pair)["conditions"]]},
        "Succeeded",
    ),
    ("XGBoostJob", condition("Failed"), "Failed"),
    ("PaddleJob", condition("Suspended"), "Waiting"),
    ("TrainJob", {"jobsStatus": [{"name": "node", "active": 1}]}, "Running"),
    ("TrainJob", condition("Complete"), "Succeeded"),
    ("JobSet", {"replicatedJobsStatus": [{"active": 0}, {"active": 2}]}, "Running"),
    ("JobSet", {"replicatedJobsStatus": [{"active": 0, "suspended": 2}]}, "Waiting"),
    ("JobSet", condition("Completed"), "Succeeded"),
    ("SparkApplication", {"applicationState": {"state": "SUBMITTED"}}, "Waiting"),
    ("SparkApplication", {"applicationState": {"state": "SUSPENDED"}}, "Waiting"),
    ("SparkApplication", {"applicationState": {"state": "RUNNING"}}, "Running"),
    ("SparkApplication", {"applicationState": {"state": "COMPLETED"}}, "Succeeded"),
    ("SparkApplication", {"applicationState": {"state": "SUBMISSION_FAILED"}}, "Waiting"),
    ("SparkApplication", {"applicationState": {"state": "FAILED"}}, "Failed"),
    ("Workflow", {"phase": "Pending"}, "Waiting"),
    ("Workflow", {"phase": "Running"}, "Running"),
    ("Workflow", {"phase": "Succeeded"}, "Succeeded"),
    ("Workflow", {"phase": "Error"}, "Failed"),
]


@pytest.mark.parametrize(("kind", "status", "state"), STATES)
def test_the_state_is_read_from_the_status(kind: str, status: dict[str, Any], state: str) -> None:
    document = {**published_jobs.of(kind), "status": status}
    assert job.read(document, ADAPTERS[kind]).state == state


RUN_POLICY = {"TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob"}


@every
def test_the_switch_of_every_kind_is_turned_where_it_stands(kind: str) -> None:
    document, adapter = published_jobs.of(kind), ADAPTERS[kind]
    document["metadata"]["resourceVersion"] = "12"
    assert job.read(document, adapter).suspended
    spec = {"runPolicy": {"suspend": False}} if kind in RUN_POLICY else {"suspend": False}
    assert suspension.patch(document, adapter, False) == {
        "metadata": {"resourceVersion": "12"},
        "spec": spec,
    }


@every
def test_the_pods_of_every_kind_are_known_by_a_label(kind: str) -> None:
    document = published_jobs.of(kind)
    name = document["metadata"]["name"]
    expected = {
        "Job": ("batch.kubernetes.io/job-name", name),
        "RayJob": ("batch.kubernetes.io/job-name", name),
        "RayCluster": ("ray.io/cluster", name),
        "TrainJob": ("jobset.sigs.k8s.io/jobset-name", name),
        "JobSet": ("jobset.sigs.k8s.io/jobset-name", name),
        "SparkApplication": ("sparkoperator.k8s.io/app-name", name),
        "Workflow": ("workflows.argoproj.io/workflow", name),
    }.get(kind, ("training.kubeflow.org/job-name", name))
    assert job.read(document, ADAPTERS[kind]).labels == (expected,)


def test_the_pods_of_a_ray_job_bear_the_name_of_the_cluster_that_it_has_now() -> None:
    document = {**published_jobs.of("RayJob"), "status": {"rayClusterName": "rayjob-sample-x7k2p"}}
    assert job.read(document, ADAPTERS["RayJob"]).labels == (
        ("ray.io/cluster", "rayjob-sample-x7k2p"),
        ("batch.kubernetes.io/job-name", "rayjob-sample"),
    )


def test_a_workflow_is_reclaimed_pod_by_pod_because_suspended_it_keeps_its_pods() -> None:
    assert {kind for kind, each in ADAPTERS.items() if each.reclaim == "pods"} == {"Workflow"}


@pytest.mark.parametrize(
    ("mode", "submitted"),
    [(None, True), ("K8sJobMode", True), ("HTTPMode", False), ("InteractiveMode", False)],
)
def test_a_ray_job_has_a_submitter_unless_it_is_submitted_otherwise(
    mode: str | None, submitted: bool
) -> None:
    document = published_jobs.of("RayJob")
    document["spec"]["submissionMode"] = mode
    sets = [each.name for each in job.read(document, ADAPTERS["RayJob"]).pods]
    assert ("submitter" in sets) is submitted


def test_a_submitter_with_a_template_asks_for_what_that_says() -> None:
    document = published_jobs.of("RayJob")
    document["spec"]["submitterPodTemplate"] = {
        "spec": {"containers": [{"name": "s", "resources": {"requests": {"cpu": "2"}}}]}
    }
    found = job.read(document, ADAPTERS["RayJob"])
    assert found.pods[-1].request == {"cpu": 2000, "pods": 1}


@pytest.mark.parametrize("kind", ["TFJob", "PyTorchJob", "MPIJob"])
def test_a_replica_that_has_succeeded_is_not_started_again(kind: str) -> None:
    document = published_jobs.of(kind)
    before = {each.name: each.count for each in job.read(document, ADAPTERS[kind]).pods}
    document["status"] = {"replicaStatuses": {"Worker": {"active": 1, "succeeded": 1}, "Other": {}}}
    found = job.read(document, ADAPTERS[kind])
    assert found.faults == ()
    after = {each.name: each.count for each in found.pods}
    assert after == {**before, "worker": before["worker"] - 1}


def test_a_job_of_a_job_set_that_has_succeeded_is_not_made_again() -> None:
    document = published_jobs.of("JobSet")
    jobs = document["spec"]["replicatedJobs"]
    jobs[0]["replicas"] = 3
    one = job.read(document, ADAPTERS["JobSet"]).pods[0].count // 3
    document["status"] = {
        "replicatedJobsStatus": [
            {"name": "another", "succeeded": 3},
            {"name": jobs[0]["name"], "succeeded": 2, "active": 1},
        ]
    }
    assert job.read(document, ADAPTERS["JobSet"]).pods[0].count == one


def test_a_train_job_that_says_no_number_of_nodes_is_not_known() -> None:
    document = published_jobs.of("TrainJob")
    del document["spec"]["trainer"]["numNodes"]
    assert tuple(map(str, job.read(document, ADAPTERS["TrainJob"]).faults)) == (
        "spec.trainer.numNodes: must be a number of pods from 0 to 2147483647, got null",
    )


def test_a_train_job_whose_sizes_its_runtime_says_can_say_them_in_the_annotation() -> None:
    document = published_jobs.of("TrainJob")
    del document["spec"]["trainer"]
    found = job.read(document, ADAPTERS["TrainJob"])
    assert tuple(map(str, found.faults)) == (
        "metadata.annotations[kube-queue/min-resources]: must say what the job needs, "
        "such as cpu: 5, because nothing else does",
    )
    document["metadata"]["annotations"] = {"kube-queue/min-resources": '{"cpu": "8", "pods": 2}'}
    found = job.read(document, ADAPTERS["TrainJob"])
    assert (found.faults, found.request) == ((), {"cpu": 8000, "pods": 2})


def test_a_workflow_may_say_it_in_koordinators_spelling() -> None:
    document = published_jobs.of("Workflow")
    document["metadata"]["annotations"] = {"koord-queue/min-resources": "cpu: 2"}
    assert job.read(document, ADAPTERS["Workflow"]).request == {"cpu": 2000, "pods": 1}


def test_kubeflows_own_priority_class_comes_before_the_templates() -> None:
    document = published_jobs.of("TFJob")
    worker = document["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    worker["priorityClassName"] = "low"
    assert job.read(document, ADAPTERS["TFJob"]).priority_class == "low"
    document["spec"]["runPolicy"]["schedulingPolicy"] = {"priorityClass": "high"}
    assert job.read(document, ADAPTERS["TFJob"]).priority_class == "high"


def test_every_path_of_the_table_is_one() -> None:
    for adapter in table.BUILT_IN:
        for path in _paths(adapter):
            assert paths.fault(path) == "", adapter.kind


def test_a_row_of_the_same_group_and_kind_is_replaced_and_others_are_added() -> None:
    other = structs.replace(ADAPTERS["Job"], reclaim="pods")
    new = structs.replace(ADAPTERS["Job"], group="example.com", kind="Solver")
    found = {each.identity: each for each in table.table([other, new])}
    assert found[JobKind("batch", "Job")] is other
    assert found[JobKind("example.com", "Solver")] is new
    assert len(found) == len(table.BUILT_IN) + 1


def _paths(adapter: JobAdapter) -> list[str]:
    signs = [*adapter.running, *adapter.succeeded, *adapter.failed]
    found = [adapter.suspend, *adapter.labels.values(), *adapter.priority_classes]
    for each in adapter.pods:
        found += [each.template, each.count, each.most, each.done, each.times, each.least]
        found.append(each.elastic)
        signs += [each.unless] if each.unless else []
    return [path for path in [*found, *(sign.path for sign in signs)] if path]
