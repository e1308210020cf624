"""The built-in kinds of jobs, one row each, with the source of their field names.

A configuration file adds rows, and replaces rows of the same group and kind.
"""

from collections.abc import Iterable
from typing import Final

from elasticquota.jobs.adapter import JobAdapter, PodPaths, Sign
from elasticquota.jobs.kinds import batch_job, spark


_CONDITIONS: Final = "status.conditions"
_NAME: Final = "metadata.name"
_JOB_NAME: Final = "batch.kubernetes.io/job-name"


def _has(*types: str) -> tuple[Sign, ...]:
    """One of these conditions is True."""
    return (Sign(_CONDITIONS, types),)


# kubernetes.io, "Jobs": spec.suspend, parallelism and completions, conditions Complete and Failed.
_BATCH_JOB: Final = JobAdapter(
    group="batch",
    versions=("v1",),
    kind="Job",
    plural="jobs",
    suspend="spec.suspend",
    pods=(PodPaths("spec.template", count="spec.parallelism", most_left=batch_job.most_left),),
    labels={_JOB_NAME: _NAME},
    running=(Sign("status.active"),),
    succeeded=_has("Complete"),
    failed=_has("Failed"),
)


def _ray_pods(cluster: str) -> tuple[PodPaths, ...]:
    """docs.ray.io, "RayCluster Configuration": a head, and worker groups within their bounds.

    A replica is ``numOfHosts`` pods. With the autoscaler a group grows from ``minReplicas``.
    """
    group = f"{cluster}.workerGroupSpecs.*"
    return (
        PodPaths(f"{cluster}.headGroupSpec.template", name="head"),
        PodPaths(
            f"{group}.template",
            count=f"{group}.replicas",
            missing=0,
            most=f"{group}.maxReplicas",
            times=f"{group}.numOfHosts",
            least=f"{group}.minReplicas",
            elastic=f"{cluster}.enableInTreeAutoscaling",
        ),
    )


# docs.ray.io, "RayJob Quickstart" and KubeRay's rayjob_types.go. The pods of the cluster carry its
# name, which is new with every start and is in the status; the submitter's pods carry the RayJob's
# name. During a retry the job status is FAILED and the deployment status Retrying: only the
# deployment status says that the job has ended. Without a template KubeRay uses its own submitter.
_RAY_JOB: Final = JobAdapter(
    group="ray.io",
    versions=("v1", "v1alpha1"),
    kind="RayJob",
    plural="rayjobs",
    suspend="spec.suspend",
    pods=(
        *_ray_pods("spec.rayClusterSpec"),
        PodPaths(
            "spec.submitterPodTemplate",
            name="submitter",
            unless=Sign("spec.submissionMode", ("HTTPMode", "InteractiveMode", "SidecarMode")),
            otherwise={"cpu": 500, "memory": 200 << 20},
        ),
    ),
    labels={"ray.io/cluster": "status.rayClusterName", _JOB_NAME: _NAME},
    running=(Sign("status.jobDeploymentStatus", ("Running",)),),
    succeeded=(Sign("status.jobStatus", ("SUCCEEDED",)),),
    failed=(Sign("status.jobDeploymentStatus", ("Failed", "Complete")),),
)

# docs.ray.io, "RayCluster Quickstart" and KubeRay's raycluster_types.go. A cluster never ends.
_RAY_CLUSTER: Final = JobAdapter(
    group="ray.io",
    versions=("v1", "v1alpha1"),
    kind="RayCluster",
    plural="rayclusters",
    suspend="spec.suspend",
    pods=_ray_pods("spec"),
    labels={"ray.io/cluster": _NAME},
    running=(
        Sign("status.state", ("ready",)),
        Sign(_CONDITIONS, ("HeadPodReady", "RayClusterProvisioned")),
    ),
    succeeded=(),
    failed=(),
)


def _training(
    kind: str, specs: str, versions: tuple[str, ...] = ("v1",), least: str = ""
) -> JobAdapter:
    """www.kubeflow.org, "Training Operator": replicas by role, and a run policy that suspends.

    A replica that has succeeded is not started again.
    ``least`` is the path of the number of workers that an elastic job starts with.
    """
    roles = f"spec.{specs}.*"
    done = "status.replicaStatuses.{}.succeeded"
    pods: tuple[PodPaths, ...] = (
        PodPaths(f"{roles}.template", count=f"{roles}.replicas", done=done.format("*")),
    )
    if least:
        pods = tuple(
            PodPaths(
                f"spec.{specs}.{role}.template",
                name=role.lower(),
                count=f"spec.{specs}.{role}.replicas",
                done=done.format(role),
                least=path,
            )
            for role, path in (("Master", ""), ("Worker", least))
        )
    return JobAdapter(
        group="kubeflow.org",
        versions=versions,
        kind=kind,
        plural=f"{kind.lower()}s",
        suspend="spec.runPolicy.suspend",
        pods=pods,
        labels={"training.kubeflow.org/job-name": _NAME},
        priority_classes=("spec.runPolicy.schedulingPolicy.priorityClass",),
        running=_has("Running"),
        succeeded=_has("Succeeded"),
        failed=_has("Failed"),
    )


