"""The real controller of Kueue beside ours on one cluster, with its chart, CRDs and webhooks."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import kueue_program
import workloads
from installation import Installation, Kubectl
from kueue_program import MANAGER, QUEUE
from local_cluster import cluster as local
from scenes import GATE, PREFIX, Pool, condition, gates
from users import Document, User
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def kueue(
    product: Installation,
    cluster: local.Cluster,
    kubectl: Kubectl,
    admin: User,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """The real controller of Kueue, for batch/v1 Jobs and pods."""
    with MANAGER.running(cluster, kubectl, admin, tmp_path_factory.mktemp("kueue")):
        yield


@pytest.fixture
def both(pool: Pool, kueue: None) -> Iterator[tuple[Pool, str]]:
    """The quota team may have 1 of 16 cpu; the queue of Kueue has 2 cpu in the same namespace."""
    pool.quota("team", min=0, max=1)
    queue = kueue_program.open_queue(pool, "research", cpu=2)
    yield pool, queue
    pool.admin.delete_all("Job", pool.namespace)
    pool.admin.delete_all("Pod", pool.namespace)
    eventually(lambda: pool.admin.list("Pod", pool.namespace), [], within=60)
    kueue_program.close_queue(pool, queue)


def max_of(pool: Pool, cpu: int) -> None:
    change = {"spec": {"max": {"cpu": str(cpu)}}}
    pool.admin.patch("ElasticQuota", pool.name("team"), pool.namespace, change=change)


def held(pool: Pool) -> dict[str, set[str]]:
    """By name of each waiting pod, the gates that hold it."""
    return {
        pod["metadata"]["name"]: set(gates(pod))
        for pod in pool.admin.list("Pod", pool.namespace)
        if gates(pod)
    }


def why(pool: Pool, pod: str) -> str:
    return str(condition(pool.get_pod(pod), "PodScheduled").get("message", ""))


def job(pool: Pool, name: str) -> Document:
    return pool.admin.get("Job", name, pool.namespace)


def create_job(pool: Pool, name: str, quota: str, queue: str, pods: int, **facts: Any) -> None:
    """A Job of Kueue, whose webhook suspends it; a reclaimed pod is no failure of it."""
    ignored = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    template = workloads.template(pool, quota, name, **facts)
    spec = workloads.job_spec(template, pods, podFailurePolicy={"rules": [ignored]})
    manifest = workloads.manifest(pool, "Job", name, spec)
    manifest["metadata"]["labels"] = {QUEUE: queue}
    pool.admin.create(manifest)


def test_a_pod_of_both_waits_for_kueue_first_and_our_gate_is_removed_last(
    both: tuple[Pool, str],
) -> None:
    pool, queue = both
    pool.pods("team", 3, labels={QUEUE: queue})
    found = eventually(
        lambda: held(pool),
        lambda seen: sum(its == {GATE} for its in seen.values()) == 1 and len(seen) == 2,
        within=30,
    )
    (theirs,) = (name for name, its in found.items() if {GATE, kueue_program.GATE} <= its)
    (ours,) = (name for name, its in found.items() if its == {GATE})
    eventually(partial(why, pool, theirs), lambda text: "WaitingForOtherGates" in text)
    assert kueue_program.GATE in why(pool, theirs)
    eventually(partial(why, pool, ours), lambda text: f"quota {pool.name('team')}" in text)
    assert len(pool.running("team")) == 1

    max_of(pool, 3)
    eventually(lambda: len(pool.running("team")), 2)
    assert held(pool) == {theirs: found[theirs]}

    kueue_program.set_quota(pool, queue, cpu=3)
    eventually(lambda: len(pool.running("team")), 3, within=30)


def test_a_job_of_kueue_is_started_by_kueue_alone_and_its_pods_are_admitted_here(
    both: tuple[Pool, str],
) -> None:
    pool, queue = both
    create_job(pool, "train", "team", queue, pods=3)
    eventually(lambda: pool.admin.list("Workload", pool.namespace), bool)
    # There is no room for it in Kueue. Here there is, for each of its pods.
    max_of(pool, 16)
    eventually(lambda: pool.get("team")["spec"]["max"], {"cpu": "16"})
    stays(lambda: job(pool, "train")["metadata"]["generation"], 1, seconds=5)
    assert job(pool, "train")["spec"]["suspend"]
    assert not pool.admin.list("QueueUnit", pool.namespace)

    max_of(pool, 2)
    kueue_program.set_quota(pool, queue, cpu=3)
    eventually(lambda: job(pool, "train")["spec"]["suspend"], False, within=30)
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 1))
    started = job(pool, "train")["metadata"]["generation"]
    stays(lambda: job(pool, "train")["metadata"]["generation"], started, seconds=5)

    max_of(pool, 3)
    eventually(lambda: len(pool.running("team")), 3)


def test_a_reclaimed_pod_of_a_job_of_kueue_is_re_created_and_waits_here_and_not_there(
    both: tuple[Pool, str],
) -> None:
    pool, queue = both
    kueue_program.set_quota(pool, queue, cpu=16)
    pool.quota("borrower", min=0, max=16)
    pool.quota("owner", min=2, max=16)
    create_job(pool, "train", "borrower", queue, pods=16)
    eventually(lambda: len(pool.running("borrower")), 16, within=60)
    pool.pods("owner", 2)
    eventually(lambda: len(pool.running("owner")), 2, within=60)
    # The Job controller creates them after a back-off of its own.
    eventually(lambda: len(pool.gated("borrower")), 2, within=120)
    assert all(its == {GATE} for its in held(pool).values())
    assert not job(pool, "train")["spec"]["suspend"]
    (workload,) = pool.admin.list("Workload", pool.namespace)
    assert condition(workload, "Admitted")["status"] == "True"
    assert condition(workload, "Evicted")["status"] != "True"


def test_a_reclaimed_pod_of_kueue_leaves_and_returns_its_room_in_kueue(
    both: tuple[Pool, str],
) -> None:
    pool, queue = both
    kueue_program.set_quota(pool, queue, cpu=16)
    pool.quota("borrower", min=0, max=16)
    pool.quota("owner", min=6, max=16)
    before = set(pool.pods("borrower", 16, labels={QUEUE: queue}))
    eventually(lambda: pool.running("borrower"), before, within=60)
    pool.pods("owner", 6)
    eventually(lambda: len(pool.running("owner")), 6, within=60)
    # The finalizer of Kueue keeps no pod.
    eventually(lambda: len(pool.admin.list("Pod", pool.namespace)), 16, within=60)

    def reserved() -> str:
        status = pool.admin.get("ClusterQueue", queue)["status"]
        (flavor,) = status["flavorsReservation"]
        (resource,) = flavor["resources"]
        return str(resource["total"])

    eventually(reserved, "10", within=60)


def test_a_job_of_kueue_outside_of_our_quotas_runs_beside_pods_of_a_quota(
    both: tuple[Pool, str],
) -> None:
    pool, queue = both
    pool.pods("team", 1, prefix="ours")
    eventually(lambda: pool.running("team"), {"ours-0"})
    outside = {f"{PREFIX}name": "koordinator-default-quota"}
    nodes = {"pool": pool.namespace}
    create_job(pool, "theirs", "", queue, pods=2, labels=outside, nodeSelector=nodes)
    eventually(lambda: job(pool, "theirs")["status"].get("ready"), 2, within=30)
    assert pool.running("team") == {"ours-0"}
