"""What kubectl prints of a tenant's dry run: positions, estimates, and what would be reclaimed."""

import json
from pathlib import Path
from typing import Any

import pytest

from installation import Kubectl
from scenes import Pool, written
from waiting import eventually


pytestmark = pytest.mark.cluster


def test_a_tenants_dry_run_of_a_pod_says_whether_it_would_wait(
    lent: Pool, tenants: Kubectl, tmp_path: Path
) -> None:
    file = written(tmp_path, lent.pod_manifest("next", "mine"))
    done = tenants.attempt("create", "--dry-run=server", "-f", file)
    assert done.returncode == 0, done.stderr
    quota = lent.name("mine")
    assert (
        f"Warning: Pod next: The pod would wait for quota {quota}: needs 1 cpu; 8 of its share of "
        "8 are in use (guaranteed 4, limit 16). Position 2 at most. "
    ) in done.stderr
    assert lent.root not in done.stderr.replace(quota, "")


@pytest.mark.parametrize("kind", ["Job", "Deployment", "StatefulSet"])
def test_a_tenants_dry_run_of_a_workload_says_how_many_of_its_pods_would_wait(
    lent: Pool, tenants: Kubectl, tmp_path: Path, kind: str
) -> None:
    restart = "Never" if kind == "Job" else "Always"
    pod = lent.pod_manifest("next", "mine", labels={"app": "w"}, restartPolicy=restart)
    template = {"metadata": {"labels": pod["metadata"]["labels"]}, "spec": pod["spec"]}
    sizes: dict[str, Any] = {"replicas": 3, "selector": {"matchLabels": {"app": "w"}}}
    if kind == "Job":
        sizes = {"parallelism": 3}
    elif kind == "StatefulSet":
        sizes["serviceName"] = "w"
    manifest = {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": {"name": "next", "namespace": lent.namespace},
        "spec": {"template": template, **sizes},
    }
    done = tenants.attempt("create", "--dry-run=server", "-f", written(tmp_path, manifest))
    assert done.returncode == 0, done.stderr
    assert (
        f"{kind} next: All 3 pods would wait for quota {lent.name('mine')}: each needs 1 cpu"
        in done.stderr
    )
    assert "Position 2 at most for the first of them" in done.stderr


def test_a_dry_run_within_the_guarantee_says_what_is_reclaimed_for_it(
    lent: Pool, tenants: Kubectl, tmp_path: Path
) -> None:
    lent.quota("owed", min=2, max=4)
    file = written(tmp_path, lent.pod_manifest("next", "owed"))
    said = eventually(
        lambda: tenants.attempt("create", "--dry-run=server", "-f", file).stderr,
        lambda found: "has room for the pod" in found,
    )
    assert (
        f"Pod next: Quota {lent.name('owed')} has room for the pod within its guarantee: up to 1 "
        "cpu may be reclaimed for it from "
    ) in said


def test_a_real_write_is_answered_without_the_summary(lent: Pool, tenants: Kubectl) -> None:
    done = tenants.attempt("create", "-f", "-", stdin=json.dumps(lent.pod_manifest("real", "mine")))
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr


def test_an_idle_quota_has_room_although_its_published_share_is_0(
    pool: Pool, tenants: Kubectl, tmp_path: Path
) -> None:
    pool.quota("idle", min=0, max=16)
    eventually(lambda: pool.status("idle").get("runtime", {}).get("cpu"), "0")
    file = written(tmp_path, pool.pod_manifest("first", "idle"))
    said = tenants.attempt("create", "--dry-run=server", "-f", file).stderr
    assert f"Pod first: Quota {pool.name('idle')} has room for the pod now." in said


def test_a_mistyped_label_in_a_template_is_found_by_a_dry_run(
    pool: Pool, tenants: Kubectl, tmp_path: Path
) -> None:
    pool.quota("team", min=1, max=2)
    wrong = {"quota.scheduling.koordinator.sh/nmae": "x", "app": "w"}
    pod = pool.pod_manifest("next", "team", labels=wrong)
    manifest = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "next", "namespace": pool.namespace},
        "spec": {
            "selector": {"matchLabels": {"app": "w"}},
            "template": {"metadata": {"labels": pod["metadata"]["labels"]}, "spec": pod["spec"]},
        },
    }
    done = tenants.attempt("create", "--dry-run=server", "-f", written(tmp_path, manifest))
    assert (
        "spec.template.metadata.labels[quota.scheduling.koordinator.sh/nmae]: has no effect; did "
        "you mean name?"
    ) in done.stderr
