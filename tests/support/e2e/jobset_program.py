"""JobSet: its controller with its chart, and JobSets of several parts."""

from collections.abc import Sequence
from typing import Any, Final

import workloads
from controller_manager import ControllerManager
from external_systems import recipes
from scenes import Pool
from users import Document


OF_JOBSET: Final = "jobset.sigs.k8s.io/jobset-name"
"""Label of the pods and Jobs of a JobSet."""

MANAGER: Final = ControllerManager(
    recipes.JOBSET,
    "charts/jobset",
    "jobset-system",
    "jobset-controller",
    {"apiVersion": "config.jobset.x-k8s.io/v1alpha1", "kind": "Configuration"},
)


def replicated_job(
    pool: Pool, quota: str, name: str, replicas: int, pods: int, **facts: Any
) -> Document:
    """A part of a JobSet: so many Jobs of so many pods."""
    spec = workloads.job_spec(workloads.template(pool, quota, name, **facts), pods)
    return {"name": name, "replicas": replicas, "template": {"spec": spec}}


def job_set(pool: Pool, name: str, parts: Sequence[Document], **spec: Any) -> Document:
    """A suspended JobSet of these parts."""
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": pool.namespace},
        "spec": {"suspend": True, "replicatedJobs": list(parts), **spec},
    }
