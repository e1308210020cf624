"""What jobs reserve is named where it keeps a pod waiting."""

from elasticquota import names
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.status import reserved_by_jobs
from worlds import World


def full() -> World:
    """Of 4 cpu of team-a a job has 4; one of its pods runs, and the next pod waits."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=4)
    world.job("team-a", "train", 4, admitted=True)
    world.pods("team-a", job="train")
    world.pods("team-a", waiting=True)
    return world


def said(world: World) -> str:
    (wait,) = world.decide().waits
    return wait.text


def test_a_pod_that_waits_for_what_a_job_reserves_says_so() -> None:
    assert (
        "all 4 of its current share are in use (guaranteed 0, limit 4); Job teams/train reserves "
        "3 cpu of that for pods that it may still start. "
    ) in said(full())


def test_several_jobs_are_counted_together() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=4)
    for name in ("one", "two"):
        world.job("team-a", name, 2, admitted=True)
    world.pods("team-a", waiting=True)
    text = "Job teams/one, Job teams/two reserve 4 cpu of that for pods that they may still start"
    assert text in said(world)


def test_where_pods_hold_all_of_it_no_job_is_named() -> None:
    world = full()
    world.pods("team-a", 3, job="train")
    assert "reserves" not in said(world)


def test_which_jobs_do_is_news_and_how_much_is_not() -> None:
    world = full()
    (before,) = world.decide().waits
    world.pods("team-a", job="train")
    (after,) = world.decide().waits
    assert before.text != after.text
    assert before.facts == after.facts
    world.pods("team-a", 2, job="train")
    (last,) = world.decide().waits
    assert last.facts != after.facts


def test_nothing_is_said_of_the_number_of_jobs() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.job("team-a", "train", 1, admitted=True)
    cluster = world.ledger.update(Accounting())
    assert names.MAX_JOBS in next(cluster.account("team-a").running_jobs).request
    assert reserved_by_jobs.sentences(cluster, "team-a") == [
        "Job teams/train reserves 1 cpu, 1 pod slot for pods that it may still start"
    ]
