"""An upgrade and its rollback replace all processes without a failed request of users and pods."""

import itertools
import os
import subprocess
import tarfile
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import audit
import settled
import threads
import users
from installation import CONTROLLER, WEBHOOK, Installation
from local_cluster import cluster as local
from local_cluster import product as chart
from scenes import Pool, condition, gates
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long]

OLDER = os.environ.get("OLDER", "")
"""A commit of this repository, such as that of a release, as the other version: the long form.
Otherwise the other one differs in its values only."""

ROOT = chart.CHART.parents[1]
CPUS, PODS = 2, 3
QUOTAS, DEPARTMENTS = 1000, 20
EACH, RUNNING = 4, 2
"""Teams of a department that have pods, and how many pods of 1 cpu of each run."""


class Version(NamedTuple):
    """Another version of the product."""

    chart: Path
    values: Mapping[str, Any]


@pytest.fixture
def other(tmp_path: Path) -> Version:
    if not OLDER:
        return Version(chart.CHART, {"config": {"logging": {"level": "debug"}}})
    archive = tmp_path / "older.tar"
    subprocess.run(["git", "archive", "-o", archive, OLDER], cwd=ROOT, check=True)
    with tarfile.open(archive) as files:
        files.extractall(tmp_path, filter="data")
    places = os.pathsep.join(str(tmp_path / room) for room in ("operator", "webhooks"))
    code = {"extraEnv": [{"name": "PYTHONPATH", "value": places}]}
    return Version(tmp_path / chart.CHART.relative_to(ROOT), {"controller": code, "webhook": code})


class Tenants:
    """One user creates a quota as a dry run and another replaces pods, again and again."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._done = threading.Event()
        self._there = deque(pool.pods("team", PODS))
        self.answers: list[str] = []
        """What went wrong, for each try; empty where nothing did."""

    def at_work(self) -> AbstractContextManager[None]:
        return threads.at_work((self._try_quotas, self._replace_pods), self._done)

    def _try_quotas(self) -> None:
        manifest = self._pool.quota_manifest("trial", min=1, max=1)
        self._again_and_again(0.05, lambda user, _: user.create(manifest, dry_run=True))

    def _replace_pods(self) -> None:
        def replace(user: User, number: int) -> None:
            self._there.append(f"next-{number}")
            user.create(self._pool.pod_manifest(self._there[-1], "team"))
            user.delete("Pod", self._there.popleft(), self._pool.namespace, grace=0)

        self._again_and_again(0.5, replace)

    def _again_and_again(self, pause: float, do: Callable[[User, int], object]) -> None:
        user = users.User(self._pool.admin.configuration)
        for number in itertools.count():
            if self._done.wait(pause):
                break
            try:
                do(user, number)
            except users.RefusedError as refused:
                self.answers.append(str(refused))
            else:
                self.answers.append("")
        user.close()


def test_a_21_quotas_are_judged_and_pods_admitted_during_upgrade_and_rollback(
    pool: Pool, product: Installation, cluster: local.Cluster, other: Version
) -> None:
    pool.quota("team", min=CPUS, max=CPUS)
    tenants = Tenants(pool)
    eventually(lambda: len(pool.running("team")), CPUS)
    begin = audit.end(cluster.audit_log)
    before = replicas(product)
    with tenants.at_work():
        with product.upgraded(other.values, other.chart):
            after = replicas(product)
            assert not before & after
            await_admission_of_new_pods(pool)
        assert not after & replicas(product)
        await_admission_of_new_pods(pool)
    assert len(tenants.answers) > 20
    assert [answer for answer in tenants.answers if answer] == []
    assert audit.writes(cluster.audit_log, "pods/eviction", pool.namespace, since=begin) == []
    eventually(lambda: (len(pool.running()), len(pool.gated())), (CPUS, PODS - CPUS))
    eventually(lambda: settled.faults(pool), [])


@pytest.mark.timeout(1200)
def test_an_upgrade_of_a_thousand_quotas_and_its_rollback_touch_no_pod(
    pool: Pool, product: Installation, cluster: local.Cluster, other: Version
) -> None:
    """No pod is evicted, none that waits is admitted, and every verdict stands."""
    pool.add_node(cpu=DEPARTMENTS * EACH * RUNNING, memory="1Ti", pods=1000)
    for number in range(DEPARTMENTS):
        pool.department(f"dept-{number}", min=EACH * RUNNING, max=EACH * RUNNING)
    teams = [(f"team-{number}", f"dept-{number % DEPARTMENTS}") for number in range(QUOTAS)]
    with ThreadPoolExecutor(16) as many:
        list(many.map(lambda team: pool.quota(team[0], parent=team[1], max=RUNNING), teams))
        used = [name for name, _ in teams[: DEPARTMENTS * EACH]]
        list(many.map(lambda name: pool.pods(name, RUNNING + 1), used))
    running, waiting = len(used) * RUNNING, len(used)
    eventually(lambda: (len(pool.running()), len(pool.gated())), (running, waiting), within=120)
    before = uids(pool)
    begin = audit.end(cluster.audit_log)
    with product.upgraded(other.values, other.chart):
        eventually(lambda: accepted(pool), QUOTAS + DEPARTMENTS + 1, within=60)
        assert uids(pool) == before
    eventually(lambda: accepted(pool), QUOTAS + DEPARTMENTS + 1, within=60)
    assert uids(pool) == before
    assert audit.writes(cluster.audit_log, "pods/eviction", since=begin) == []
    ungated = audit.writes(cluster.audit_log, "pods", pool.namespace, since=begin)
    assert [write for write in ungated if write.verb in ("patch", "update")] == []


def accepted(pool: Pool) -> int:
    """How many of the quotas of this test are accepted, with the root."""
    found = pool.admin.list("ElasticQuota", pool.namespace)
    return sum(condition(each, "Accepted").get("status") == "True" for each in found)


def uids(pool: Pool) -> tuple[frozenset[str], frozenset[str]]:
    """The pods that run and those that wait at the gate, by uid."""
    pods = pool.admin.list("Pod", pool.namespace)
    held = frozenset(pod["metadata"]["uid"] for pod in pods if gates(pod))
    return frozenset(pod["metadata"]["uid"] for pod in pods) - held, held


def replicas(product: Installation) -> set[str]:
    return {*product.pods(CONTROLLER), *product.pods(WEBHOOK)}


def await_admission_of_new_pods(pool: Pool) -> None:
    """Wait until pods created from now on are admitted, once the earlier ones are gone."""
    there = pool.running() | pool.gated()
    eventually(lambda: len(pool.running() - there), CPUS)
