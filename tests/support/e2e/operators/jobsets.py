"""JobSet's operator: jobset.sigs.k8s.io, "Concepts". It makes Jobs, which are suspended as it is.

The pods of these are made by the Job controller; the status counts how many Jobs have any.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import workloads
from operators import rounds
from operators.rounds import Operator
from scenes import Pool
from users import Document


class JobSets(Operator):
    kind = "JobSet"
    makes = "Job"
    mark = "jobset.sigs.k8s.io/jobset-name"
    done: ClassVar[Document] = rounds.conditions(Completed=True)

    def act(self, job: Document, parts: Sequence[Document]) -> None:
        held = bool(job["spec"].get("suspend"))
        there, wanted = rounds.names(parts), self._jobs(job)
        for name in wanted.keys() - there:
            spec = {**wanted[name], "suspend": held}
            labels = {self.mark: job["metadata"]["name"]}
            self.make(job, name, labels, {"apiVersion": "batch/v1", "kind": "Job", "spec": spec})
        for part in parts:
            if bool(part["spec"].get("suspend")) != held:
                change = {"spec": {"suspend": held}}
                self.user.patch("Job", part["metadata"]["name"], self.namespace, change=change)
        self.tell(job, _counts(job, parts))

    def _jobs(self, job: Document) -> dict[str, Document]:
        """Specs of its Jobs; their pods bear the name of the JobSet."""
        name, found = job["metadata"]["name"], {}
        for each in job["spec"]["replicatedJobs"]:
            spec = each["template"]["spec"]
            pod = spec["template"]
            labels = {**pod["metadata"].get("labels", {}), self.mark: name}
            template = {**pod, "metadata": {**pod["metadata"], "labels": labels}}
            for index in range(each["replicas"]):
                found[f"{name}-{each['name']}-{index}"] = {**spec, "template": template}
        return found


def job_set(pool: Pool, quota: str, name: str, replicas: int, **facts: Any) -> Document:
    """So many Jobs of one pod each, suspended."""
    spec = workloads.job_spec(workloads.template(pool, quota, name, **facts), 1)
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": pool.namespace},
        "spec": {
            "suspend": True,
            "replicatedJobs": [{"name": "w", "replicas": replicas, "template": {"spec": spec}}],
        },
    }


def _counts(job: Document, parts: Sequence[Document]) -> Document:
    counts = [
        {
            "name": each["name"],
            "active": sum(
                (part.get("status") or {}).get("active", 0) > 0
                for part in parts
                if f"-{each['name']}-" in part["metadata"]["name"]
            ),
        }
        for each in job["spec"]["replicatedJobs"]
    ]
    return {"replicatedJobsStatus": counts}
