"""Operators that make the pods of a job themselves, and delete them when it is suspended.

RayCluster: docs.ray.io, "RayCluster Quickstart". SparkApplication:
kubeflow.github.io/spark-operator, "API Docs". TrainJob: www.kubeflow.org, "Kubeflow Trainer" (the
JobSet between TrainJob and pods is left out here). Workflow: argo-workflows.readthedocs.io, "Field
Reference".
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import users
from operators import rounds
from operators.rounds import Operator
from scenes import Pool
from users import Document


class PodMaker(Operator):
    """Makes all pods at once."""

    held: ClassVar[Document]
    """The status of a suspended job."""
    starting: ClassVar[Document]
    running: ClassVar[Document]
    """The status when all of its pods run."""

    def act(self, job: Document, parts: Sequence[Document]) -> None:
        if self.is_held(job):
            self.remove(parts)
            if not parts:
                self.tell(job, self.held)
            return
        there, wanted = rounds.names(parts), self.pods(job)
        for name in wanted.keys() - there:
            labels = {self.mark: job["metadata"]["name"]}
            self.make(job, name, labels, {"apiVersion": "v1", "kind": "Pod", **wanted[name]})
        whole = wanted.keys() == there and rounds.run(parts)
        self.tell(job, self.running if whole else self.starting)

    def is_held(self, job: Document) -> bool:
        """Whether its switch is on."""
        return bool(job["spec"].get("suspend"))

    @abstractmethod
    def pods(self, job: Document) -> dict[str, Document]:
        """The pods of a job by name."""


class _Alike(PodMaker):
    """Makes three pods of one cpu, of the quota of their namespace."""

    def pods(self, job: Document) -> dict[str, Document]:
        container = {
            "name": "main",
            "image": "registry.example/main:1",
            "resources": {"requests": {"cpu": "1"}},
        }
        pod = {"metadata": {}, "spec": {"containers": [container]}}
        return {f"{job['metadata']['name']}-{number}": pod for number in range(3)}


class RayClusters(_Alike):
    """A cluster never ends."""

    kind = "RayCluster"
    mark = "ray.io/cluster"
    held: ClassVar[Document] = {"state": "suspended"}
    starting: ClassVar[Document] = {"state": ""}
    running: ClassVar[Document] = {"state": "ready"}
    done: ClassVar[Document] = {}

    def is_over(self, _job: Document) -> bool:
        return False


class Spark(_Alike):
    kind = "SparkApplication"
    mark = "sparkoperator.k8s.io/app-name"
    held: ClassVar[Document] = {"applicationState": {"state": "SUSPENDED"}}
    starting: ClassVar[Document] = {"applicationState": {"state": "SUBMITTED"}}
    running: ClassVar[Document] = {"applicationState": {"state": "RUNNING"}}
    done: ClassVar[Document] = {"applicationState": {"state": "COMPLETED"}}


class Trainer(_Alike):
    kind = "TrainJob"
    mark = "jobset.sigs.k8s.io/jobset-name"
    held: ClassVar[Document] = rounds.conditions(Suspended=True)
    starting: ClassVar[Document] = rounds.conditions(Suspended=False)
    running: ClassVar[Document] = {"jobsStatus": [{"name": "node", "active": 1}]}
    done: ClassVar[Document] = rounds.conditions(Complete=True)


class Argo(_Alike):
    kind = "Workflow"
    mark = "workflows.argoproj.io/workflow"
    held: ClassVar[Document] = {"phase": "Pending"}
    starting: ClassVar[Document] = {"phase": "Pending"}
    running: ClassVar[Document] = {"phase": "Running"}
    done: ClassVar[Document] = {"phase": "Succeeded"}


def ray_cluster(pool: Pool, quota: str, name: str, workers: int) -> Document:
    """A suspended RayCluster of a head and so many workers."""
    pod = pool.pod_manifest(name, quota)
    template = {"metadata": {"labels": pod["metadata"]["labels"]}, "spec": pod["spec"]}
    group = {"groupName": "workers", "replicas": workers, "template": template}
    spec = {"headGroupSpec": {"template": template}, "workerGroupSpecs": [group]}
    return _job(pool, "RayCluster", name, spec)


def spark_application(pool: Pool, _quota: str, name: str, executors: int) -> Document:
    """A suspended SparkApplication of a driver and so many executors of one cpu each."""
    spec = {"type": "Scala", "driver": {"cores": 1}, "executor": {"instances": executors}}
    return _job(pool, "SparkApplication", name, spec)


def train_job(pool: Pool, _quota: str, name: str, nodes: int) -> Document:
    """A suspended TrainJob of so many nodes of one cpu each."""
    trainer = {"numNodes": nodes, "resourcesPerNode": {"requests": {"cpu": "1"}}}
    spec = {"runtimeRef": {"name": "torch-distributed"}, "trainer": trainer}
    return _job(pool, "TrainJob", name, spec)


def workflow(pool: Pool, _quota: str, name: str, cpu: int) -> Document:
    """A suspended Workflow, which states how many cpu all of its pods need."""
    made = _job(pool, "Workflow", name, {})
    made["metadata"]["annotations"] = {"kube-queue/min-resources": f"cpu: {cpu}"}
    return made


def _job(pool: Pool, kind: str, name: str, spec: dict[str, Any]) -> Document:
    return {
        "apiVersion": users.KINDS[kind].api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": pool.namespace},
        "spec": {"suspend": True, **spec},
    }
