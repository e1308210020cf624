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
