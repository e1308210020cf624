"""Which nodes a profile has, and its capacity after each event."""

import pytest

from elasticquota import names, pool_keys, resources
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.profile import Profile, Ratio
from elasticquota.model.selector import Requirement, Selector
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota.sharing.profile_nodes import ProfileNodes, of_profiles
from elasticquota.structs import replace


OFFER = resources.parse({"cpu": "10", "memory": "1000", "storage": "1000"})
NODES = [
    Node("node1", "", {"zone": "a"}, OFFER),
    Node("node2", "", {"zone": "a"}, OFFER, ready=False),
    Node("node3", "", {"zone": "b"}, OFFER),
]
GPU = "nvidia.com/gpu"
A100 = pool_keys.key("a100", GPU)
KINDS = Pools((Pool("a100", (("gpu", "a100"),)),))
NODE = Node("n", "", {"gpu": "a100"}, {"cpu": 8000, GPU: 4, names.PODS: 110})


def profile(name: str, zone: str = "", age: int = 0, *, quota: str = "", tree: str = "") -> Profile:
    requirements = (Requirement("zone", "In", (zone,)),) if zone else ()
    return Profile(
        key=Key("", name),
        uid=f"uid-{99 - age}",
        created=f"2026-01-01T00:00:{age:02}Z",
        quota_name=quota or f"{name}-root",
        selector=Selector(requirements),
        tree_id=tree,
    )


def in_pools(node: Node, pools: Pools | None = KINDS) -> TreeCapacity:
    kinds = replace(profile("kinds"), pools=pools)
    return of_profiles([kinds], [node])[kinds.key]


def test_an_empty_selector_selects_every_node() -> None:
    found = of_profiles([profile("all")], NODES)[Key("", "all")]
    assert found.node_names == ("node1", "node2", "node3")


def test_the_older_of_two_profiles_owns_a_node_that_both_match() -> None:
    young, old = profile("young", age=2), profile("old", zone="a", age=1)
    found = of_profiles([young, old], reversed(NODES))
    assert found[old.key].node_names == ("node1", "node2")
    assert found[old.key].overlapping == ()
    assert found[young.key].node_names == ("node3",)
    assert found[young.key].overlapping == ("node1", "node2")
    assert found[young.key].total == OFFER


@pytest.mark.parametrize("same", [{"quota": "root"}, {"tree": "blue"}])
def test_the_younger_of_two_profiles_for_one_tree_has_nothing(same: dict[str, str]) -> None:
    old, young = profile("old", "a", 1, **same), profile("young", "b", 2, **same)
    third = profile("third", "b", 3)
    found = of_profiles([young, third, old], NODES)
    assert found[old.key].older is None
    assert found[young.key] == TreeCapacity(older=old.key)
    assert found[third.key].node_names == ("node3",)


@pytest.mark.parametrize(
    "now",
    [
        None,
        replace(NODES[0], labels={"zone": "b"}),
        replace(NODES[0], labels={"zone": "c"}),
        replace(NODES[0], allocatable={"cpu": 3, "gpu": 0}),
        replace(NODES[0], unschedulable=True),
    ],
    ids=["is gone", "matches another", "matches one", "offers other things", "is cordoned"],
)
def test_a_node_that_changed_counts_as_if_it_had_always_been_so(now: Node | None) -> None:
    profiles = [profile("a", "a", 1), profile("b", "b", 2), profile("all", age=3)]
    nodes = {node.name: node for node in NODES}
    live = ProfileNodes()
    live.follow(profiles, nodes, ())
    nodes.pop("node1")
    if now is not None:
        nodes["node1"] = now
    changed = live.follow(profiles, nodes, ["node1"])
    assert changed == of_profiles(profiles, nodes.values())
    nodes["node1"] = NODES[0]
    assert live.follow(profiles, nodes, ["node1"]) == of_profiles(profiles, NODES)


def test_a_profile_that_changed_counts_all_nodes_again() -> None:
    nodes = {node.name: node for node in NODES}
    live = ProfileNodes()
    live.follow([profile("p", "a")], nodes, ())
    changed = [profile("p", "b"), profile("q", age=1)]
    assert live.follow(changed, nodes, ()) == of_profiles(changed, NODES)


def test_a_node_offers_its_devices_in_its_pool_too() -> None:
    found = in_pools(NODE)
    assert found.pool_nodes["n"].allocatable == {**NODE.allocatable, A100: 4}
    assert found.pool_of == {"n": "a100"}


def test_a_node_of_no_pool_and_a_tree_without_pools_stay_as_they_are() -> None:
    other = replace(NODE, labels={})
    found = in_pools(other)
    assert found.pool_nodes["n"].allocatable == other.allocatable
    assert found.pool_of == {"n": ""}
    assert in_pools(NODE, None).pool_nodes == {}


def test_what_a_node_made_up_is_not_offered() -> None:
    forged = replace(NODE, allocatable={GPU: 1, pool_keys.key("t4", GPU): 99})
    assert in_pools(forged).pool_nodes["n"].allocatable == {GPU: 1, A100: 1}


def test_a_node_that_leaves_its_pool_is_counted_again() -> None:
    kinds, live = replace(profile("kinds"), pools=KINDS), ProfileNodes()
    live.follow([kinds], {"n": NODE}, ())
    moved = {"n": replace(NODE, labels={})}
    assert live.follow([kinds], moved, ["n"]) == of_profiles([kinds], moved.values())


def test_the_ratio_of_a_profile_holds_for_its_pools() -> None:
    kinds = replace(profile("kinds"), pools=KINDS, ratio=Ratio(1, 2))
    found = of_profiles([kinds], [NODE])[kinds.key]
    assert (found.total[GPU], found.total[A100]) == (2, 2)
