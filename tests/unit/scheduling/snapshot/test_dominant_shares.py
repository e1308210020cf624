"""The quota that has used the smallest part of its runtime goes next."""

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from worlds import TREE, World


def snapshot_of(world: World) -> TreeSnapshot:
    cluster = world.ledger.update(Accounting())
    return TreeSnapshot(cluster, cluster.trees[TREE])


def test_the_share_is_that_of_the_resource_of_which_most_is_used() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4, max=4, lent=False)
    world.pods("team-a", 1)
    limit = world.ledger.update(Accounting()).trees[TREE].runtimes.runtime("team-a")
    assert snapshot_of(world).shares.rank("team-a") == (1_000 << 256) // limit["cpu"]


def test_a_quota_that_has_used_more_of_its_runtime_has_the_higher_rank() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4, max=4, lent=False)
    world.quota("team-b", min=4, max=4, lent=False)
    world.pods("team-a", 1)
    world.pods("team-b", 2)
    shares = snapshot_of(world).shares
    assert shares.rank("team-a") < shares.rank("team-b")


def test_an_admission_of_the_cycle_raises_the_share() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=4, max=4, lent=False)
    (pod,) = world.pods("team-a", waiting=True)
    snapshot = snapshot_of(world)
    assert snapshot.shares.rank("team-a") == 0
    snapshot.admit("team-a", pod)
    assert snapshot.shares.rank("team-a") == 1 << 254
