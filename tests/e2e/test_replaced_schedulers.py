"""Pods that name a scheduler of capacity scheduling that runs no more get the scheduler of the
cluster, where its name is listed.
"""

import json

import pytest

from installation import BY_BOTH, Kubectl
from scenes import Pool
from users import Document
from waiting import eventually


pytestmark = [pytest.mark.cluster, BY_BOTH]

GONE = "capacityscheduler"


@pytest.fixture(scope="module")
def values() -> Document:
    return {"dialects": {"capacity": True, "capacitySchedulers": [GONE]}}


def named(pool: Pool, name: str, scheduler: str) -> Document:
    manifest = pool.pod_manifest(name, "team")
    manifest["spec"]["schedulerName"] = scheduler
    return manifest


def test_c18_a_pod_that_names_a_scheduler_that_is_gone_runs(pool: Pool, kubectl: Kubectl) -> None:
    pool.quota("team", min=4, max=8)
    done = kubectl.attempt("create", "-f", "-", stdin=json.dumps(named(pool, "moved", GONE)))
    assert (done.returncode, done.stderr) == (0, "")
    eventually(lambda: pool.running("team"), {"moved"})
    assert pool.get_pod("moved")["spec"]["schedulerName"] == "default-scheduler"


def test_a_workload_that_makes_such_pods_is_not_warned_of(pool: Pool, kubectl: Kubectl) -> None:
    pool.quota("team", min=4, max=8)
    template = named(pool, "made", GONE)
    labels = template["metadata"]["labels"] | {"app": "made"}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "made", "namespace": pool.namespace},
        "spec": {
            "template": {
                "metadata": {"labels": labels},
                "spec": template["spec"] | {"restartPolicy": "Never"},
            }
        },
    }
    done = kubectl.attempt("create", "-f", "-", stdin=json.dumps(job))
    assert (done.returncode, done.stderr) == (0, "")
    eventually(lambda: len(pool.running("team")), 1)


def test_other_names_are_left_alone(pool: Pool, kubectl: Kubectl) -> None:
    pool.quota("team", min=4, max=8)
    pod = named(pool, "other", "somebodys-scheduler")
    done = kubectl.attempt("create", "-f", "-", stdin=json.dumps(pod))
    assert "[PD1310]" in done.stderr
    eventually(lambda: pool.gated("team"), set())
    assert pool.get_pod("other")["spec"]["schedulerName"] == "somebodys-scheduler"
    pool.admin.delete("Pod", "other", pool.namespace)
