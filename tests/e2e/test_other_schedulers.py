"""Who makes pods for a scheduler that does not run gets a warning at once (PD1310)."""

from typing import Any

import pytest

from scenes import Pool
from users import Document


pytestmark = pytest.mark.cluster


def workload(pool: Pool, kind: str, scheduler: str) -> Document:
    """A workload that makes no pod yet."""
    template: dict[str, Any] = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "registry.example/main:1"}]},
    }
    if scheduler:
        template["spec"]["schedulerName"] = scheduler
    group, spec = "apps/v1", {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}}
    if kind in ("Job", "CronJob"):
        group, spec = "batch/v1", {"suspend": True}
        template["spec"]["restartPolicy"] = "Never"
    spec["template"] = template
    if kind == "CronJob":
        spec = {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": spec}}
    return {
        "apiVersion": group,
        "kind": kind,
        "metadata": {"name": f"web-{kind.lower()}", "namespace": pool.namespace},
        "spec": spec,
    }


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "Job", "CronJob"])
def test_a_workload_that_names_another_scheduler_is_warned_of(pool: Pool, kind: str) -> None:
    pool.admin.create(workload(pool, kind, "capacityscheduler"), dry_run=True)
    assert "spec.schedulerName is 'capacityscheduler': its pods start only if" in pool.admin.warned
    assert "[PD1310]" in pool.admin.warned
    for stock in ("", "default-scheduler"):
        pool.admin.create(workload(pool, kind, stock), dry_run=True)
        assert "[PD1310]" not in pool.admin.warned


def test_an_edit_of_something_else_is_no_occasion(pool: Pool) -> None:
    made = pool.admin.create(workload(pool, "Deployment", "capacityscheduler"))
    name = made["metadata"]["name"]
    edit = {"metadata": {"labels": {"seen": "yes"}}}
    pool.admin.patch("Deployment", name, pool.namespace, change=edit)
    assert "[PD1310]" not in pool.admin.warned


def test_a_pod_that_names_another_scheduler_is_warned_of(pool: Pool) -> None:
    pod = pool.pod_manifest("other", None)
    pod["spec"]["schedulerName"] = "capacityscheduler"
    pool.admin.create(pod, dry_run=True)
    assert "the pod starts only if a scheduler of that name runs" in pool.admin.warned
