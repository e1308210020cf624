"""What the tests themselves know of jobs of four kinds: how each is made, held, ended and read.

All by hand from what the kinds document; the product's table of kinds is not asked, for it is under
test. A job bears how many pods of one cpu it asks for, because whoever made it knows.
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

COURSE: Final = "elasticquota.dev/course"


def _job(pool: Pool, quota: str, name: str, size: int, **facts: Any) -> Document:
    pod = workloads.template(pool, quota, name, **facts)
    return workloads.manifest(pool, "Job", name, workloads.job_spec(pod, size, suspend=True))


def _pytorch_job(pool: Pool, quota: str, name: str, size: int, **facts: Any) -> Document:
    return training.pytorch_job(pool, quota, name, size - 1, **facts)


def _ray_job(pool: Pool, quota: str, name: str, size: int, **facts: Any) -> Document:
    """Beside the workers a head and the pod that submits."""
    return ray.ray_job(pool, quota, name, size - 2, **facts)


Maker = Callable[..., Document]

MAKERS: Final[Mapping[str, Maker]] = {
    "Job": _job,
    "JobSet": jobsets.job_set,
    "PyTorchJob": _pytorch_job,
    "RayJob": _ray_job,
}

OPERATORS: Final[tuple[type[Operator], ...]] = (jobsets.JobSets, training.Training, ray.Ray)
"""Of all but the first, which the controller manager has."""

_ENDS: Final[Mapping[str, frozenset[str]]] = {
    "Job": frozenset({"Complete", "Failed"}),
    "JobSet": frozenset({"Completed", "Failed"}),
    "PyTorchJob": frozenset({"Succeeded", "Failed"}),
}


def manifest(pool: Pool, kind: str, quota: str, name: str, size: int, **facts: Any) -> Document:
    """A suspended job of ``size`` pods, two at least."""
    made = MAKERS[kind](pool, quota, name, size, **facts)
    made["metadata"]["labels"] = {SIZE: str(size), QUOTA: pool.name(quota)}
    return made


def switched(kind: str, *, suspended: bool) -> Document:
    """What of its spec turns the switch."""
    if kind == "PyTorchJob":
        return {"spec": {"runPolicy": {"suspend": suspended}}}
    return {"spec": {"suspend": suspended}}


def ended(kind: str) -> Document:
    """A patch with which it comes to its end soon, once it runs."""
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


def course(job: Document) -> str:
    """What the controller wrote on it when it was let in, or taken back."""
    return str((job["metadata"].get("annotations") or {}).get(COURSE, ""))


def owner(thing: Document) -> str:
    """The uid of the job, or of the part of a job, that made it; empty: nobody's."""
    owners = thing["metadata"].get("ownerReferences") or ()
    return next((str(each["uid"]) for each in owners if each.get("controller")), "")
