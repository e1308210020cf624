"""What the ledger keeps, and when it stops expecting."""

from dataclasses import replace

from worlds import World


def test_an_expected_release_ends_when_the_pod_is_seen_ungated() -> None:
    world = World()
    (pod,) = world.pods("team-a", waiting=True)
    world.ledger.expect_release(pod.uid)
    world.ledger.upsert_pod(replace(pod, gates=()))
    assert world.ledger.releasing == set()


def test_an_expected_release_outlives_an_old_view_of_the_pod() -> None:
    world = World()
    (pod,) = world.pods("team-a", waiting=True)
    world.ledger.expect_release(pod.uid)
    world.ledger.upsert_pod(replace(pod, priority=1))
    assert world.ledger.releasing == {pod.uid}


def test_an_expected_eviction_ends_when_the_pod_is_seen_terminating() -> None:
    world = World()
    (pod,) = world.pods("team-a")
    world.ledger.expect_eviction(pod.uid)
    world.ledger.upsert_pod(replace(pod, deleting=True))
    assert world.ledger.evicting == set()


def test_nothing_is_expected_of_a_pod_that_is_gone() -> None:
    world = World()
    (waiting,) = world.pods("team-a", waiting=True)
    (running,) = world.pods("team-a")
    world.ledger.expect_release(waiting.uid)
    world.ledger.expect_eviction(running.uid)
    world.ledger.delete_pod(waiting.key)
    world.ledger.delete_pod(running.key)
    assert world.ledger.releasing == world.ledger.evicting == set()


def test_a_pod_that_was_created_anew_under_its_name_is_another_pod() -> None:
    world = World()
    (pod,) = world.pods("team-a", waiting=True)
    world.ledger.expect_release(pod.uid)
    world.ledger.upsert_pod(replace(pod, uid="another"))
    assert world.ledger.releasing == set()
