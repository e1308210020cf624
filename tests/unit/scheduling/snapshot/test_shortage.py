"""What a tree has left now, and what it will have once all that leaves is gone."""

from elasticquota.ledger.accounting import Accounting
from elasticquota.scheduling.preemption.cooldown import Cooldowns
from elasticquota.scheduling.snapshot.shortage import Shortage
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from worlds import TREE, World


def test_where_nothing_was_taken_all_of_the_limit_is_left() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=2, lent=False)
    cluster = world.ledger.update(Accounting())
    found = TreeSnapshot(cluster, cluster.trees[TREE]).shortages.of("team-a", {"cpu": 2_001})
    limit = cluster.trees[TREE].runtimes.runtime("team-a")
    assert limit["cpu"] == 2_000
    assert found == Shortage("own", "team-a", ("cpu",), limit, {"cpu": 2_000})


def test_room_that_is_kept_for_an_owner_is_not_taken_from_what_is_leaving() -> None:
    """Of 8 cpu 4 are kept for team-b and 4 are held, 2 of them by pods that leave."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=4)
    world.pods("team-a", 2)
    world.pods("team-a", 2, deleting=True)
    (pod,) = world.pods("team-a", cpu=2, waiting=True)
    (large,) = world.pods("team-a", cpu=3, waiting=True)
    cluster = world.ledger.update(Accounting())
    cooldowns = Cooldowns(cluster, {"team-b": {"cpu": 4_000}})
    snapshot = TreeSnapshot(cluster, cluster.trees[TREE], cooldowns)
    now = snapshot.shortages.of("team-a", pod.request)
    assert now is not None
    assert (now.where, now.left) == ("cooldown", {"cpu": 0})
    assert snapshot.will_have_room("team-a", pod)
    assert not snapshot.will_have_room("team-a", large)
