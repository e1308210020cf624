"""Definitions of job kinds with the fields that we read, served by the real API server."""

from functools import partial
from typing import Any, Final

from users import User
from waiting import eventually


_ANYTHING: Final = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_SWITCH: Final = {"type": "boolean"}
_COUNT: Final = {"type": "integer", "format": "int32", "minimum": 0}


def _fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _listed(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": _fields(**properties)}


_REPLICAS: Final = {
    "type": "object",
    "additionalProperties": _fields(replicas=_COUNT, template=_ANYTHING),
}

RAY_JOB: Final = _fields(
    suspend=_SWITCH,
    entrypoint={"type": "string"},
    submissionMode={"type": "string", "default": "K8sJobMode"},
    submitterPodTemplate=_ANYTHING,
    rayClusterSpec=_fields(
        enableInTreeAutoscaling=_SWITCH,
        headGroupSpec=_fields(rayStartParams=_ANYTHING, template=_ANYTHING),
        workerGroupSpecs=_listed(
            groupName={"type": "string"},
            replicas=_COUNT,
            minReplicas=_COUNT,
            maxReplicas=_COUNT,
            numOfHosts=_COUNT,
            rayStartParams=_ANYTHING,
            template=_ANYTHING,
        ),
    ),
)
PYTORCH_JOB: Final = _fields(
    runPolicy=_fields(suspend=_SWITCH),
    elasticPolicy=_fields(minReplicas=_COUNT),
    pytorchReplicaSpecs=_REPLICAS,
)
JOB_SET: Final = _fields(
    suspend=_SWITCH,
    replicatedJobs=_listed(name={"type": "string"}, replicas=_COUNT, template=_ANYTHING),
)
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


def install(admin: User) -> None:
    """Serve RayJob, PyTorchJob and JobSet, where they are not served already."""
    for group, version, kind, spec in (
        ("ray.io", "v1", "RayJob", RAY_JOB),
        ("kubeflow.org", "v1", "PyTorchJob", PYTORCH_JOB),
        ("jobset.x-k8s.io", "v1alpha2", "JobSet", JOB_SET),
    ):
        serve(admin, group, version, kind, spec)
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
