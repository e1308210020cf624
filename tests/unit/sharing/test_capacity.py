"""What nodes a profile owns and what they offer."""

import dataclasses

import pytest

from elasticquota import resources
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.profile import Profile, Ratio
from elasticquota.model.selector import Requirement, Selector
from elasticquota.sharing import capacity


OFFER = resources.parse({"cpu": "10", "memory": "1000", "storage": "1000"})
NODES = [
    Node("node1", "", {"zone": "a"}, OFFER),
    Node("node2", "", {"zone": "a"}, OFFER, ready=False),
    Node("node3", "", {"zone": "b"}, OFFER),
]


def profile(name: str, zone: str = "", age: int = 0, quota: str = "", tree: str = "") -> Profile:
    requirements = (Requirement("zone", "In", (zone,)),) if zone else ()
    return Profile(
        key=Key("", name),
        uid=f"uid-{99 - age}",
        created=f"2026-01-01T00:00:{age:02}Z",
        quota_name=quota or f"{name}-root",
        selector=Selector(requirements),
        tree_id=tree,
    )


def test_a_preset_tree_id_wins() -> None:
    assert capacity.tree_id_of(profile("profile2")) == "2862971592715028067"
    assert capacity.tree_id_of(profile("profile2", tree="blue")) == "blue"


def test_a_cordoned_node_stays_in_the_total_and_is_listed_apart() -> None:
    node = Node("n", "", {}, {"cpu": 4}, unschedulable=True)
    found = capacity.of_default_tree([node], frozenset())
    assert (found.nodes, found.total, found.unschedulable) == (1, {"cpu": 4}, {"cpu": 4})


def test_a_ratio_is_exact_and_rounds_down() -> None:
    node = Node("n", "", {}, {"cpu": 3 * 10**20 + 1})
    whole = dataclasses.replace(profile("p"), ratio=Ratio(1, 3))
    assert capacity.of_profiles([whole], [node])[whole.key].total == {"cpu": 10**20}


def test_an_empty_selector_selects_every_node() -> None:
    found = capacity.of_profiles([profile("all")], NODES)[Key("", "all")]
    assert found.node_names == ("node1", "node2", "node3")


def test_the_older_of_two_profiles_owns_a_node_that_both_match() -> None:
    young, old = profile("young", age=2), profile("old", zone="a", age=1)
    found = capacity.of_profiles([young, old], reversed(NODES))
    assert found[old.key].node_names == ("node1", "node2")
    assert found[old.key].overlapping == ()
    assert found[young.key].node_names == ("node3",)
    assert found[young.key].overlapping == ("node1", "node2")
    assert found[young.key].total == OFFER


@pytest.mark.parametrize("same", [{"quota": "root"}, {"tree": "blue"}])
def test_the_younger_of_two_profiles_for_one_tree_has_nothing(same: dict[str, str]) -> None:
    old, young = profile("old", "a", 1, **same), profile("young", "b", 2, **same)
    third = profile("third", "b", 3)
    found = capacity.of_profiles([young, third, old], NODES)
    assert found[old.key].older is None
    assert found[young.key] == capacity.Capacity(older=old.key)
    assert found[third.key].node_names == ("node3",)


def test_the_default_tree_has_the_nodes_that_no_profile_owns() -> None:
    found = capacity.of_default_tree(reversed(NODES), {"node1"})
    assert found.node_names == ("node2", "node3")
    assert found.total == resources.add(OFFER, OFFER)
    assert found.unschedulable == OFFER
    assert found.overlapping == ()
