"""An upgrade and its rollback replace all processes, and nobody who writes a quota notices."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import audit
import users
from installation import CONTROLLER, WEBHOOK, Installation
from local_cluster import cluster as local
from scenes import Pool
from waiting import eventually


pytestmark = pytest.mark.cluster


@contextmanager
def asking(cluster: local.Cluster, pool: Pool, answers: list[str]) -> Iterator[None]:
    """Somebody creates a quota on trial, again and again; what goes wrong is noted."""
    user = users.admin(cluster.kubeconfig)
    done = threading.Event()
    manifest = pool.quota_manifest("trial", min=1, max=1)

    def ask() -> None:
        while not done.wait(0.05):
            try:
                user.create(manifest, dry_run=True)
            except users.RefusedError as refused:
                answers.append(str(refused))
            else:
                answers.append("")

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        user.close()


def test_a_21_quotas_are_judged_all_through_an_upgrade_and_back(
    pool: Pool, product: Installation, cluster: local.Cluster
) -> None:
    pool.quota("team", min=2, max=2)
    pool.pods("team", 3)
    eventually(lambda: len(pool.running("team")), 2)
    begin = audit.end(cluster.audit_log)
    before = set(product.pods(CONTROLLER)) | set(product.pods(WEBHOOK))
    answers: list[str] = []
    with asking(cluster, pool, answers):
        with product.upgraded({"config": {"logging": {"level": "debug"}}}):
            after = set(product.pods(CONTROLLER)) | set(product.pods(WEBHOOK))
        assert not before & after
    assert not after & (set(product.pods(CONTROLLER)) | set(product.pods(WEBHOOK)))
    assert len(answers) > 20
    assert [answer for answer in answers if answer] == []
    assert audit.writes(cluster.audit_log, "pods/eviction", pool.namespace, since=begin) == []
    assert len(pool.running("team")) == 2
    pool.delete_pods(*pool.running("team"))
    eventually(lambda: (len(pool.running("team")), pool.gated("team")), (1, set()))
