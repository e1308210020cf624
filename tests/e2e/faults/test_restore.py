"""The store of the API server is set back to an earlier state under controllers that know a later
one.

As after a restore from a backup, the API server and its own controllers are restarted; no user
restarts the operator. A watch from a version that the store does not have yet shows nothing until
the store reaches it. This test has its own cluster, because every other watcher would be stuck.
"""

import itertools
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import installation
import settled
import users
from continuity import EACH, TEAMS, Work
from installation import CONTROLLER, Installation
from local_cluster import cluster as local
from scenes import Pool
from users import User
from waiting import eventually


EARLIER = float(os.environ.get("EARLIER", "0"))
"""Seconds of work at least that are lost; ``EARLIER=600`` is the long form."""

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.usefixtures("admission"),
    # The official client leaves connections that the killed API server cut to the garbage
    # collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.timeout(600 + 3 * EARLIER),
]

AHEAD = 6_000
"""Writes that are lost at least: more than the cluster writes until the operator has noticed."""
NOTICED = 150.0
"""Seconds: a list every minute, a watch that is silent for 70 s, and two restarts."""

ITS_OWN = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local.Cluster]:
    with local.start(tmp_path_factory.mktemp("restored") / "local", say=print) as running:
        yield running


@pytest.fixture(scope="module")
def admin(cluster: local.Cluster) -> Iterator[User]:
    user = users.admin(cluster.kubeconfig)
    yield user
    user.close()


@pytest.fixture(scope="module")
def product(cluster: local.Cluster, admin: User) -> Installation:
    return installation.first(cluster, admin)


@pytest.fixture(scope="module")
def admission(product: Installation) -> None:
    """The webhook holds new pods."""


def mark(admin: User) -> int:
    """Write something and return the resourceVersion of the write."""
    meta = {"name": "note", "namespace": "default"}
    note = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}
    written = admin.apply({**note, "data": {"at": str(time.monotonic_ns())}}, manager="tests")
    return int(written["metadata"]["resourceVersion"])


def restarts(product: Installation) -> dict[str, int]:
    """How often each controller was restarted."""
    return {
        name: pod["status"]["containerStatuses"][0]["restartCount"]
        for name, pod in product.pods(CONTROLLER).items()
    }


def test_a_24_a_store_that_is_set_back_costs_no_pod_and_is_read_again(
    pool: Pool,
    product: Installation,
    cluster: local.Cluster,
    tmp_path: Path,
    measured: dict[str, float],
) -> None:
    work = Work(pool, cluster.audit_log)
    pool.quota("edited", max=1)
    pool.quota("deleted", max=1)
    eventually(lambda: settled.faults(pool), [], within=30)
    backup = tmp_path / "backup"
    files = cluster.folder / "etcd"
    cluster.pause("etcd")
    shutil.copytree(files, backup)
    cluster.resume("etcd")
    before = {team: pool.running(team) for team in TEAMS}
    larger = {"spec": {"max": {"cpu": "8"}}}
    pool.admin.patch("ElasticQuota", pool.name("edited"), pool.namespace, change=larger)
    pool.admin.delete("ElasticQuota", pool.name("deleted"), pool.namespace)
    lost = [*pool.pods("edited", 2, prefix="lost"), *pool.pods("deleted", 1, prefix="orphan")]
    until = time.monotonic() + EARLIER
    for turn in itertools.count():
        for team in TEAMS:
            pool.delete_pods(*sorted(pool.running(team))[:2])
            pool.pods(team, 2, prefix=f"new-{team}-{turn}")
        eventually(lambda: [len(pool.running(team)) for team in TEAMS], [EACH, EACH])
        if time.monotonic() >= until:
            break
    eventually(lambda: len(pool.running("edited")), 2)
    eventually(lambda: warning(pool, "deleted"), lambda said: "PD1306" in said)
    for _ in range(AHEAD):
        mark(pool.admin)
    known, counted = mark(pool.admin), restarts(product)
    cluster.pause("etcd")
    files.rename(tmp_path / "later")
    shutil.copytree(backup, files)
    cluster.restart("etcd")
    began = time.monotonic()
    for component in ITS_OWN:
        cluster.restart(component)
    eventually(lambda: {team: pool.running(team) for team in TEAMS}, before, within=60)
    assert not pool.running() & set(lost)
    eventually(
        lambda: min(count - counted[name] for name, count in restarts(product).items()),
        lambda fewest: fewest > 0,
        within=NOTICED,
    )
    product.settle()
    # The quotas are those of the backup: one has its former max, and one is there again.
    pool.pods("edited", 2, prefix="again")
    pool.pods("deleted", 1, prefix="there")
    eventually(lambda: (len(pool.running("edited")), len(pool.running("deleted"))), (1, 1))
    eventually(lambda: len(pool.gated("edited")), 1)
    eventually(lambda: warning(pool, "deleted"), lambda said: "PD1306" not in said, within=NOTICED)
    pool.delete_pods("again-0", "again-1", "there-0")
    work.goes_on()
    measured["A-24 store set back: until all goes on"] = time.monotonic() - began
    assert mark(pool.admin) < known, "all this went on before the store had counted as far again"


def warning(pool: Pool, quota: str) -> str:
    """What the webhook says to a pod of that quota."""
    pool.admin.create(pool.pod_manifest("trial", quota), dry_run=True)
    return pool.admin.warned
