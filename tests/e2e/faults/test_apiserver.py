"""The API server or its etcd goes away and comes back; then everything works again."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import metrics
import settled
from continuity import Work
from installation import CONTROLLER, Installation
from local_cluster import cluster as local
from pod_churn import Crowd
from scenes import Pool
from waiting import eventually


SECONDS = float(os.environ.get("OUTAGE", "8"))
"""Seconds for which it is away; ``OUTAGE=60`` is the long form."""

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.usefixtures("admission"),
    # The official client leaves connections that the killed API server cut to the garbage
    # collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.timeout(240 + 2 * SECONDS),
]

READ_ANEW = {"Expired", "Gone", "Timeout", "NoWatchList", "Garbage"}
"""Reasons after which a watch begins with a full list."""


@pytest.fixture
def work(pool: Pool, product: Installation, cluster: local.Cluster) -> Work:
    product.settle()
    return Work(pool, cluster.audit_log)


def readings(product: Installation) -> Counter[tuple[str, str]]:
    """How often each controller had to list everything of a kind again."""
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
    before = readings(product)
    with crowd.at_work():
        eventually(lambda: crowd.deleted > 20, True, within=60)
        cluster.restart("kube-apiserver")
        began = time.monotonic()
        probe = pool.pod_manifest("probe", "probe")
        eventually(lambda: pool.admin.create(probe), bool, within=30)
        eventually(lambda: pool.running("probe"), {"probe"}, within=30)
        measured["A-05 API server restarted: until a new pod runs"] = time.monotonic() - began
    product.settle()
    assert max((readings(product) - before).values(), default=0) <= 1
    eventually(lambda: settled.faults(pool), [], within=60)
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
        time.sleep(SECONDS)  # the fault is that it is away
    began = time.monotonic()
    product.settle()
    work.goes_on()
    measured["etcd stopped: until all goes on"] = time.monotonic() - began
