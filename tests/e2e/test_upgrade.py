"""An upgrade and its rollback replace all processes, and nobody who has quotas and pods notices."""

import itertools
import os
import subprocess
import tarfile
import threading
from collections import deque
from collections.abc import Callable, Mapping
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
from scenes import Pool
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

OLDER = os.environ.get("OLDER", "")
"""A commit of this repository, such as that of a release, that is the other version: the long form.
Otherwise the other one differs in its values only."""

ROOT = chart.CHART.parents[1]
CPUS, PODS = 2, 3


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
    """Somebody tries a quota and somebody replaces pods, again and again."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._done = threading.Event()
        self._there = deque(pool.pods("team", PODS))
        self.answers: list[str] = []
        """What went wrong, each time; empty where nothing did."""

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


def test_a_21_quotas_are_judged_and_pods_let_in_all_through_an_upgrade_and_back(
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
            is_let_in_after_now(pool)
        assert not after & replicas(product)
        is_let_in_after_now(pool)
    assert len(tenants.answers) > 20
    assert [answer for answer in tenants.answers if answer] == []
    assert audit.writes(cluster.audit_log, "pods/eviction", pool.namespace, since=begin) == []
    eventually(lambda: (len(pool.running()), len(pool.gated())), (CPUS, PODS - CPUS))
    eventually(lambda: settled.faults(pool), [])


def replicas(product: Installation) -> set[str]:
    return {*product.pods(CONTROLLER), *product.pods(WEBHOOK)}


def is_let_in_after_now(pool: Pool) -> None:
    """Whoever comes from now on gets in, once those before are gone."""
    there = pool.running() | pool.gated()
    eventually(lambda: len(pool.running() - there), CPUS)
