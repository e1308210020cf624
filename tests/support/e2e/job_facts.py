"""What the tests themselves know of jobs of four kinds: how to make, hold, end and read each.

All of it is written by hand from the documentation of the kinds. The product's table of kinds is
under test, so it is not used. A label of the job says how many pods of one cpu it asks for.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import workloads
from operators import jobsets, ray, rounds, training
from operators.rounds import Operator
from scenes import PREFIX, Pool
from users import Document


SIZE: Final = "example.com/pods"
"""Label: so many pods of one cpu each."""

QUOTA: Final = f"{PREFIX}name"
"""Label, of pods and of these jobs."""

JOB_PHASE: Final = "elasticquota.dev/job-phase"


def _job(pool: Pool, quota: str, name: str, size: int, **facts: Any) -> Document:
    pod = workloads.template(pool, quota, name, **facts)
    return workloads.manifest(pool, "Job", name, workloads.job_spec(pod, size, suspend=True))


def _pytorch_job(pool: Pool, quota: str, name: str, size: int, **facts: Any) -> Document:
    return training.pytorch_job(pool, quota, name, size - 1, **facts)


def _ray_job(pool: Pool, quota: str, name: str, size: int, **facts: Any) -> Document:
    """Besides the workers, a head and the pod that submits."""
    return ray.ray_job(pool, quota, name, size - 2, **facts)


Maker = Callable[..., Document]

MAKERS: Final[Mapping[str, Maker]] = {
    "Job": _job,
    "JobSet": jobsets.job_set,
    "PyTorchJob": _pytorch_job,
    "RayJob": _ray_job,
}

OPERATORS: Final[tuple[type[Operator], ...]] = (jobsets.JobSets, training.Training, ray.Ray)
"""The operators of all kinds but Job, which the controller manager has."""

_ENDS: Final[Mapping[str, frozenset[str]]] = {
    "Job": frozenset({"Complete", "Failed"}),
    "JobSet": frozenset({"Completed", "Failed"}),
    "PyTorchJob": frozenset({"Succeeded", "Failed"}),
}


def manifest(pool: Pool, kind: str, quota: str, name: str, size: int, **facts: Any) -> Document:
    """A suspended job of ``size`` pods, at least two."""
    made = MAKERS[kind](pool, quota, name, size, **facts)
    made["metadata"]["labels"] = {SIZE: str(size), QUOTA: pool.name(quota)}
    return made


def switched(kind: str, *, suspended: bool) -> Document:
    """The part of the spec that sets the suspend switch."""
    if kind == "PyTorchJob":
        return {"spec": {"runPolicy": {"suspend": suspended}}}
    return {"spec": {"suspend": suspended}}


def ended(kind: str) -> Document:
    """A patch that makes a running job end soon."""
    if kind == "Job":
        return {"spec": {"activeDeadlineSeconds": 1}}
    return {"metadata": {"annotations": {rounds.FINISH: "true"}}}


def is_suspended(kind: str, job: Document) -> bool:
    spec = job["spec"]
    return bool((spec["runPolicy"] if kind == "PyTorchJob" else spec).get("suspend"))


def is_over(kind: str, job: Document) -> bool:
    told = job.get("status") or {}
    if kind == "RayJob":
        return told.get("jobDeploymentStatus") in ("Complete", "Failed")
    return any(
        each["status"] == "True" and each["type"] in _ENDS[kind]
        for each in told.get("conditions") or ()
    )


def is_ending(kind: str, job: Document) -> bool:
    """Whether its end is decided, so that its controller makes no more pods.

    Kubernetes, "Jobs", on termination: such a Job waits only until its last pods have gone.
    """
    return kind == "Job" and any(
        each["status"] == "True" and each["type"] in ("FailureTarget", "SuccessCriteriaMet")
        for each in (job.get("status") or {}).get("conditions") or ()
    )


def phase(job: Document) -> str:
    """The controller's annotation on the job, written when it is admitted or reclaimed."""
    return str((job["metadata"].get("annotations") or {}).get(JOB_PHASE, ""))


def owner(thing: Document) -> str:
    """The uid of the job, or of the part of a job, that made it; empty when there is none."""
    owners = thing["metadata"].get("ownerReferences") or ()
    return next((str(each["uid"]) for each in owners if each.get("controller")), "")
