"""Objects of which no further write succeeds delay no pod of another quota.

The store takes 1.5 MiB; an object of just that size can be stored, and not changed any more.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import audit
import foreign_webhook
import tenants
import workloads
from elasticquota.wire.admission.review import AdmissionRequest
from installation import CONTROLLER_USER
from local_cluster import cluster as local
from scenes import Pool
from users import Document, RefusedError, User
from waiting import eventually, seconds_until


FAT = int(os.environ.get("FAT", "24"))
"""Pods at the size limit; ``FAT=240`` is the long form."""
FEW = 4
"""Quotas, jobs and nodes at the size limit, of each."""
OWNERS = 4
"""Pods of the owner that start one after the other."""
SOON = 20.0
"""Seconds for each of them, on a machine that is shared; the figures are printed."""
NODES = 2 + FAT // 100
LIMIT = 1_572_864
BULK = "bulk"
SPARE = 8
"""Bytes that are left for changes."""

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.usefixtures("admission"),
    pytest.mark.timeout(200 + 4 * FAT),
]


@pytest.fixture(scope="module")
def values() -> Document:
    """Jobs are queued, what is too large to be evicted is deleted, and no policy keeps it small."""
    return {
        "policy": {"disabled": ["EQ1115", "PD1311"]},
        "dialects": {"jobs": True},
        "crds": {"dialects": {"jobs": True}},
        "config": {"reclaim": {"evictionsPerSecond": 100, "deleteAfterSeconds": 600}},
    }


@pytest.fixture
def pool(new_pool: Callable[..., Pool]) -> Iterator[Pool]:
    """The owner has a min of 4 cpu; the quota of the others has none, and may borrow."""
    pool = new_pool(nodes=NODES, cpu=8)
    pool.quota("own", min=4, max=16)
    pool.quota("others", max=8 * NODES)
    yield pool
    pool.admin.delete_all("Job", pool.namespace)
    smaller = {"metadata": {"annotations": {BULK: None}}}
    for pod in pool.admin.list("Pod", pool.namespace):
        with suppress(RefusedError):  # gone meanwhile
            # A deletion writes its time, for which some have no room.
            pool.admin.patch("Pod", pod["metadata"]["name"], pool.namespace, change=smaller)


def most_bytes(store: Callable[[int], object], least: int, most: int = LIMIT) -> int:
    """With how many bytes ``store`` still succeeds, to ``SPARE``."""
    store(least)
    while most - least > SPARE:
        middle = (least + most) // 2
        try:
            store(middle)
        except RefusedError as refused:
            if "too large" not in refused.message and refused.code != 422:  # of a job
                raise
            most = middle
        else:
            least = middle
    return least - SPARE


def bulky(pool: Pool, name: str, size: int, **facts: Any) -> Document:
    """A pod with an environment of so many bytes, and some that can be taken off again."""
    manifest = pool.pod_manifest(name, "others", **facts)
    manifest["metadata"]["annotations"] = {BULK: "x" * 10_000}
    manifest["spec"]["containers"][0]["env"] = [{"name": "BULK", "value": "x" * size}]
    return manifest


def owned(manifest: Document, size: int) -> Document:
    """An object whose owner is of a kind with so long a name, which nothing limits."""
    owner = {"apiVersion": "v1", "kind": "K" * size, "name": "y", "uid": "6"}
    return {**manifest, "metadata": {**manifest["metadata"], "ownerReferences": [owner]}}


def unwritten(log: Path, what: str, since: int) -> set[str]:
    """Names of the objects of which the controller could not write."""
    return {
        write.name
        for write in audit.writes(log, what, since=since)
        if write.user == CONTROLLER_USER and write.code >= 400
    }


def reported(pool: Pool, name: str, reason: str, kind: str = "Pod") -> str:
    """The end of the event of this reason on an object."""
    return pool.events(name, kind).get(reason, "").rpartition("etcdserver: ")[2]


def longest_start(pool: Pool) -> float:
    """Seconds until the slowest of the owner's pods runs."""
    taken = []
    for number in range(OWNERS):
        pool.pod(f"own-{number}", "own")
        phase = partial(pool.phase, f"own-{number}")
        taken.append(seconds_until(phase, "Running", within=SOON))
    eventually(lambda: pool.used("own"), str(OWNERS))
    return max(taken)


def test_pods_at_the_limit_that_wait(
    pool: Pool, admin: User, cluster: local.Cluster, measured: dict[str, float]
) -> None:
    numbers = count()

    def store(size: int) -> None:
        admin.create(bulky(pool, f"try-{next(numbers):03}", size, cpu="100"))

    size = most_bytes(store, 1_500_000)
    since = audit.end(cluster.audit_log)
    names = {f"fat-{number:03}" for number in range(FAT)}
    for name in sorted(names):
        admin.create(bulky(pool, name, size, cpu="1m"))
    eventually(
        lambda: unwritten(cluster.audit_log, "pods", since),
        lambda found: found >= names,
        within=60 + FAT,
    )
    took = longest_start(pool)
    measured[f"{FAT} waiting pods at the size limit: an owner's pod runs"] = took
    assert names <= pool.gated("others"), "nothing of them is stored"
    for name in (min(names), max(names)):
        eventually(partial(reported, pool, name, "QuotaReleaseRefused"), "request is too large")


