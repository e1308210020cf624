"""The kinds of objects that own pods, and are read by name to follow the chain of owners.

A pod of a Deployment belongs to a ReplicaSet, that of a CronJob to a Job, and so on: the user made
the last of the chain. Only kinds of this table are read, and of them only metadata.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from elasticquota.jobs.adapter import JobAdapter, JobKind
from elasticquota.model.owner import Owner


POD: Final = JobKind("", "Pod")
"""Some pods own others: the driver of Spark, and the leader of a group of a LeaderWorkerSet."""


class ServedResource(NamedTuple):
    """Where the objects of a kind are; of several versions the first one is the usual one."""

    versions: tuple[str, ...]
    plural: str


BESIDE_JOBS: Final[Mapping[JobKind, ServedResource]] = {
    POD: ServedResource(("v1",), "pods"),
    JobKind("apps", "Deployment"): ServedResource(("v1",), "deployments"),
    JobKind("apps", "ReplicaSet"): ServedResource(("v1",), "replicasets"),
    JobKind("apps", "StatefulSet"): ServedResource(("v1",), "statefulsets"),
    JobKind("apps", "DaemonSet"): ServedResource(("v1",), "daemonsets"),
    JobKind("batch", "CronJob"): ServedResource(("v1",), "cronjobs"),
    JobKind("ray.io", "RayService"): ServedResource(("v1",), "rayservices"),
    JobKind("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): ServedResource(
        ("v1",), "leaderworkersets"
    ),
}


def table(jobs: Iterable[JobAdapter]) -> Mapping[JobKind, ServedResource]:
    """These kinds and those of jobs, built in or configured."""
    return {
        **BESIDE_JOBS,
        **{each.identity: ServedResource(each.versions, each.plural) for each in jobs},
    }


def version(owner: Owner, served: ServedResource) -> str:
    """The version in which the owner is read: the one that it names, if it is known."""
    return owner.version if owner.version in served.versions else served.versions[0]
