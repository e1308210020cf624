"""What a job reserves is drawn on once, however often one asks."""

from collections.abc import Set as AbstractSet

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.pods.job_reservations import JobReservations
from elasticquota.model.key import Key
from worlds import World


def test_a_job_as_it_counts_has_the_coverage_of_the_job_that_was_seen() -> None:
    world = World()
    world.quota("team-a")
    job = world.job("team-a", "train", 3, admitted=True)
    pods = world.pods("team-a", 2, job="train")
    members = world.ledger.update(Accounting()).members
    draws = JobReservations(world.ledger)
    draws.join(job)
    for pod in pods:
        draws.join(pod)
    found = draws.of_job(job, members)
    assert found.job.request["cpu"] == 1_000
    draws.reset()
    assert draws.of_job(found.job, members) == found
    assert draws.of(pods[0], members) == found


def test_news_of_a_job_is_reported_once_whatever_of_it_came_or_went() -> None:
    world = World()
    world.quota("team-a")
    idle = world.job("team-a", "idle", 3, admitted=True)
    job = world.job("team-a", "train", 3, admitted=True)

    seen = 0

    def news() -> AbstractSet[Key] | None:
        nonlocal seen
        cluster = world.ledger.update(Accounting())
        before, seen = seen, cluster.generation
        return world.ledger.changed_jobs.since(before)

    assert news() is None
    assert news() == set()
    (pod,) = world.pods("team-a", 1, job="train")
    assert news() == {job.key}
    assert news() == set()
    world.ledger.delete_pod(pod.key)
    assert news() == {job.key}
    world.ledger.expect_eviction(job.uid)
    assert news() == {job.key}
    world.pods("team-a", 1)
    assert news() == set()
    for name in ("idle", "train"):
        world.pods("team-a", 1, job=name)
    assert news() == {idle.key, job.key}
