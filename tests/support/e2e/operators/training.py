"""The training operator of Kubeflow: www.kubeflow.org, "Training Operator" and "Job Suspend".

When a job is suspended, it deletes the pods and writes ``Suspended``; afterwards it creates them
again.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import users
from operators import rounds
from operators.pod_makers import PodMaker
from scenes import Pool
from users import Document


SPECS: Final = {
    "PyTorchJob": "pytorchReplicaSpecs",
    "TFJob": "tfReplicaSpecs",
    "XGBoostJob": "xgbReplicaSpecs",
    "PaddleJob": "paddleReplicaSpecs",
    "MPIJob": "mpiReplicaSpecs",
}
"""The field of each kind that has its replicas by role."""


class Training(PodMaker):
    kind = "PyTorchJob"
    mark = "training.kubeflow.org/job-name"
    held: ClassVar[Document] = rounds.conditions(Created=True, Running=False, Suspended=True)
    starting: ClassVar[Document] = rounds.conditions(Created=True, Running=False, Suspended=False)
    running: ClassVar[Document] = rounds.conditions(Created=True, Running=True, Suspended=False)
    done: ClassVar[Document] = rounds.conditions(Created=True, Running=False, Succeeded=True)

    def is_held(self, job: Document) -> bool:
        return bool(job["spec"].get("runPolicy", {}).get("suspend"))

    def pods(self, job: Document) -> dict[str, Document]:
        return {
            f"{job['metadata']['name']}-{role.lower()}-{index}": replicas["template"]
            for role, replicas in job["spec"][SPECS[self.kind]].items()
            for index in range(replicas.get("replicas", 1))
        }


class TensorFlow(Training):
    kind = "TFJob"


class XGBoost(Training):
    kind = "XGBoostJob"


class Paddle(Training):
    kind = "PaddleJob"


class Mpi(Training):
    kind = "MPIJob"


class Idle(Training):
    """Accepts jobs, and makes no pods."""

    def act(self, job: Document, _parts: Sequence[Document]) -> None:
        self.tell(job, rounds.conditions(Created=True, Running=False))


class Eager(Training):
    """Starts a job whatever its suspend switch says, by changing the switch."""

    def act(self, job: Document, parts: Sequence[Document]) -> None:
        meta, on = job["metadata"], {"spec": {"runPolicy": {"suspend": False}}}
        if job["spec"]["runPolicy"]["suspend"]:
            self.user.patch(self.kind, meta["name"], meta["namespace"], change=on)
        else:
            super().act(job, parts)


def pytorch_job(pool: Pool, quota: str, name: str, workers: int, **facts: Any) -> Document:
    """A suspended PyTorchJob of one master and so many workers; ``facts`` are those of its pods."""
    return training_job("PyTorchJob", pool, quota, name, workers, **facts)


def training_job(
    kind: str,
    pool: Pool,
    quota: str,
    name: str,
    workers: int,
    *,
    first: str = "Master",
    **facts: Any,
) -> Document:
    """A suspended job of one pod of the role ``first`` and so many workers."""
    pod = pool.pod_manifest(name, quota, **facts)
    template = {"metadata": {"labels": pod["metadata"]["labels"]}, "spec": pod["spec"]}
    return {
        "apiVersion": users.KINDS[kind].api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": pool.namespace},
        "spec": {
            "runPolicy": {"suspend": True},
            SPECS[kind]: {
                first: {"replicas": 1, "template": template},
                "Worker": {"replicas": workers, "template": template},
            },
        },
    }
