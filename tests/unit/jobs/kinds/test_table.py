"""Every built-in kind is read as its documentation shows it: sizes, state, switch and labels."""

from typing import Any

import pytest

import published_jobs
from elasticquota import resources, structs
from elasticquota.jobs import job, paths, suspension
from elasticquota.jobs.adapter import JobAdapter, JobKind
from elasticquota.jobs.kinds import table


ADAPTERS = {each.kind: each for each in table.BUILT_IN}

# kind and version, each set as name:count of cpu/memory/gpu, and the whole request.
SIZES: list[tuple[str, str, list[str], dict[str, str]]] = [
    # three at a time of ten
    (
        "Job",
        "v1",
        ["main: 3 of cpu 500m, memory 128Mi"],
        {"cpu": "1500m", "memory": "384Mi", "pods": "3"},
    ),
    # with KubeRay's own submitter
    (
        "RayJob",
        "v1",
        [
            "head: 1 of cpu 200m",
            "small-group: 1 of cpu 200m",
            "submitter: 1 of cpu 500m, memory 200Mi",
        ],
        {"cpu": "900m", "memory": "200Mi", "pods": "3"},
    ),
    # three replicas of two hosts
    (
        "RayCluster",
        "v1",
        ["head: 1 of cpu 14, memory 54Gi", "small-wg: 6 of cpu 14, memory 54Gi"],
        {"cpu": "98", "memory": "378Gi", "pods": "7"},
    ),
    ("TFJob", "v1", ["ps: 2 of cpu 1", "worker: 4 of cpu 2"], {"cpu": "10", "pods": "6"}),
    ("PyTorchJob", "v1", ["worker: 2 of cpu 4"], {"cpu": "8", "pods": "2"}),
    (
        "MPIJob",
        "v2beta1",
        ["launcher: 1 of nothing", "worker: 2 of nvidia.com/gpu 1"],
        {"nvidia.com/gpu": "2", "pods": "3"},
    ),
    # a limit without a request is one
    (
        "MPIJob",
        "/v1",
        ["launcher: 1 of cpu 1, memory 2Gi", "worker: 2 of cpu 2, memory 4Gi"],
        {"cpu": "5", "memory": "10Gi", "pods": "3"},
    ),
    ("XGBoostJob", "v1", ["master: 1 of cpu 1", "worker: 2 of cpu 2"], {"cpu": "5", "pods": "3"}),
    ("PaddleJob", "v1", ["worker: 2 of nvidia.com/gpu 2"], {"nvidia.com/gpu": "4", "pods": "2"}),
    (
        "TrainJob",
        "v1alpha1",
        ["node: 3 of cpu 4, memory 16Gi, nvidia.com/gpu 1"],
        {"cpu": "12", "memory": "48Gi", "nvidia.com/gpu": "3", "pods": "3"},
    ),
    # two jobs of four workers
    (
        "JobSet",
        "v1alpha2",
        ["driver: 1 of cpu 1", "workers: 8 of cpu 2"],
        {"cpu": "17", "pods": "9"},
    ),
    # 512 MiB and the least overhead of Spark
    (
        "SparkApplication",
        "v1beta2",
        ["driver: 1 of cpu 1, memory 896Mi", "executor: 1 of cpu 1, memory 896Mi"],
        {"cpu": "2", "memory": "1792Mi", "pods": "2"},
    ),
    (
        "Workflow",
        "v1alpha1",
        ["main: 1 of cpu 5, memory 5000000000"],
        {"cpu": "5", "memory": "5000000000", "pods": "1"},
    ),
]

every = pytest.mark.parametrize("kind", ADAPTERS)


def _told(found: job.Job) -> list[str]:
    told = []
    for each in found.pods:
        sizes = resources.text({k: v for k, v in each.request.items() if k != "pods"})
        told.append(
            f"{each.name}: {each.count} of "
            + (", ".join(f"{key} {amount}" for key, amount in sizes.items()) or "nothing")
        )
    return told


@pytest.mark.parametrize(
    ("kind", "version", "sets", "whole"), SIZES, ids=[f"{kind}-{v}" for kind, v, *_ in SIZES]
)
def test_a_published_job_asks_for_what_its_pods_ask_for(
    kind: str, version: str, sets: list[str], whole: dict[str, str]
) -> None:
    found = job.read(published_jobs.of(kind, version), ADAPTERS[kind])
    assert found.faults == ()
    assert _told(found) == sets
    assert resources.text(found.request) == whole


def test_every_kind_of_the_table_is_tried() -> None:
    assert {kind for kind, *_ in SIZES} == set(ADAPTERS)
    assert len(SIZES) == len(published_jobs.ALL)


ELASTIC = [
    # the autoscaler grows the group of two hosts from one replica
    ("RayCluster", {"cpu": "42", "memory": "162Gi", "pods": "3"}),
    ("PyTorchJob", {"cpu": "4", "pods": "1"}),
]


