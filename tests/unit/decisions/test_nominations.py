"""After a restart the statuses say for which waiting pods victims were evicted."""

import pytest

from elasticquota.decisions import nominations
from elasticquota.model.decision import Decisions
from elasticquota.model.reclaim_record import ReclaimRecord
from elasticquota.scheduling.inputs.policy import Policy
from worlds import World


POLICY = Policy(grace=0, delay=0)
GRACE = POLICY.accounting.max_grace
NOW = 1_767_225_600_000
"""Epoch milliseconds of 2026-01-01T00:00:00Z; pods of ``World`` are created in the seconds then."""
EVICTED = NOW + 60_000
TAKER = "pod teams/taker-9-0"


def restarted(record: ReclaimRecord, since: int = 10_000) -> World:
    """One cpu is free. The older pod of team-a and that of team-b both want it, and wait.

    ``since`` the eviction of the record, in milliseconds, a new process has read the objects.
    """
    world = World(nodes=1, cpu=2)
    world.quota("team-a")
    world.quota("team-b")
    world.quota("team-c")
    world.pods("team-c")
    world.pods("team-a", waiting=True, prefix="older")
    (taker,) = world.pods("team-b", waiting=True, prefix="taker")
    assert taker.title == TAKER
    world.ledger.set_time(EVICTED + since)
    nominations.restore(world.ledger, [record], POLICY)
    return world


def record(workload: str = TAKER, quota: str = "team-b") -> ReclaimRecord:
    return ReclaimRecord(EVICTED, EVICTED, "team-c", quota, workload, "fair share", 1, {})


def released(decisions: Decisions) -> list[str]:
    return [each.quota for each in decisions.releases]


def test_the_pod_for_which_a_victim_went_starts_before_an_older_one() -> None:
    assert released(restarted(record()).decide(policy=POLICY)) == ["team-b"]


def test_a_small_pod_does_not_start_in_the_only_room_of_a_large_one() -> None:
    """The statuses do not say on which nodes room was made."""
    world = World(nodes=0)
    world.node("node-0", cpu=3)
    world.node("node-1", cpu=2)
    for name in ("small", "large"):
        world.quota(name)
    (small,) = world.pods("small", waiting=True)
    (large,) = world.pods("large", cpu=3, waiting=True)
    records = [record(each.title, each.quota_label) for each in (small, large)]
    world.ledger.set_time(EVICTED + 10_000)
    nominations.restore(world.ledger, records, POLICY)
    assert world.decide(policy=POLICY).clocks.booked == {small.uid: "node-1", large.uid: "node-0"}


@pytest.mark.parametrize(
    ("found", "since"),
    [
        (record("pod teams/another"), 10_000),
        (record(quota="team-a"), 10_000),
        (record(quota="deleted"), 10_000),
        (record()._replace(last=NOW), 10_000),
        (record(), GRACE + 1),
    ],
    ids=[
        "another pod",
        "another quota",
        "a quota that is gone",
        "a pod that was created after the eviction",
        "victims that have ended for certain",
    ],
)
def test_else_the_older_one_starts(found: ReclaimRecord, since: int) -> None:
    assert released(restarted(found, since).decide(policy=POLICY)) == ["team-a"]
