"""A leader that is killed, deleted, paused or cut off costs no pod that should stay."""

import operator
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

import audit
import external_controller
from installation import CONTROLLER, CONTROLLER_USER, NAMESPACE, Installation
from local_cluster import cluster as local
from quota_stream import QuotaStream
from reclaims import TAKEN, WITHIN, Reclaim
from scenes import Pool
from users import User
from waiting import eventually, seconds_until


pytestmark = [
    pytest.mark.cluster,
    pytest.mark.usefixtures("admission"),
    pytest.mark.timeout(240 + 4 * WITHIN),
]

ASLEEP = float(os.environ.get("ASLEEP", "0"))
"""Seconds that a paused leader sleeps at least, and in any case until another has done its work."""


@pytest.fixture
def reclaim(
    new_pool: Callable[..., Pool], product: Installation, cluster: local.Cluster
) -> Reclaim:
    product.settle()
    return Reclaim(new_pool, cluster.audit_log)


def another(product: Installation, than: str) -> str:
    """Wait until another controller leads, and return its name."""
    return eventually(product.leader, lambda name: name not in ("", than), within=30)


def test_a_01_a_leader_killed_in_the_middle_of_a_reclaim_changes_nothing_in_the_end(
    reclaim: Reclaim, product: Installation, measured: dict[str, float]
) -> None:
    with product.with_replicas(CONTROLLER, 3):
        reclaim.begin()
        product.kill(product.leader())
        began = time.monotonic()
        reclaim.ended_well()
        took = time.monotonic() - began
    measured["A-01 leader of three killed: until all that was needed had gone"] = took


def test_a_02_a_leader_that_is_deleted_hands_over_and_no_review_fails(
    reclaim: Reclaim,
    admin: User,
    namespace: str,
    product: Installation,
    cluster: local.Cluster,
    measured: dict[str, float],
) -> None:
    reclaim.begin()
    leader = product.leader()
    with QuotaStream(admin, namespace) as stream:
        since = audit.end(cluster.audit_log)
        began = time.monotonic()
        admin.delete("Pod", leader, NAMESPACE)
        successor = another(product, leader)
        eventually(lambda: audit.by(cluster.audit_log, successor, since=since), bool)
        measured["A-02 leader sent away: until another acts"] = time.monotonic() - began
        reclaim.ended_well()
    assert stream.failures == []
    assert stream.passed > 20
    product.settle()


def test_a_03_a_paused_leader_changes_nothing_after_it_wakes(
    reclaim: Reclaim, product: Installation, cluster: local.Cluster, measured: dict[str, float]
) -> None:
    reclaim.begin()
    leader = product.leader()
    began = time.monotonic()
    with product.restarted(leader), product.paused(leader):
        another(product, leader)
        measured["A-03 leader paused: until another leads"] = time.monotonic() - began
        reclaim.ended_well()
        reclaim.pool.quota("late", min=1, max=1)
        reclaim.pool.pods("late", 2)
        eventually(lambda: reclaim.pool.used("late"), "1", within=30)
        time.sleep(max(0.0, began + ASLEEP - time.monotonic()))  # the fault is that it sleeps
        woke, since = datetime.now(UTC), audit.end(cluster.audit_log)
    late = [each for each in audit.by(cluster.audit_log, leader, since=since) if each.at >= woke]
    # A request that the pause caught between the last check and the socket is refused by its own
    # condition, here the gate that the next leader has removed (422).
    assert [each for each in late if each.code not in (404, 409, 422)] == []
    product.settle()


def test_a_leader_that_is_paused_for_less_than_its_deadline_goes_on_where_it_was(
    reclaim: Reclaim, product: Installation
) -> None:
    """Three times, in the middle of its evictions; the Lease of the tests is renewed for 6 s."""
    reclaim.begin()
    leader = product.leader()
    before = product.pods(CONTROLLER)[leader]["status"]["containerStatuses"][0]["restartCount"]
    for _ in range(3):
        with product.paused(leader):
            time.sleep(1.5)  # the fault is that it sleeps
        wanted = min(len(reclaim.evicted()) + 1, TAKEN)
        eventually(lambda: len(reclaim.evicted()), partial(operator.le, wanted))
    reclaim.ended_well()
    after = product.pods(CONTROLLER)[leader]["status"]["containerStatuses"][0]["restartCount"]
    assert (product.leader(), after) == (leader, before)


def test_a_leader_that_wakes_after_its_deadline_ends_though_no_process_has_taken_the_lease(
    reclaim: Reclaim, product: Installation, cluster: local.Cluster
) -> None:
    """It cannot know that no other has: the Lease lasts 8 s, and its deadline is 6 s."""
    reclaim.begin()
    leader = product.leader()
    process = Path("/proc", str(product.pid(leader)))
    with product.restarted(leader):
        with product.paused(leader):
            time.sleep(6.5)  # the fault is that it sleeps
            woke, since = datetime.now(UTC), audit.end(cluster.audit_log)
        eventually(process.exists, False, within=10)
        late = audit.by(cluster.audit_log, leader, since=since)
    # A request that the pause caught on its way to the socket may still be sent.
    assert [each for each in late if each.at >= woke and each.code not in (404, 409, 422)] == []
    reclaim.ended_well()
    product.settle()


def test_a_04_a_leader_that_is_cut_off_stops_and_another_takes_over(
    reclaim: Reclaim,
    admin: User,
    product: Installation,
    cluster: local.Cluster,
    tmp_path: Path,
    measured: dict[str, float],
) -> None:
    with external_controller.leading(cluster, admin, product, tmp_path) as lonely:
        reclaim.begin()
        since = audit.end(cluster.audit_log)
        lonely.relay.cut = True
        began = time.monotonic()
        took = seconds_until(lambda: lonely.ended, lambda code: code is not None, within=10)
        # The API server sees a moment later what passed the connection just before it was cut.
        cut = datetime.now(UTC)
        measured["A-04 leader cut off: until it ends by itself"] = took
        lonely.relay.cut = False
        reclaim.ended_well()
        measured["A-04 leader cut off: until all that was needed had gone"] = (
            time.monotonic() - began
        )
        written = audit.by(cluster.audit_log, "", user=CONTROLLER_USER, since=since)
        assert [write for write in written if write.at > cut] == []
