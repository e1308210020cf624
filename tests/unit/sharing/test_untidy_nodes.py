"""What a tree counts of nodes that flap, claim too much, or are wanted by two profiles."""

from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.key import Key
from elasticquota.model.node import Node, Taint
from elasticquota.model.profile import Profile
from elasticquota.model.selector import Requirement, Selector
from elasticquota.sharing import profile_nodes
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota.structs import replace


GPU = "example.com/gpu"
NODES = [
    Node(f"n{index}", "", {"pool": "a"}, {"cpu": 8000, "memory": 1, GPU: 2}) for index in range(2)
]
WANTS_A = Selector((Requirement("pool", "In", ("a",)),))
OLDER = Profile(Key("system", "older"), "o", "2025", "o-root", WANTS_A, tree_id="1")
YOUNGER = Profile(Key("system", "younger"), "y", "2026", "y-root", WANTS_A, tree_id="2")


def capacity(*nodes: Node, mode: CapacityMode | None = None) -> TreeCapacity:
    profile = OLDER if mode is None else replace(OLDER, capacity=mode)
    return profile_nodes.of_profiles([profile], nodes)[OLDER.key]


def test_a_node_that_flaps_stays_in_the_total_and_is_listed_while_it_takes_no_pods() -> None:
    steady = capacity(*NODES)
    for change in (replace(NODES[0], ready=False), replace(NODES[0], unschedulable=True)):
        found = capacity(change, NODES[1])
        assert (found.total, found.unschedulable) == (steady.total, NODES[0].allocatable)
    assert steady.unschedulable == {}


def test_a_taint_that_comes_and_goes_changes_no_total() -> None:
    tainted = replace(NODES[0], taints=(Taint("maintenance", "", "NoSchedule"),))
    assert capacity(tainted, NODES[1]).total == capacity(*NODES).total


def test_a_node_that_claims_a_million_devices_counts_as_it_says_unless_max_bounds_it() -> None:
    claims = replace(NODES[0], allocatable={**NODES[0].allocatable, GPU: 10**6})
    assert capacity(claims, NODES[1]).total[GPU] == 10**6 + 2
    bounded = CapacityMode("Elastic", max={"cpu": 32_000, "memory": 4, GPU: 8})
    assert capacity(claims, NODES[1], mode=bounded).total[GPU] == 8
    declared = CapacityMode("Declared", total={GPU: 4})
    assert capacity(claims, NODES[1], mode=declared).total == {GPU: 4}


def test_of_two_profiles_that_want_the_same_nodes_the_older_has_them_and_the_younger_says_so() -> (
    None
):
    found = profile_nodes.of_profiles([YOUNGER, OLDER], NODES)
    assert (found[OLDER.key].nodes, found[YOUNGER.key].nodes) == (2, 0)
    assert found[YOUNGER.key].overlapping == ("n0", "n1")
    alone = profile_nodes.of_profiles([YOUNGER], NODES)[YOUNGER.key]
    assert (alone.nodes, alone.overlapping) == (2, ())
