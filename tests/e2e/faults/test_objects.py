"""Objects are deleted by the thousand, edited by the thousand, or lose their definition."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

import audit
import settled
import users
from continuity import BEYOND, EACH, TEAMS, Work
from installation import CONTROLLER_USER, Installation
from local_cluster import cluster as local
from scenes import Pool, refusal
from users import Document, User
from waiting import eventually, seconds_until


DELETED = int(os.environ.get("DELETED", "100"))
"""Pods that are deleted at once; ``DELETED=10000`` is the long form."""
EDITS = int(os.environ.get("EDITS", "100"))
"""Times that a quota is edited; ``EDITS=1000`` is the long form."""
CLIENTS = 4

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.usefixtures("admission"),
    pytest.mark.timeout(300 + DELETED // 5 + EDITS),
]

ALLOWED = "elasticquota.dev/allow-deletion"
QUOTA_CRD = "elasticquotas.scheduling.sigs.k8s.io"


def make(pool: Pool, quota: str, count: int) -> None:
    """Create pods, several at a time."""
    _by_several(
        pool,
        count,
        lambda somebody, number: somebody.create(pool.pod_manifest(f"{quota}-{number}", quota)),
    )


def delete(pool: Pool, quota: str, count: int) -> None:
    """Delete the pods one by one: one request for all of them would time out after a minute."""
    _by_several(
        pool,
        count,
        lambda somebody, number: somebody.delete(
            "Pod", f"{quota}-{number}", pool.namespace, grace=0
        ),
    )


def _by_several(pool: Pool, count: int, do: Callable[[User, int], object]) -> None:
    def do_some(first: int) -> None:
        somebody = users.User(pool.admin.configuration)
        for number in range(first, count, CLIENTS):
            do(somebody, number)
        somebody.close()

    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(do_some, range(CLIENTS)))


def test_thousands_of_pods_deleted_at_once_make_room_for_others_at_once(
    new_pool: Callable[..., Pool], measured: dict[str, float]
) -> None:
    """Half of them run, half of them wait."""
    pool = new_pool(nodes=1 + DELETED // 200, cpu=100)
    room = (1 + DELETED // 200) * 100
    pool.quota("many", max=room)
    make(pool, "many", DELETED)
    runs = min(room, DELETED)
    eventually(lambda: pool.status("many")["admitted"]["cpu"], str(runs), within=30 + DELETED / 5)
    delete(pool, "many", DELETED)
    pool.quota("next", max=room)
    following = pool.pods("next", 5)
    began = time.monotonic()
    eventually(lambda: pool.running("next"), set(following), within=30 + DELETED / 10)
    eventually(lambda: pool.status("many")["pods"], {"admitted": 0, "gated": 0}, within=60)
    measured[f"{DELETED} pods deleted at once: until the books say so"] = time.monotonic() - began
    eventually(lambda: settled.faults(pool), [], within=30)


def test_a_quota_edited_a_thousand_times_is_published_once_a_second_and_costs_no_pod(
    pool: Pool, cluster: local.Cluster, measured: dict[str, float]
) -> None:
    work = Work(pool, cluster.audit_log)
    name = pool.name(TEAMS[0])
    since = audit.end(cluster.audit_log)
    began = time.monotonic()
    for number in range(EDITS):
        change = {"spec": {"max": {"cpu": str(EACH + number % 2)}}}
        pool.admin.patch("ElasticQuota", name, pool.namespace, change=change)
    lasted = time.monotonic() - began
    change = {"spec": {"max": {"cpu": str(EACH)}, "min": {"cpu": str(EACH)}}}
    pool.admin.patch("ElasticQuota", name, pool.namespace, change=change)
    took = seconds_until(lambda: settled.faults(pool), [], within=30)
    measured[f"quota edited {EDITS} times in {lasted:.0f} s: until all is as it should be"] = took
    writes = audit.writes(cluster.audit_log, "elasticquotas/status", pool.namespace, since=since)
    ours = [each for each in writes if (each.user, each.name) == (CONTROLLER_USER, name)]
    assert len(ours) <= lasted + took + 2
    # While max was one higher, one waiting pod was admitted. Only that pod may be evicted again.
    assert len(work.evicted()) <= 1


def without_status(manifest: Document) -> Document:
    """The definition as it was applied."""
    kept = ("name", "labels", "annotations")
    metadata: dict[str, Any] = {key: manifest["metadata"].get(key) for key in kept}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": manifest["spec"],
    }


def test_a_definition_that_is_deleted_and_created_again_costs_no_pod(
    pool: Pool,
    admin: User,
    product: Installation,
    cluster: local.Cluster,
    measured: dict[str, float],
) -> None:
    work = Work(pool, cluster.audit_log)
    definition = without_status(admin.get("CustomResourceDefinition", QUOTA_CRD))
    refused = refusal(lambda: admin.delete("CustomResourceDefinition", QUOTA_CRD))
    assert "all elasticquotas of the cluster would be deleted" in refused.message
    assert f"kubectl annotate crd {QUOTA_CRD} {ALLOWED}=true" in refused.message
    meant = {"metadata": {"annotations": {ALLOWED: "true"}}}
    admin.patch("CustomResourceDefinition", QUOTA_CRD, change=meant)
    admin.delete("CustomResourceDefinition", QUOTA_CRD)
    eventually(lambda: admin.find("CustomResourceDefinition", QUOTA_CRD), None, within=30)
    assert all(len(pool.running(team)) >= EACH for team in TEAMS)
    admin.create(definition)
    began = time.monotonic()
    for team in TEAMS:
        eventually(partial(pool.quota, team, min=EACH, max=EACH), bool, within=60)
    eventually(lambda: [pool.used(team) for team in TEAMS], [str(EACH)] * 2, within=60)
    measured["definition of quotas made again: until quotas hold again"] = time.monotonic() - began
    product.settle()
    eventually(lambda: settled.faults(pool), [], within=60)
    # Waiting pods were admitted while there was no quota. As many are too many now, but not more.
    assert len(work.evicted()) <= BEYOND * len(TEAMS)
    assert [len(pool.running(team)) for team in TEAMS] == [EACH] * len(TEAMS)
    for team in TEAMS:
        pool.pods(team, BEYOND - len(pool.gated(team)), prefix="again")
    eventually(lambda: [len(pool.gated(team)) for team in TEAMS], [BEYOND] * len(TEAMS))
    work.forget()
    work.goes_on()
