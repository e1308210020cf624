"""What the message of an evicted pod says: who gets the room, for which pod, by what right."""

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.status import eviction_messages
from worlds import GI, TREE, World


WAITING = Pod(Key("team-b", "y"), "uid-y", "2026-01-01", priority=7)
WITHIN_MIN = eviction_messages.within_guarantee("team-b", "team-b")
WITHIN_SHARE = eviction_messages.WITHIN_SHARE
AGAIN = "It starts again when team-a has room"


def tree() -> TreeBooks:
    """Of 40 cpu; team-a holds 20 and may use 12."""
    world = World(nodes=5, cpu=8)
    world.quota("team-a", max=12)
    world.pods("team-a", 20)
    return world.ledger.update(Accounting()).trees[TREE]


def test_a_borrower_sees_what_it_borrowed_and_for_which_pod_it_returns_it() -> None:
    found = eviction_messages.reclaimed_for(
        "team-a", tree(), {"cpu": 8_000}, {"cpu": 20_000}, "team-b", WAITING, WITHIN_MIN
    )
    assert found == (
        "quota team-a uses 20 cpu, 8 more than its current share of 12; quota team-b "
        f"reclaims this room for pod team-b/y (within its guarantee). {AGAIN}"
    )


def test_a_fair_share_is_another_right() -> None:
    found = eviction_messages.reclaimed_for(
        "team-a", tree(), {"memory": GI, "cpu": 8_000}, {"cpu": 20_000}, "b", WAITING, WITHIN_SHARE
    )
    assert "uses 20 cpu, 8 more than its current share of 12, and 0 memory, 1Gi more" in (found)
    assert "(within its current share)" in found


def test_usage_beyond_a_limit_goes_for_no_pod() -> None:
    found = eviction_messages.over_limit("team-a", tree(), {"cpu": 8_000}, {"cpu": 20_000})
    assert "because a limit was lowered or nodes were lost" in found


def test_a_cleared_node_is_named() -> None:
    found = eviction_messages.cleared(
        "team-a", {"cpu": 500}, "node-1", "team-b", WAITING, WITHIN_SHARE
    )
    assert found == (
        "quota team-a uses 0.5 cpu beyond its guarantee; quota team-b reclaims the room "
        f"on node node-1 for pod team-b/y (within its current share). {AGAIN}"
    )


def test_a_victim_of_its_own_quota_says_which_workload_takes_its_place() -> None:
    found = eviction_messages.preempted("team-a", WAITING)
    assert found == (
        "pod team-b/y of the same quota team-a takes its place, because its priority 7 is "
        f"higher. {AGAIN}"
    )
    late = eviction_messages.no_node("team-a", "team-a", WAITING)
    assert late == (
        f"no node takes it, and pod team-b/y of its quota team-a gets its place. {AGAIN}"
    )


def test_an_external_victim_says_which_tree_has_its_node() -> None:
    found = eviction_messages.external_pod(tree(), "node-1", "team-b", WAITING, WITHIN_MIN)
    assert found.startswith(
        "the pod belongs to no quota of tree pool-root, which has node node-1; quota "
        "team-b reclaims the room there for pod team-b/y (within its guarantee). "
    )


def reclaimed(world: World) -> str:
    """What the only evicted pod reads in brackets: the right of the pod that gets its room."""
    (eviction,) = world.decide(policy=Policy(grace=0, delay=0)).evictions
    return eviction.message.partition("(")[2].partition(")")[0]


def test_the_guarantee_is_that_of_the_quota_above_which_has_it() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("research", min=4, is_parent=True)
    world.quota("speech", parent="research")
    world.quota("team-a")
    world.pods("team-a", 8)
    world.pods("speech", waiting=True)
    assert reclaimed(world) == "within the guarantee of quota research"


def test_a_guarantee_of_a_team_counts_in_its_department_as_its_own() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("research", min=4, is_parent=True)
    world.quota("speech", min=2, parent="research")
    world.quota("vision", parent="research")
    world.pods("vision", 8)
    world.pods("speech", waiting=True)
    assert reclaimed(world) == "within its guarantee"


def test_a_pod_that_goes_beyond_its_share_is_not_said_to_be_within_it() -> None:
    """10 cpu as 4.5 to 5.5: 5 of 4.5 is a larger part than 6 of 5.5 will be."""
    world = World(nodes=1, cpu=10)
    world.quota("team-a", weight=45)
    world.quota("team-b", weight=55)
    world.pods("team-a", 5)
    world.pods("team-b", 5)
    world.pods("team-a", waiting=True)
    world.pods("team-b", waiting=True)
    assert reclaimed(world) == (
        "beyond its current share: quota team-b then holds a smaller part of its share than quota "
        "team-a did"
    )
