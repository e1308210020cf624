"""The API server, or what it stands on, goes away, is slow, or says not now; then all goes on."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import metrics
import rest
import tenants
from crowd import Crowd
from going_on import Work
from installation import CONTROLLER, NAMESPACE, Installation
from local_cluster import cluster as local
from scenes import Pool, refusal
from users import Document, User
from waiting import eventually


SECONDS = float(os.environ.get("OUTAGE", "8"))
"""How long it is away; ``OUTAGE=60`` is the long form."""

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.usefixtures("admission"),
    # Connections that the killed API server cut are left to the garbage by the official client.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.timeout(240 + 2 * SECONDS),
]

READ_ANEW = {"Expired", "Gone", "Timeout", "NoWatchList", "Garbage"}
"""Reasons after which a watch begins with everything there is."""


@pytest.fixture
def work(pool: Pool, product: Installation, cluster: local.Cluster) -> Work:
    product.settle()
    return Work(pool, cluster.audit_log)


def readings(product: Installation) -> Counter[tuple[str, str]]:
    """How often each controller has had to read everything of a kind anew."""
    found: Counter[tuple[str, str]] = Counter()
    for name, pod in product.pods(CONTROLLER).items():
        for labels, value in metrics.of(pod, "elasticquota_watch_restarts_total"):
            if labels["reason"] in READ_ANEW:
                found[name, labels["resource"]] += int(value)
    return found


def test_a_05_the_api_server_restarts_under_load_and_no_change_is_missed(
    work: Work, product: Installation, cluster: local.Cluster, measured: dict[str, float]
) -> None:
    pool = work.pool
    pool.quota("crowd", min=2, max=4)
    pool.quota("probe", min=1, max=1)
    crowd = Crowd(pool, ["crowd"], 20, seed=5)
    with crowd.at_work():
        eventually(lambda: crowd.deleted > 20, True, within=60)
        cluster.restart("kube-apiserver")
        began = time.monotonic()
        probe = pool.pod_manifest("probe", "probe")
        eventually(lambda: pool.admin.create(probe), bool, within=30)
        eventually(lambda: pool.running("probe"), {"probe"}, within=30)
        measured["A-05 API server restarted: until a new pod runs"] = time.monotonic() - began
    product.settle()
    assert max(readings(product).values(), default=0) <= 1
    eventually(lambda: rest.faults(pool), [], within=60)
    assert [gone for gone in work.evicted() if not gone.name.startswith("pod-")] == []


@contextmanager
def stopped_etcd(cluster: local.Cluster) -> Iterator[None]:
    cluster.pause("etcd")
    try:
        yield
    finally:
        cluster.resume("etcd")


def test_etcd_stands_still_and_goes_on(
    work: Work, product: Installation, cluster: local.Cluster, measured: dict[str, float]
) -> None:
    with stopped_etcd(cluster):
        time.sleep(SECONDS)  # that it is away is the fault
    began = time.monotonic()
    product.settle()
    work.goes_on()
    measured["etcd stopped: until all goes on"] = time.monotonic() - began


LIMIT = "tests-throttle"


@contextmanager
def throttled(admin: User) -> Iterator[None]:
    """The API server answers 429 to whatever the operator asks, except for the Lease."""
    api = "flowcontrol.apiserver.k8s.io/v1"
    metadata = {"name": LIMIT}
    limited: Document = {
        "nominalConcurrencyShares": 0,
        "borrowingLimitPercent": 0,
        "limitResponse": {"type": "Reject"},
    }
    rule = {
        "verbs": ["*"],
        "apiGroups": ["", "scheduling.sigs.k8s.io", "quota.koordinator.sh", "events.k8s.io"],
        "resources": ["*"],
        "namespaces": ["*"],
        "clusterScope": True,
    }
    accounts = f"system:serviceaccounts:{NAMESPACE}"
    group: Document = {"kind": "Group", "group": {"name": accounts}}
    admin.create(
        {
            "apiVersion": api,
            "kind": "PriorityLevelConfiguration",
            "metadata": metadata,
            "spec": {"type": "Limited", "limited": limited},
        }
    )
    admin.create(
        {
            "apiVersion": api,
            "kind": "FlowSchema",
            "metadata": metadata,
            "spec": {
                "priorityLevelConfiguration": metadata,
                "matchingPrecedence": 1,
                "rules": [{"subjects": [group], "resourceRules": [rule]}],
            },
        }
    )
    account = f"system:serviceaccount:{NAMESPACE}:default"
    try:
        with tenants.speaking_as(admin, account, accounts) as somebody:
            eventually(lambda: refusal(lambda: somebody.list("Node")).code, 429)
        yield
    finally:
        admin.delete("FlowSchema", LIMIT)
        admin.delete("PriorityLevelConfiguration", LIMIT)


def refused(product: Installation) -> float:
    """How many calls of the leader were answered by 429."""
    pod = product.pods(CONTROLLER)[product.leader()]
    calls = metrics.of(pod, "elasticquota_api_calls_total")
    return sum(value for labels, value in calls if labels["code"] == "429")


def test_a_07_an_api_server_that_says_not_now_is_left_in_peace_until_it_does(
    work: Work, admin: User, product: Installation, measured: dict[str, float]
) -> None:
    leader = product.leader()
    with throttled(admin):
        first = refused(product)
        work.pool.delete_pods(min(work.pool.running("south")))
        began = time.monotonic()
        time.sleep(SECONDS)  # that it says no for so long is the fault
        rate = (refused(product) - first) / (time.monotonic() - began)
        assert len(work.pool.running("south")) == 3
    measured["A-07 API server says 429: calls a second meanwhile"] = rate
    measured["A-07 API server says 429: until all goes on"] = work.goes_on()
    assert product.leader() == leader
    assert rate < 5
