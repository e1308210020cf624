"""Definitions of job kinds with the fields that we read, served by the real API server."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from users import User
from waiting import eventually


_ANYTHING: Final = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_SWITCH: Final = {"type": "boolean"}
_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "format": "int32", "minimum": 0}


def _fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _listed(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": _fields(**properties)}


_REPLICAS: Final = {
    "type": "object",
    "additionalProperties": _fields(replicas=_COUNT, template=_ANYTHING),
}

_RAY_CLUSTER: Final = {
    "enableInTreeAutoscaling": _SWITCH,
    "headGroupSpec": _fields(rayStartParams=_ANYTHING, template=_ANYTHING),
    "workerGroupSpecs": _listed(
        groupName=_TEXT,
        replicas=_COUNT,
        minReplicas=_COUNT,
        maxReplicas=_COUNT,
        numOfHosts=_COUNT,
        rayStartParams=_ANYTHING,
        template=_ANYTHING,
    ),
}
_RUN_POLICY: Final = _fields(
    suspend=_SWITCH, schedulingPolicy=_fields(priorityClass=_TEXT, minAvailable=_COUNT)
)
_SPARK_POD: Final = {
    "cores": _COUNT,
    "coreRequest": _TEXT,
    "memory": _TEXT,
    "memoryOverhead": _TEXT,
    "gpu": _fields(name=_TEXT, quantity=_COUNT),
    "labels": {"type": "object", "additionalProperties": _TEXT},
    "sidecars": {"type": "array", "items": _ANYTHING},
    "initContainers": {"type": "array", "items": _ANYTHING},
    "priorityClassName": _TEXT,
}


class _Served(NamedTuple):
    group: str
    version: str
    spec: dict[str, Any]


def _training(specs: str, **others: Any) -> _Served:
    fields = {"runPolicy": _RUN_POLICY, specs: _REPLICAS, **others}
    return _Served("kubeflow.org", "v1", _fields(**fields))


_JOBS: Final[Mapping[str, _Served]] = {
    "RayJob": _Served(
        "ray.io",
        "v1",
        _fields(
            suspend=_SWITCH,
            entrypoint=_TEXT,
            submissionMode={"type": "string", "default": "K8sJobMode"},
            submitterPodTemplate=_ANYTHING,
            rayClusterSpec=_fields(**_RAY_CLUSTER),
        ),
    ),
    "RayCluster": _Served("ray.io", "v1", _fields(suspend=_SWITCH, **_RAY_CLUSTER)),
    "PyTorchJob": _training("pytorchReplicaSpecs", elasticPolicy=_fields(minReplicas=_COUNT)),
    "TFJob": _training("tfReplicaSpecs"),
    "XGBoostJob": _training("xgbReplicaSpecs"),
    "PaddleJob": _training("paddleReplicaSpecs"),
    "MPIJob": _training("mpiReplicaSpecs")._replace(version="v2beta1"),
    "TrainJob": _Served(
        "trainer.kubeflow.org",
        "v1alpha1",
        _fields(
            suspend=_SWITCH,
            runtimeRef=_fields(name=_TEXT),
            trainer=_fields(numNodes=_COUNT, resourcesPerNode=_ANYTHING),
        ),
    ),
    "JobSet": _Served(
        "jobset.x-k8s.io",
        "v1alpha2",
        _fields(
            suspend=_SWITCH,
            replicatedJobs=_listed(name=_TEXT, replicas=_COUNT, template=_ANYTHING),
        ),
    ),
    "SparkApplication": _Served(
        "sparkoperator.k8s.io",
        "v1beta2",
        _fields(
            suspend=_SWITCH,
            type=_TEXT,
            memoryOverheadFactor=_TEXT,
            sparkConf={"type": "object", "additionalProperties": _TEXT},
            batchSchedulerOptions=_fields(priorityClassName=_TEXT),
            dynamicAllocation=_fields(
                enabled=_SWITCH, initialExecutors=_COUNT, minExecutors=_COUNT
            ),
            driver=_fields(**_SPARK_POD),
            executor=_fields(instances=_COUNT, **_SPARK_POD),
        ),
    ),
    "Workflow": _Served(
        "argoproj.io", "v1alpha1", _fields(suspend=_SWITCH, podPriorityClassName=_TEXT)
    ),
}
ALL: Final = tuple(_JOBS)
"""The kinds of jobs whose definitions are known here."""

PROVISIONING_REQUEST: Final = {
    **_fields(
        podSets={
            **_listed(
                count={"type": "integer", "format": "int32", "minimum": 1},
                podTemplateRef=_fields(name={"type": "string", "maxLength": 253}),
            ),
            "minItems": 1,
            "maxItems": 32,
        },
        provisioningClassName={"type": "string", "maxLength": 253},
        parameters={
            "type": "object",
            "maxProperties": 100,
            "additionalProperties": {"type": "string", "maxLength": 255},
        },
    ),
    "required": ["podSets", "provisioningClassName"],
    # As of Cluster Autoscaler: a request is for what it was made for.
    "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "Value is immutable"}],
}


def install(admin: User, kinds: Iterable[str] = ("RayJob", "PyTorchJob", "JobSet")) -> None:
    """Serve these kinds of jobs, where they are not served already."""
    wanted = tuple(kinds)
    for kind in wanted:
        found = _JOBS[kind]
        serve(admin, found.group, found.version, kind, found.spec)
    for kind in wanted:
        eventually(partial(admin.list, kind), lambda _: True)


def serve(admin: User, group: str, version: str, kind: str, spec: dict[str, Any]) -> None:
    """Create the definition of a namespaced kind with this schema of its spec, if there is none."""
    if not admin.find("CustomResourceDefinition", f"{kind.lower()}s.{group}"):
        admin.create(_definition(group, version, kind, spec))


def _definition(group: str, version: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            # The API server wants it of groups below k8s.io.
            "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"},
        },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": _fields(spec=spec, status=_ANYTHING)},
                }
            ],
        },
    }
