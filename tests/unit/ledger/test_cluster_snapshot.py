"""A snapshot is read only: to read it, once or often, changes no later answer."""

import pytest

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.ledger import Ledger
from ledger_snapshots import picture
from worlds import World


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
