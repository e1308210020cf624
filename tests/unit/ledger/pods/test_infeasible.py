"""What can never be admitted says why, with its figures."""

from typing import Any

import pytest

from elasticquota.forest.settings import TreeSelection
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.pods.infeasible import Infeasible
from elasticquota.model.constraints import ANYWHERE, Constraints
from elasticquota.model.group import Group
from elasticquota.structs import replace
from worlds import TREE, World


SSD = Constraints((("disk", "ssd"),))


def small() -> World:
    """Two nodes of 8 cpu, the second with the label disk=ssd and 4 cpu."""
    world = World(nodes=2, cpu=8)
    world.quota("dept", max=12, is_parent=True)
    world.quota("team-a", parent="dept")
    node = world.ledger.nodes["node-1"]
    offer = {**node.allocatable, "cpu": 4_000}
    world.ledger.upsert_node(
        replace(node, labels={**node.labels, "disk": "ssd"}, allocatable=offer)
    )
    return world


def found(world: World, quota: str = "team-a") -> list[Infeasible]:
    account = world.ledger.update(Accounting()).account(quota)
    return [infeasible for _, infeasible in account.infeasible_pods]


@pytest.mark.parametrize(
    ("cpu", "constraints", "message", "starts"),
    [
        (9, ANYWHERE, "needs 9 cpu; the largest node of the tree offers 8", ""),
        (5, SSD, "needs 5 cpu; the largest node for it offers 4", ""),
        (
            1,
            Constraints((("disk", "hdd"),)),
            "no node of the tree is for it: 2 lack label disk=hdd",
            "It starts only with another node selector, affinity or toleration, or if a node for "
            "it joins the tree",
        ),
    ],
)
def test_a_pod_that_no_empty_node_takes_says_why(
    cpu: int, constraints: Constraints, message: str, starts: str
) -> None:
    world = small()
    (pod,) = world.pods("team-a", cpu=cpu, waiting=True)
    world.ledger.upsert_pod(replace(pod, constraints=constraints))
    assert found(world) == [Infeasible("NoNodeFits", message, starts)]


def test_a_pod_may_ask_for_all_that_the_largest_node_offers() -> None:
    world = small()
    world.pods("team-a", cpu=8, waiting=True)
    assert found(world) == []


def test_the_first_node_of_a_tree_is_compared_with_what_waited_while_there_was_none() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.pods("team-a", cpu=9, waiting=True)
    world.ledger.delete_node("node-0")
    assert found(world) == [], "it is not known which nodes the tree has"
    world.node("node-0", cpu=8)
    message = "needs 9 cpu; the largest node of the tree offers 8"
    assert found(world) == [Infeasible("NoNodeFits", message)]


def test_a_pod_that_no_single_node_offers_all_resources_of_says_so() -> None:
    world = small()
    node = world.ledger.nodes["node-1"]
    world.ledger.upsert_node(replace(node, allocatable={**node.allocatable, "fpga": 1}))
    (pod,) = world.pods("team-a", cpu=8, waiting=True)
    world.ledger.upsert_pod(replace(pod, request={**pod.request, "fpga": 1}))
    message = "no single node of the tree offers all that it needs"
    assert found(world) == [Infeasible("NoNodeFits", message)]


def test_a_pod_beyond_the_max_of_a_quota_above_names_that_quota() -> None:
    world = small()
    world.pods("team-a", cpu=13, waiting=True)
    assert found(world) == [Infeasible("ExceedsMax", "needs 13 cpu; the limit of quota dept is 12")]


def test_a_gang_beyond_a_max_says_that_it_asks_as_a_whole() -> None:
    world = small()
    world.pods("team-a", 4, cpu=4, waiting=True, group=Group("train", 4))
    message = "group train of 4 pods needs 16 cpu; the limit of quota dept is 12"
    assert found(world) == [Infeasible("ExceedsMax", message)] * 4


@pytest.mark.parametrize(
    ("pods", "cpu", "max_cpu", "reason", "message"),
    [
        (4, 4, 12, "ExceedsMax", "Job teams/train needs 16 cpu; the limit of quota dept is 12"),
        (1, 9, 99, "NoNodeFits", "needs 9 cpu; the largest node of the tree offers 8"),
        (
            4,
            4,
            99,
            "NoNodeFits",
            "Job teams/train needs 16 cpu; all nodes of the tree together offer 12",
        ),
    ],
)
def test_a_job_is_infeasible_as_a_whole_or_for_one_of_its_pods(
    pods: int, cpu: int, max_cpu: int, reason: Any, message: str
) -> None:
    world = small()
    world.quota("dept", max=max_cpu, is_parent=True)
    world.job("team-a", "train", pods, cpu)
    assert found(world) == [Infeasible(reason, message)]


def test_a_job_that_asks_for_all_that_the_nodes_offer_together_is_feasible() -> None:
    world = small()
    world.job("team-a", "train", 3, 4)
    assert found(world) == []


def test_a_job_of_a_quota_in_no_tree_is_not_measured_by_nodes() -> None:
    world = small()
    world.quota("lost", parent="nowhere")
    world.job("lost", "train", 99, 99)
    assert found(world, "lost") == []


def test_what_keeps_a_pod_out_is_decided_tree_by_tree() -> None:
    world = small()
    world.quota("shop", namespaces=("shop",))
    world.pods("shop", waiting=True, namespace="wild")
    (why,) = found(world, "shop")
    assert (why.reason, why.message[-8:]) == ("QuotaNotAccepted", "[PD1307]")
    not_here = Accounting(
        external_refused=TreeSelection(usually=True, other_trees=frozenset({TREE}))
    )
    assert world.ledger.update(not_here).account("shop").infeasible_pods == []
    only_here = Accounting(
        external_refused=TreeSelection(usually=False, other_trees=frozenset({TREE}))
    )
    assert len(world.ledger.update(only_here).account("shop").infeasible_pods) == 1


def test_nothing_new_enters_a_tree_whose_profile_is_gone_until_it_is_back() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    held = world.pods("team-a", cpu=2)
    world.pods("team-a", cpu=2, waiting=True)
    (profile,) = world.ledger.profiles.values()
    assert found(world) == []
    world.ledger.delete_profile(profile.key)
    gone = f"profile {profile.key} is gone, so no nodes are known as those of its tree"
    assert found(world) == [Infeasible("ProfileMissing", gone)]
    assert len(world.ledger.update(Accounting()).account("team-a").running) == len(held)
    world.ledger.upsert_profile(profile)
    assert found(world) == []


def test_a_tree_whose_profile_has_a_selector_that_cannot_be_read_is_not_closed() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    world.pods("team-a", cpu=2, waiting=True)
    (profile,) = world.ledger.profiles.values()
    world.ledger.upsert_profile(replace(profile, selects_unknown=True))
    assert found(world) == []


def test_a_tree_without_nodes_is_closed_too_when_its_profile_goes() -> None:
    world = World(nodes=0)
    world.quota("team-a")
    world.pods("team-a", cpu=2, waiting=True)
    (profile,) = world.ledger.profiles.values()
    assert found(world) == []
    world.ledger.delete_profile(profile.key)
    assert [each.reason for each in found(world)] == ["ProfileMissing"]
