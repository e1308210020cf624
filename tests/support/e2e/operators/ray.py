"""KubeRay's operator, for RayJobs: docs.ray.io, "RayJob Quickstart" and "Kueue".

With every start a RayJob gets a cluster of a new name, which its status says before there are
pods. When all of them run, a Job of the RayJob's own name submits. Suspended, cluster and Job go,
and with them the name. (Between RayJob and pods stands a RayCluster, which is left out here.)
"""

import secrets
from collections.abc import Sequence
from typing import Any, ClassVar

from operators import rounds
from operators.rounds import Operator
from scenes import Pool
from users import Document


_SUBMITTER = {"requests": {"cpu": "500m", "memory": "200Mi"}}
"""What KubeRay's own submitter asks for."""


class Ray(Operator):
    kind = "RayJob"
    mark = "ray.io/cluster"
    done: ClassVar[Document] = {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED"}

    def act(self, job: Document, parts: Sequence[Document]) -> None:
        meta, told = job["metadata"], rounds.status(job)
        cluster = told.get("rayClusterName")
        if job["spec"].get("suspend"):
            self._hold(job, parts)
        elif not cluster:
            name = f"{meta['name']}-{secrets.token_hex(3)}"
            self.tell(job, {"rayClusterName": name, "jobDeploymentStatus": "Initializing"})
        else:
            there, wanted = rounds.names(parts), _pods(job, cluster)
            for name in wanted.keys() - there:
                pod = {"apiVersion": "v1", "kind": "Pod", **wanted[name]}
                self.make(job, name, {self.mark: cluster}, pod)
            if wanted.keys() == there and rounds.run(parts):
                self._submit(job)

    def clear(self, job: Document, parts: Sequence[Document]) -> None:
        """Also the Job that submits."""
        super().clear(job, parts)
        meta = job["metadata"]
        if self.user.find("Job", meta["name"], meta["namespace"]):
            self.user.delete("Job", meta["name"], meta["namespace"])

    def _hold(self, job: Document, parts: Sequence[Document]) -> None:
        self.clear(job, parts)
        held = {"jobDeploymentStatus": "Suspended", "jobStatus": "", "rayClusterName": ""}
        self.tell(job, {"jobDeploymentStatus": "Suspending"} if parts else held)

    def _submit(self, job: Document) -> None:
        if rounds.status(job).get("jobDeploymentStatus") == "Running":
            return
        name = job["metadata"]["name"]
        if not self.user.find("Job", name, job["metadata"]["namespace"]):
            head = job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]
            template = job["spec"].get("submitterPodTemplate") or _submitter(head)
            template["spec"]["restartPolicy"] = "Never"
            spec = {"backoffLimit": 2, "template": template}
            self.make(job, name, {}, {"apiVersion": "batch/v1", "kind": "Job", "spec": spec})
        self.tell(job, {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"})


def ray_job(pool: Pool, quota: str, name: str, workers: int, **facts: Any) -> Document:
    """A head and so many workers, suspended, that something outside submits to."""
    pod = pool.pod_manifest(name, quota, **facts)
    template = {"metadata": {"labels": pod["metadata"]["labels"]}, "spec": pod["spec"]}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": name, "namespace": pool.namespace},
        "spec": {
            "suspend": True,
            "submissionMode": "K8sJobMode",
            "submitterPodTemplate": template,
            "rayClusterSpec": {
                "headGroupSpec": {"template": template},
                "workerGroupSpecs": [
                    {
                        "groupName": "workers",
                        "replicas": workers,
                        "minReplicas": 0,
                        "maxReplicas": workers,
                        "template": template,
                    }
                ],
            },
        },
    }


def _pods(job: Document, cluster: str) -> dict[str, Document]:
    spec = job["spec"]["rayClusterSpec"]
    found = {f"{cluster}-head": spec["headGroupSpec"]["template"]}
    for group in spec["workerGroupSpecs"]:
        for index in range(group["replicas"]):
            found[f"{cluster}-{group['groupName']}-{index}"] = group["template"]
    return found


def _submitter(head: Document) -> Document:
    """Where the head may run."""
    (first, *_) = head["spec"]["containers"]
    container = {"name": "submitter", "image": first["image"], "resources": _SUBMITTER}
    pod = {"tolerations": head["spec"].get("tolerations", []), "containers": [container]}
    return {"metadata": {}, "spec": pod}
