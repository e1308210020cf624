"""The training operator of Kubeflow, for PyTorchJobs: www.kubeflow.org, "Job Suspend".

Suspended, it deletes the pods of a job and says ``Suspended``; afterwards it makes them anew.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from operators import rounds
from operators.rounds import Operator
from scenes import Pool
from users import Document


class Training(Operator):
    kind = "PyTorchJob"
    mark = "training.kubeflow.org/job-name"
    done: ClassVar[Document] = rounds.conditions(Created=True, Running=False, Succeeded=True)

    def act(self, job: Document, parts: Sequence[Document]) -> None:
        if job["spec"].get("runPolicy", {}).get("suspend"):
            self.remove(parts)
            if not parts:
                self.tell(job, rounds.conditions(Created=True, Running=False, Suspended=True))
            return
        there, wanted = rounds.names(parts), _pods(job)
        for name in wanted.keys() - there:
            labels = {self.mark: job["metadata"]["name"]}
            self.make(job, name, labels, {"apiVersion": "v1", "kind": "Pod", **wanted[name]})
        running = wanted.keys() == there and rounds.run(parts)
        self.tell(job, rounds.conditions(Created=True, Running=running, Suspended=False))


class Idle(Training):
    """Takes note of jobs, and makes no pods."""

    def act(self, job: Document, _parts: Sequence[Document]) -> None:
        self.tell(job, rounds.conditions(Created=True, Running=False))


class Eager(Training):
    """Starts a job whatever its switch says, by turning it."""

    def act(self, job: Document, parts: Sequence[Document]) -> None:
        meta, on = job["metadata"], {"spec": {"runPolicy": {"suspend": False}}}
        if job["spec"]["runPolicy"]["suspend"]:
            self.user.patch(self.kind, meta["name"], meta["namespace"], change=on)
        else:
            super().act(job, parts)


def pytorch_job(pool: Pool, quota: str, name: str, workers: int, **facts: Any) -> Document:
    """One master and so many workers, suspended; ``facts`` are those of its pods."""
    pod = pool.pod_manifest(name, quota, **facts)
    template = {"metadata": {"labels": pod["metadata"]["labels"]}, "spec": pod["spec"]}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name, "namespace": pool.namespace},
        "spec": {
            "runPolicy": {"suspend": True},
            "pytorchReplicaSpecs": {
                "Master": {"replicas": 1, "template": template},
                "Worker": {"replicas": workers, "template": template},
            },
        },
    }


def _pods(job: Document) -> dict[str, Document]:
    return {
        f"{job['metadata']['name']}-{role.lower()}-{index}": replicas["template"]
        for role, replicas in job["spec"]["pytorchReplicaSpecs"].items()
        for index in range(replicas.get("replicas", 1))
    }
