"""A snapshot is a value: no event changes it, and to read it changes no later answer.

``tests/properties/test_snapshots_are_values.py`` has the law.
"""

import pytest

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.ledger import Ledger
from ledger_snapshots import picture
from worlds import TREE, World


def full() -> World:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=2)
    world.quota("team-b", min=2)
    world.pods("team-a", 6)
    world.pods("team-b", 3, waiting=True)
    return world


def test_a_ledger_has_no_snapshot_before_its_first_update() -> None:
    with pytest.raises(LookupError, match="before its first update"):
        _ = Ledger().snapshot


def test_an_event_does_not_change_the_figures_before_the_next_update() -> None:
    world = full()
    cluster = world.ledger.update(Accounting())
    world.pods("team-a")
    assert world.ledger.snapshot is cluster
    assert cluster.account("team-a").admitted["cpu"] == 6_000
    assert world.ledger.update(Accounting()).account("team-a").admitted["cpu"] == 7_000


def test_every_reader_hears_of_a_change_however_many_have_read_before() -> None:
    world = full()
    before = world.ledger.update(Accounting())
    world.pods("team-b", waiting=True)
    cluster = world.ledger.update(Accounting())
    first = world.ledger.changed_quotas.since(before.generation)
    assert first is not None
    assert "team-b" in first
    assert world.ledger.changed_quotas.since(before.generation) == first
    assert world.ledger.changed_quotas.since(cluster.generation) == set()


def test_another_accounting_changes_everything() -> None:
    world = full()
    before = world.ledger.update(Accounting())
    cluster = world.ledger.update(Accounting(default_quota=False))
    assert cluster.generation > before.generation
    assert world.ledger.changed_quotas.since(before.generation) is None
    assert world.ledger.changed_jobs.since(before.generation) is None


def test_reads_between_events_leave_the_ledger_as_without_them() -> None:
    read, silent = full(), full()
    for world in (read, silent):
        world.decide()
    for _ in range(3):
        read.ledger.update(Accounting())
        read.ledger.changed_quotas.since(0)
        picture(read.ledger)
    for world in (read, silent):
        world.pods("team-a", 2)
    assert read.decide() == silent.decide()


def test_a_snapshot_stays_as_it_was_after_the_next_update() -> None:
    world = full()
    (pod, *_) = world.pods("team-a", 1)
    before = world.ledger.update(Accounting())
    world.ledger.withhold(pod.uid)
    assert not before.withheld
    world.pods("team-a", 2)
    after = world.ledger.update(Accounting())
    assert after.withheld == {pod.uid}
    assert not before.withheld
    assert [each.account("team-a").admitted["cpu"] for each in (before, after)] == [7_000, 9_000]
    of_trees = [each.trees[TREE].admitted["team-a"]["cpu"] for each in (before, after)]
    assert of_trees == [7_000, 9_000]


def test_what_no_event_touches_is_shared_with_the_snapshot_before() -> None:
    world = full()
    before = world.ledger.update(Accounting())
    world.pods("team-b", waiting=True)
    after = world.ledger.update(Accounting())
    assert after.account("team-a") is before.account("team-a")
    assert after.trees[TREE].used is before.trees[TREE].used
    assert after.account("team-b") is not before.account("team-b")


def test_the_index_of_an_older_snapshot_refuses_to_tell_of_a_later_moment() -> None:
    world = full()
    (pod, *_) = world.pods("team-b", 1, waiting=True)
    before = world.ledger.update(Accounting())
    assert before.index.counted(pod.key) == pod
    after = world.ledger.update(Accounting())
    assert after.index.counted(pod.key) == pod
    for ask in (
        lambda: before.index.counted(pod.key),
        lambda: before.index.where("team-b", pod),
        lambda: before.index.fit,
    ):
        with pytest.raises(LookupError, match="has made a newer snapshot"):
            ask()
