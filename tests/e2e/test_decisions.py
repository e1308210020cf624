"""Who starts and who gives on a real control plane: within min, by fair share, for a limit."""

import json
from collections.abc import Callable, Iterator

import pytest

import audit
from installation import Kubectl
from local_cluster import cluster as local
from scenes import HIGH, PREFIX, Pool, condition
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

Evicted = Callable[[Pool], list[str]]


@pytest.fixture
def evicted(cluster: local.Cluster) -> Evicted:
    """Names of a pool's pods whose eviction was accepted, with repetitions."""
    since = audit.end(cluster.audit_log)

    def look(pool: Pool) -> list[str]:
        writes = audit.writes(cluster.audit_log, "pods/eviction", pool.namespace, since=since)
        return [write.name for write in writes if write.code == 201]

    return look


def wait_until_ready(kubectl: Kubectl, pool: Pool, *pods: str) -> None:
    """Wait as a user waits for pods."""
    names = [f"pod/{pod}" for pod in pods]
    kubectl("-n", pool.namespace, "wait", "--for=condition=Ready", *names, "--timeout=30s")


def test_one_eviction_starts_the_pod_within_min_that_stands_behind_a_larger_one(
    new_pool: Callable[..., Pool], kubectl: Kubectl, evicted: Evicted
) -> None:
    """The first of the queue is beyond min, and fits no node whatever is evicted for the second."""
    pool = new_pool(nodes=1, cpu=4)
    for _ in range(4):
        pool.add_node(cpu=1)
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "8")
    pool.quota("owner", min=4)
    pool.quota("borrower")
    pool.pod("own", "owner", cpu=2, priority=HIGH)
    eventually(lambda: pool.running("owner"), {"own"})
    pool.deployment("borrowed", "borrower", replicas=1, cpu=2)
    (victim,) = eventually(lambda: pool.running("borrower"), lambda found: len(found) == 1)
    pool.pod("large", "owner", cpu=3, priority=HIGH)
    eventually(lambda: pool.gated("owner"), {"large"})
    pool.pod("within-min", "owner", cpu=2)
    wait_until_ready(kubectl, pool, "within-min")
    stays(pool.running, {"own", "within-min"})
    assert evicted(pool) == [victim]
    assert len(pool.gated("borrower")) == 1, "its successor waits for room"


@pytest.mark.parametrize("least", [2, 0], ids=["guarantee", "fair-share"])
def test_an_outsider_takes_from_a_borrower_and_not_from_a_department_within_its_min(
    pool: Pool, kubectl: Kubectl, evicted: Evicted, least: int
) -> None:
    """Of the department's 8 cpu, busy has all, twice its share, because idle's pod waits."""
    pool.department("department", min=8, max=8)
    pool.quota("busy", parent="department")
    pool.quota("idle", parent="department")
    pool.quota("borrower")
    pool.quota("outsider", min=least)
    kept = set(pool.pods("busy", 8))
    eventually(lambda: pool.running("busy"), kept)
    lent = set(pool.pods("borrower", 8))
    eventually(lambda: pool.running("borrower"), lent)
    pool.pod("sister", "idle", cpu=8)
    eventually(lambda: condition(pool.get("busy"), "Overused")["status"], "True")
    wait_until_ready(kubectl, pool, *pool.pods("outsider", 2))
    gone = evicted(pool)
    assert len(gone) == 2
    assert set(gone) <= lent
    assert pool.running("busy") == kept


def test_a_lowered_max_holds_where_min_covers_a_part_of_a_large_pod(
    pool: Pool, kubectl: Kubectl, evicted: Evicted
) -> None:
    """The small pod alone would go in vain."""
    pool.quota("team", min=2, max=16)
    pool.pod("large", "team", cpu=3)
    pool.pod("small", "team", cpu=1)
    eventually(lambda: pool.running("team"), {"large", "small"})
    lowered = json.dumps({"spec": {"max": {"cpu": "2"}}})
    name = ("-n", pool.namespace, "elasticquota", pool.name("team"))
    kubectl("patch", *name, "--type=merge", "--patch", lowered)
    eventually(lambda: pool.running("team"), {"small"})
    eventually(lambda: pool.used("team"), "1")
    stays(lambda: pool.running("team"), {"small"})
    assert evicted(pool) == ["large"]