@pytest.mark.parametrize(("kind", "least"), ELASTIC)
def test_an_elastic_job_can_start_with_less(kind: str, least: dict[str, str]) -> None:
    found = job.read(published_jobs.of(kind), ADAPTERS[kind])
    assert resources.text(found.minimum) == least


@every
def test_all_others_start_with_all_of_it(kind: str) -> None:
    if kind in dict(ELASTIC):
        return
    found = job.read(published_jobs.of(kind), ADAPTERS[kind])
    assert found.minimum == found.request


def test_a_training_without_an_elastic_policy_starts_with_all_of_its_workers() -> None:
    document = published_jobs.of("PyTorchJob")
    document["spec"].pop("elasticPolicy", None)
    found = job.read(document, ADAPTERS["PyTorchJob"])
    assert found.request["pods"] > 1
    assert found.minimum == found.request


def test_without_the_autoscaler_a_group_is_not_elastic() -> None:
    document = published_jobs.of("RayCluster")
    document["spec"]["enableInTreeAutoscaling"] = False
    found = job.read(document, ADAPTERS["RayCluster"])
    assert found.minimum == found.request


# kind, status, state
STATES: list[tuple[str, dict[str, Any], str]] = [
    ("Job", {}, "Waiting"),
    ("Job", {"conditions": [{"type": "Suspended", "status": "True"}]}, "Waiting"),
    ("Job", {"active": 0}, "Waiting"),
    ("Job", {"active": 3}, "Running"),
    ("Job", {"active": 1, "conditions": [{"type": "FailureTarget", "status": "True"}]}, "Running"),
    ("Job", {"conditions": [{"type": "Complete", "status": "True"}]}, "Succeeded"),
    ("Job", {"conditions": [{"type": "Failed", "status": "True"}]}, "Failed"),
    ("Job", {"conditions": [{"type": "Failed", "status": "False"}]}, "Waiting"),
    ("RayJob", {"jobDeploymentStatus": "Suspended"}, "Waiting"),
    ("RayJob", {"jobDeploymentStatus": "Initializing"}, "Waiting"),
    ("RayJob", {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}, "Running"),
    ("RayJob", {"jobDeploymentStatus": "Retrying", "jobStatus": "FAILED"}, "Waiting"),
    ("RayJob", {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED"}, "Succeeded"),
    ("RayJob", {"jobDeploymentStatus": "Complete", "jobStatus": "STOPPED"}, "Failed"),
    ("RayJob", {"jobDeploymentStatus": "Failed", "jobStatus": "FAILED"}, "Failed"),
    ("RayCluster", {"state": "suspended"}, "Waiting"),
    ("RayCluster", {"state": "ready"}, "Running"),
    ("RayCluster", {"conditions": [{"type": "HeadPodReady", "status": "True"}]}, "Running"),
    ("TFJob", {"conditions": [{"type": "Created", "status": "True"}]}, "Waiting"),
    ("PyTorchJob", {"conditions": [{"type": "Running", "status": "True"}]}, "Running"),
    (
        "MPIJob",
        {
            "conditions": [
                {"type": "Running", "status": "False"},
                {"type": "Succeeded", "status": "True"},
            ]
        },
        "Succeeded",
    ),
    ("XGBoostJob", {"conditions": [{"type": "Failed", "status": "True"}]}, "Failed"),
    ("PaddleJob", {"conditions": [{"type": "Suspended", "status": "True"}]}, "Waiting"),
    ("TrainJob", {"jobsStatus": [{"name": "node", "active": 1}]}, "Running"),
    ("TrainJob", {"conditions": [{"type": "Complete", "status": "True"}]}, "Succeeded"),
    ("JobSet", {"replicatedJobsStatus": [{"active": 0}, {"active": 2}]}, "Running"),
    ("JobSet", {"replicatedJobsStatus": [{"active": 0, "suspended": 2}]}, "Waiting"),
    ("JobSet", {"conditions": [{"type": "Completed", "status": "True"}]}, "Succeeded"),
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


def test_the_state_of_every_kind_is_tried() -> None:
    assert {kind for kind, *_ in STATES} == set(ADAPTERS)


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


def test_a_job_that_goes_on_asks_only_for_the_completions_that_are_left() -> None:
    document = {**published_jobs.of("Job"), "status": {"succeeded": 8}}
    assert job.read(document, ADAPTERS["Job"]).pods[0].count == 2


@pytest.mark.parametrize(
    ("kind", "role"), [("TFJob", "Worker"), ("PyTorchJob", "Worker"), ("MPIJob", "Worker")]
)
def test_a_replica_that_has_succeeded_is_not_started_again(kind: str, role: str) -> None:
    document = published_jobs.of(kind)
    before = {each.name: each.count for each in job.read(document, ADAPTERS[kind]).pods}
    document["status"] = {"replicaStatuses": {role: {"active": 1, "succeeded": 1}, "Other": {}}}
    found = job.read(document, ADAPTERS[kind])
    assert found.faults == ()
    after = {each.name: each.count for each in found.pods}
    assert after == {**before, role.lower(): before[role.lower()] - 1}


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