def test_pods_at_the_limit_that_hold_what_they_borrowed(
    pool: Pool, admin: User, measured: dict[str, float]
) -> None:
    """A deletion writes 14 bytes. There is no room for them, and no managed field to take off."""
    names = [f"fat-{number:03}" for number in range(FAT)]
    for name in names:
        admin.create(bulky(pool, name, 1_400_000, cpu=f"{8000 * NODES // FAT}m"))
    eventually(lambda: pool.running("others"), set(names), within=60 + FAT)

    def fatten(name: str, size: int) -> None:
        metadata = {"annotations": {BULK: "x" * size}, "managedFields": [{}]}
        admin.patch("Pod", name, pool.namespace, change={"metadata": metadata})

    size = most_bytes(lambda size: fatten(names[0], size), 0, 200_000)
    for name in names:
        fatten(name, size)
    took = longest_start(pool)
    measured[f"{FAT} borrowed pods at the size limit: an owner's pod runs"] = took
    assert len(pool.running("others")) >= FAT // 3, "no more went than was needed"


def test_quotas_jobs_and_nodes_at_the_limit(
    pool: Pool, admin: User, cluster: local.Cluster, measured: dict[str, float]
) -> None:
    since = audit.end(cluster.audit_log)

    def quota(name: str, size: int) -> Document:
        return owned(pool.quota_manifest(name, max=1), size)

    def node(name: str, size: int) -> Document:
        made = admin.get("Node", f"{pool.namespace}-0")
        labels = {"pool": pool.namespace, "kubernetes.io/hostname": name}
        images = [{"names": ["x" * size], "sizeBytes": 1}]
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels},
            "spec": {"unschedulable": True},  # no kubelet runs there
            "status": {"allocatable": made["status"]["allocatable"], "images": images},
        }

    def job(name: str, size: int) -> Document:
        template = workloads.template(pool, "others", name)
        template["spec"]["containers"][0]["env"] = [{"name": "BULK", "value": "x" * size}]
        spec = workloads.job_spec(template, 1, suspend=True)
        return workloads.manifest(pool, "Job", name, spec)

    nodes = [f"{pool.namespace}-fat-{number}" for number in range(FEW)]
    try:
        with tenants.without_webhooks(admin):
            fill(admin, quota, [f"fat-{number}" for number in range(FEW)])
        fill(admin, node, nodes)
        fill(admin, job, [f"fat-{number}" for number in range(FEW)])
        eventually(
            lambda: unwritten(cluster.audit_log, "elasticquotas/status", since),
            lambda found: found >= {pool.name(f"fat-{number}") for number in range(FEW)},
            within=60,
        )
        eventually(
            lambda: reported(pool, pool.name("fat-0"), "QuotaStatusRefused", "ElasticQuota"),
            "request is too large",
        )
        took = longest_start(pool)
        measured["quotas, jobs and nodes at the size limit: an owner's pod runs"] = took
    finally:
        for name in nodes:
            with suppress(RefusedError):
                admin.delete("Node", name)


def fill(admin: User, made: Callable[[str, int], Document], names: list[str]) -> None:
    """Store objects of these names as large as the store takes them."""

    def store(size: int) -> None:
        manifest = made(names[0], size)
        admin.create(manifest)
        meta = manifest["metadata"]
        admin.delete(manifest["kind"], meta["name"], meta.get("namespace", ""))

    size = most_bytes(store, 1_400_000)
    for name in names:
        admin.create(made(name, size))


def test_a_webhook_of_others_that_refuses_every_second_edit(
    pool: Pool, admin: User, measured: dict[str, float]
) -> None:
    tries: Counter[str] = Counter()

    def refuses(request: AdmissionRequest) -> bool:
        """All of those of the others, and each one of the owner once."""
        tries[request.name] += 1
        return request.name.startswith("other") or tries[request.name] % 2 == 1

    ours = CONTROLLER_USER
    with foreign_webhook.refusing_edits(
        admin,
        "refusing",
        pool.namespace,
        lambda request: request.user_info.username == ours and refuses(request),
    ) as refused:
        others = pool.pods("others", FAT, prefix="other", cpu="1m")
        eventually(lambda: set(refused), lambda found: found >= set(others), within=60 + FAT)
        took = longest_start(pool)
        measured["a webhook of others refuses each edit once: an owner's pod runs"] = took
        assert {f"own-{number}" for number in range(OWNERS)} <= set(refused)