AGENT = {"there-is": "an-agent"}
NEAR_AN_AGENT = {
    "podAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {
                "topologyKey": "pool",
                "namespaces": ["kube-system"],
                "labelSelector": {"matchLabels": AGENT},
            }
        ]
    }
}
"""Quotas ignore affinity between pods, so the scheduler refuses a released pod until the agent is
there."""


@pytest.fixture
def agent(pool: Pool) -> Iterator[Callable[[str, int], None]]:
    """Makes a pod of kube-system that names its node itself, of so many cpus."""
    name = f"agent-{pool.namespace}"

    def make(node: str, cpu: int) -> None:
        pod = pool.pod_manifest(
            name, None, cpu=cpu, namespace="kube-system", labels=AGENT, nodeName=node
        )
        pool.admin.create(pod)

    yield make
    if pool.admin.find("Pod", name, "kube-system"):
        pool.admin.delete("Pod", name, "kube-system", grace=0)


def test_a_node_is_cleared_for_an_admitted_pod_within_min_whose_node_another_pod_took(
    pool: Pool, agent: Callable[[str, int], None], kubectl: Kubectl, evicted: Evicted
) -> None:
    """The borrower is beyond its min of cpu, and far below its min of memory."""
    pool.quota("borrower", min={"cpu": "2", "memory": "16Gi"})
    pool.quota("owner", min={"cpu": "4", "memory": "16Gi"})
    memory = {"memory": "1Gi"}
    pool.pods("borrower", 6, cpu=2, devices=memory)
    eventually(lambda: len(pool.running("borrower")), 6)
    pool.pod("own", "owner", cpu=4, devices=memory, affinity=NEAR_AN_AGENT)
    eventually(
        lambda: condition(pool.get_pod("own"), "PodScheduled")["reason"], "Unschedulable", within=30
    )
    left = [pool.get_pod(pod)["spec"]["nodeName"] for pod in pool.running("borrower")]
    agent(min(pool.nodes(), key=left.count), 3)
    wait_until_ready(kubectl, pool, "own")
    assert len(evicted(pool)) == 2, "no node had room for 4 cpu before, and none had it after"
    eventually(lambda: len(pool.running("borrower")), 4)


PUBLISHED = (("a", 10, 40, 5), ("b", 15, 60, 20), ("c", 20, 50, 40), ("d", 15, 80, 70))
"""Name, min, weight and pods of one cpu of four quotas that share 100 cpu."""


def test_four_groups_run_5_20_35_and_40_of_100_also_when_the_last_of_them_asks_last(
    new_pool: Callable[..., Pool], evicted: Evicted
) -> None:
    """The worked example that Koordinator publishes; c borrows until d asks."""
    pool = new_pool(nodes=2, cpu=50)
    for name, least, weight, _ in PUBLISHED:
        share = json.dumps({"cpu": str(weight)})
        pool.quota(name, min=least, annotations={f"{PREFIX}shared-weight": share})
    for name, _, _, wants in PUBLISHED[:3]:
        pool.deployment(name, name, replicas=wants)
    eventually(lambda: len(pool.running()), 65, within=45)
    name, _, _, wants = PUBLISHED[3]
    pool.deployment(name, name, replicas=wants)

    def used() -> list[int]:
        return [len(pool.running(name)) for name, *_ in PUBLISHED]

    eventually(used, [5, 20, 35, 40], within=60)
    stays(used, [5, 20, 35, 40])
    gone = evicted(pool)
    assert len(gone) == 5
    assert all(pod.startswith("c-") for pod in gone)
    eventually(lambda: condition(pool.get("c"), "Overused")["status"], "False")
