"""What a tree has left now, and what it will have once all that leaves is gone."""

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.scheduling.snapshot.reasons import Shortage
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from worlds import TREE, World


def test_where_nothing_was_taken_all_of_the_limit_is_left() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=2, lent=False)
    cluster = world.ledger.update(Accounting())
    found = TreeSnapshot(cluster, cluster.trees[TREE]).shortage("team-a", {"cpu": 2_001})
    limit = cluster.trees[TREE].runtimes.runtime("team-a")
    assert limit["cpu"] == 2_000
    assert found == Shortage("own", "team-a", ("cpu",), limit, {"cpu": 2_000})


def test_a_quota_further_up_counts_where_it_lacks_more() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("dept", max=4, is_parent=True)
    world.quota("team-a", max=2, parent="dept")
    world.quota("team-b", max=4, parent="dept")
    world.pods("team-b", 4)
    world.pods("team-a", 1)
    cluster = world.ledger.update(Accounting())
    found = TreeSnapshot(cluster, cluster.trees[TREE]).shortage("team-a", {"cpu": 2_000})
    assert found is not None
    assert (found.quota, found.above) == ("team-a", ("dept", 3_000))
