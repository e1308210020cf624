"""What the nodes of a tree offer together."""

import pytest

from elasticquota import resources
from elasticquota.model.capacity_mode import NODES, CapacityMode
from elasticquota.model.node import Node
from elasticquota.model.profile import WHOLE, Ratio
from elasticquota.sharing import node_sums
from elasticquota.sharing.node_sums import NodeSums


OFFER = resources.parse({"cpu": "10", "memory": "1000", "storage": "1000"})


def test_a_cordoned_node_stays_in_the_total_and_is_listed_apart() -> None:
    node = Node("n", "", {}, {"cpu": 4}, unschedulable=True)
    found = node_sums.of_default_tree([node], frozenset())
    assert (found.nodes, found.total, found.unschedulable) == (1, {"cpu": 4}, {"cpu": 4})


def test_the_default_tree_has_the_nodes_that_no_profile_owns() -> None:
    nodes = [Node(name, "", {}, OFFER, ready=name != "b") for name in ("c", "b", "a")]
    found = node_sums.of_default_tree(nodes, {"a"})
    assert found.node_names == ("b", "c")
    assert found.total == resources.add(OFFER, OFFER)
    assert found.unschedulable == OFFER
    assert found.overlapping == ()


def test_a_ratio_is_exact_and_rounds_down() -> None:
    sums = NodeSums([Node("n", "", {}, {"cpu": 3 * 10**20 + 1})])
    assert sums.capacity(Ratio(1, 3), NODES).total == {"cpu": 10**20}


def test_a_resource_of_which_a_node_offers_0_stays_in_the_total_while_it_is_named() -> None:
    """A total that does not name a resource does not limit it."""
    sums = NodeSums([Node("a", "", {}, {"gpu": 0}), Node("b", "", {}, {"gpu": 2})])
    sums.drop("b")
    assert sums.capacity(WHOLE, NODES).total == {"gpu": 0}
    sums.drop("a")
    assert sums.capacity(WHOLE, NODES).total == {}


@pytest.mark.parametrize(("present", "left"), [(7, 1), (8, 0), (9, 0)])
def test_nothing_is_left_of_an_elastic_tree_whose_nodes_offer_its_max(
    present: int, left: int
) -> None:
    sums = NodeSums([Node("n", "", {}, {"cpu": present})])
    found = sums.capacity(WHOLE, CapacityMode("Elastic", max={"cpu": 8})).to_come
    assert found is not None
    assert found.left == {"cpu": left}


def test_a_node_that_joins_is_present_and_still_to_come() -> None:
    joining = Node("b", "", {}, {"cpu": 4}, ready=False, joining=True)
    sums = NodeSums([Node("a", "", {}, {"cpu": 4}), joining])
    found = sums.capacity(WHOLE, CapacityMode("Elastic", max={"cpu": 8}))
    assert found.present == {"cpu": 8}
    assert found.to_come is not None
    assert found.to_come.left == {"cpu": 4}
    sums.drop("b")
    sums.put(Node("b", "", {}, {"cpu": 4}))
    ready = sums.capacity(WHOLE, CapacityMode("Elastic", max={"cpu": 8})).to_come
    assert ready is not None
    assert ready.left == {"cpu": 0}


def test_a_node_that_is_not_there_cannot_be_dropped() -> None:
    with pytest.raises(KeyError):
        NodeSums().drop("a")