# jobset.sigs.k8s.io, "Concepts", and jobset_types.go: jobs with a number of replicas each. One that
# has succeeded is not made again, unless the whole set is restarted. How far one has come is in its
# own status.
_JOB_SET: Final = JobAdapter(
    group="jobset.x-k8s.io",
    versions=("v1alpha2",),
    kind="JobSet",
    plural="jobsets",
    suspend="spec.suspend",
    pods=(
        PodPaths(
            "spec.replicatedJobs.*.template.spec.template",
            count="spec.replicatedJobs.*.template.spec.parallelism",
            most="spec.replicatedJobs.*.template.spec.completions",
            times="spec.replicatedJobs.*.replicas",
            ended="status.replicatedJobsStatus.*.succeeded",
        ),
    ),
    labels={"jobset.sigs.k8s.io/jobset-name": _NAME},
    running=(Sign("status.replicatedJobsStatus.*.active"),),
    succeeded=_has("Completed"),
    failed=_has("Failed"),
)

# www.kubeflow.org, "Kubeflow Trainer", and trainjob_types.go. The templates are in the runtime that
# it names, so only its own fields are known, unless the annotation states the whole request. It
# runs as a JobSet of the same name.
_TRAIN_JOB: Final = JobAdapter(
    group="trainer.kubeflow.org",
    versions=("v1alpha1",),
    kind="TrainJob",
    plural="trainjobs",
    suspend="spec.suspend",
    pods=(
        PodPaths(
            "spec.trainer.resourcesPerNode",
            name="node",
            bare=True,
            count="spec.trainer.numNodes",
            missing=None,
        ),
    ),
    labels={"jobset.sigs.k8s.io/jobset-name": _NAME},
    stated=True,
    running=(Sign("status.jobsStatus.*.active"),),
    succeeded=_has("Complete"),
    failed=_has("Failed"),
)

# kubeflow.github.io/spark-operator, "API Docs" and "Writing a SparkApplication".
_SPARK: Final = JobAdapter(
    group="sparkoperator.k8s.io",
    versions=("v1beta2",),
    kind="SparkApplication",
    plural="sparkapplications",
    suspend="spec.suspend",
    reader=spark.read,
    labels={"sparkoperator.k8s.io/app-name": _NAME},
    priority_classes=("spec.batchSchedulerOptions.priorityClassName",),
    running=(Sign("status.applicationState.state", ("RUNNING", "SUCCEEDING", "FAILING")),),
    succeeded=(Sign("status.applicationState.state", ("COMPLETED",)),),
    failed=(Sign("status.applicationState.state", ("FAILED",)),),
)

# argo-workflows.readthedocs.io, "Field Reference"; the annotation is ACK's. A suspended Workflow
# starts no more steps, but its pods keep running: it is reclaimed pod by pod.
_WORKFLOW: Final = JobAdapter(
    group="argoproj.io",
    versions=("v1alpha1",),
    kind="Workflow",
    plural="workflows",
    suspend="spec.suspend",
    stated=True,
    labels={"workflows.argoproj.io/workflow": _NAME},
    priority_classes=("spec.podPriorityClassName",),
    running=(Sign("status.phase", ("Running",)),),
    succeeded=(Sign("status.phase", ("Succeeded",)),),
    failed=(Sign("status.phase", ("Failed", "Error")),),
    reclaim="pods",
)

BUILT_IN: Final = (
    _BATCH_JOB,
    _RAY_JOB,
    _RAY_CLUSTER,
    _training("TFJob", "tfReplicaSpecs"),
    _training("PyTorchJob", "pytorchReplicaSpecs", least="spec.elasticPolicy.minReplicas"),
    _training("MPIJob", "mpiReplicaSpecs", ("v2beta1", "v1")),
    _training("XGBoostJob", "xgbReplicaSpecs"),
    _training("PaddleJob", "paddleReplicaSpecs"),
    _TRAIN_JOB,
    _JOB_SET,
    _SPARK,
    _WORKFLOW,
)


def table(others: Iterable[JobAdapter] = ()) -> tuple[JobAdapter, ...]:
    """The adapters, sorted by group and kind; of two for the same kind the later one counts."""
    found = {each.identity: each for each in (*BUILT_IN, *others)}
    return tuple(found[identity] for identity in sorted(found))


def labels(adapters: Iterable[JobAdapter]) -> tuple[str, ...]:
    """The labels that tie a pod to its job; if a pod has several, the outer job's comes first.

    Jobs of many kinds create Jobs, so the label of a Job comes last.
    """
    found = dict.fromkeys(label for each in adapters for label in each.labels)
    return tuple(sorted(found, key=lambda label: label == _JOB_NAME))
