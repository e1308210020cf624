"""The store of the API server is set back to an earlier state under controllers that know a later
one.

As after a restore from a backup, the API server and its own controllers are restarted first, the
operator some time later. A watch from a version that the store does not have yet shows nothing
until the store reaches it. This test has its own cluster, because every other watcher would be
stuck.
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
from installation import CONTROLLER, NAMESPACE, WEBHOOK, Installation
from local_cluster import cluster as local
from scenes import Pool
from users import User
from waiting import eventually


EARLIER = float(os.environ.get("EARLIER", "0"))
"""Seconds of work at least that are lost; ``EARLIER=600`` is the long form."""

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.usefixtures("admission"),
    # The official client leaves connections that the killed API server cut to the garbage
    # collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.timeout(400 + 3 * EARLIER),
]

MORE = 50
"""Writes beyond the last version that was seen in the lost time."""

ITS_OWN = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


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


def test_a_24_a_store_that_is_set_back_costs_no_pod(
    pool: Pool,
    product: Installation,
    cluster: local.Cluster,
    tmp_path: Path,
    measured: dict[str, float],
) -> None:
    work = Work(pool, cluster.audit_log)
    eventually(lambda: settled.faults(pool), [], within=30)
    backup = tmp_path / "backup"
    files = cluster.folder / "etcd"
    cluster.pause("etcd")
    shutil.copytree(files, backup)
    cluster.resume("etcd")
    before = {team: pool.running(team) for team in TEAMS}
    until = time.monotonic() + EARLIER
    for turn in itertools.count():
        for team in TEAMS:
            pool.delete_pods(*sorted(pool.running(team))[:2])
            pool.pods(team, 2, prefix=f"new-{team}-{turn}")
        eventually(lambda: [len(pool.running(team)) for team in TEAMS], [EACH, EACH])
        if time.monotonic() >= until:
            break
    later = mark(pool.admin)
    cluster.pause("etcd")
    files.rename(tmp_path / "later")
    shutil.copytree(backup, files)
    cluster.restart("etcd")
    began = time.monotonic()
    for component in ITS_OWN:
        cluster.restart(component)
    eventually(lambda: {team: pool.running(team) for team in TEAMS}, before, within=60)
    product.settle()
    # The controller knows a later state than the store has, and has had cycles to act on it.
    eventually(lambda: time.monotonic() - began > 8, True)
    assert work.evicted() == []
    # Watches from versions of the lost time show events again once the store reaches them.
    while mark(pool.admin) <= later + MORE:
        pass
    for deployment in (CONTROLLER, WEBHOOK):
        for pod in product.pods(deployment):
            pool.admin.delete("Pod", pod, NAMESPACE)
    product.settle()
    work.goes_on()
    measured["A-24 store set back: until all goes on"] = time.monotonic() - began
