"""Both webhook replicas are replaced, one after the other, and no review is lost meanwhile.

A lost review of a quota is a refusal; a lost review of a pod is a pod without a gate, because pods
fail open.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

import users
from installation import NAMESPACE, WEBHOOK, Installation, Kubectl
from local_cluster import cluster as local
from scenes import GATE, Pool, gates
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

EDITORS, CREATORS = 4, 12
PAUSES = (0.0, 0.02, 0.3)
"""Seconds between two writes, by turns: connections are busy, idle, and used again."""

Write = Callable[[User, int], str]
"""Returns what went wrong, or an empty text."""


@contextmanager
def crowd(cluster: local.Cluster, writes: list[Write]) -> Iterator[Counter[str]]:
    """Run all writes again and again, in one thread each; yields how often each result occurred."""
    found: Counter[str] = Counter()
    done = threading.Event()

    def go_on(number: int, write: Write) -> None:
        user = users.admin(cluster.kubeconfig)
        turn = 0
        while not done.is_set():
            turn += 1
            try:
                said = write(user, turn)
            except users.RefusedError as refused:
                said = str(refused)
            found[said] += 1
            time.sleep(PAUSES[(turn // 20 + number) % len(PAUSES)])
        user.close()

    threads = [
        threading.Thread(target=go_on, args=(number, write)) for number, write in enumerate(writes)
    ]
    for thread in threads:
        thread.start()
    try:
        yield found
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_no_review_is_lost_while_both_replicas_are_replaced(
    pool: Pool, product: Installation, cluster: local.Cluster, kubectl: Kubectl
) -> None:
    for number in range(EDITORS):
        pool.quota(f"team-{number}", min=1, max=8)
    pod = pool.pod_manifest("trial", "team-0")

    def edit(number: int) -> Write:
        def write(user: User, turn: int) -> str:
            change = {"spec": {"max": {"cpu": str(8 + turn % 2)}}}
            user.patch("ElasticQuota", pool.name(f"team-{number}"), pool.namespace, change=change)
            return ""

        return write

    def create(user: User, _: int) -> str:
        made = user.create(pod, dry_run=True)
        return "" if GATE in gates(made) else "a pod without a gate"

    def gone() -> bool:
        names = {found["metadata"]["name"] for found in pool.admin.list("Pod", NAMESPACE)}
        return not names & before

    before = set(product.pods(WEBHOOK))
    assert len(before) == 2
    with crowd(cluster, [*map(edit, range(EDITORS)), *[create] * CREATORS]) as found:
        eventually(lambda: found[""] > 100, True, within=60)
        kubectl("rollout", "restart", f"deployment/{WEBHOOK}", "-n", NAMESPACE)
        eventually(gone, True, within=90)
    product.settle()
    assert set(found) == {""}, found
