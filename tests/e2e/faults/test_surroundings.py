"""A leader with a slow connection, a wrong clock or no space for its log still does its work."""

import time
from pathlib import Path

import pytest

import external_controller
from continuity import Work
from installation import Installation
from local_cluster import cluster as local
from scenes import Pool
from users import User
from waiting import eventually


pytestmark = [
    pytest.mark.cluster,
    pytest.mark.usefixtures("admission"),
    pytest.mark.timeout(300),
]

HOUR = 3600.0
NO_ROOM = Path("/dev/full")
"""Every write to it fails as on a full disk."""


def test_a_15_a_leader_whose_calls_take_two_seconds_keeps_the_lease_and_works(
    pool: Pool,
    admin: User,
    product: Installation,
    cluster: local.Cluster,
    tmp_path: Path,
    measured: dict[str, float],
) -> None:
    work = Work(pool, cluster.audit_log)
    usual = {"lease": {"durationSeconds": 15, "renewSeconds": 10, "retrySeconds": 2}}
    with external_controller.leading(cluster, admin, product, tmp_path, settings=usual) as far:
        far.relay.delay = 2.0
        began = time.monotonic()
        took = work.goes_on(within=60)
        measured["A-15 calls take 2 s: until room that came free is given away"] = took
        eventually(lambda: time.monotonic() - began > 12, True)
        assert far.leads


@pytest.mark.parametrize("clock", [-HOUR, HOUR], ids=["an hour late", "an hour early"])
def test_a_leader_with_a_wrong_clock_and_no_room_for_its_log_takes_nobodys_pod(
    pool: Pool,
    admin: User,
    product: Installation,
    cluster: local.Cluster,
    tmp_path: Path,
    measured: dict[str, float],
    clock: float,
) -> None:
    work = Work(pool, cluster.audit_log)
    with external_controller.leading(
        cluster, admin, product, tmp_path, clock=clock, stderr=NO_ROOM
    ) as confused:
        took = work.goes_on()
        measured[f"clock {clock:+.0f} s, disk full for logs: until room is given away"] = took
        assert confused.leads
    assert work.evicted() == []
