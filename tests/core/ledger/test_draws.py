"""What a job reserves is drawn on once, however often and by whichever value one asks."""

from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.draws import Draws
from worlds import World


def test_a_stand_in_as_it_counts_tells_of_the_same_job_as_the_one_that_was_seen() -> None:
    world = World()
    world.quota("team-a")
    job = world.job("team-a", "train", 3, let_in=True)
    pods = world.pods("team-a", 2, job="train")
    members = world.ledger.balance(Accounting()).members
    draws = Draws(world.ledger)
    for pod in (job, *pods):
        draws.join(pod)
    found = draws.of(job, members)
    assert found is not None
    assert found.stand_in.request["cpu"] == 1_000
    draws.judge_anew()
    assert draws.of(found.stand_in, members) == found
