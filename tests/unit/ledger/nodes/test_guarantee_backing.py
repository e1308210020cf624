"""Which guarantees a tree cannot back, in each capacity mode."""

from elasticquota import names
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.key import Key
from elasticquota.structs import replace
from worlds import ROOT, World, amounts


GPU = "nvidia.com/gpu"


def said(world: World) -> dict[str, str]:
    return {
        status.key.name: condition.message
        for status in world.decide().statuses
        for condition in status.conditions
        if condition.type == "GuaranteeNotBacked"
    }


def world_of_guarantees(cpu: int) -> World:
    world = World(nodes=2, cpu=8)
    world.quota("dept", min=cpu - 4, is_parent=True)
    world.quota("team-a", min=4, parent="dept")
    world.quota("team-b", min=4)
    world.quota("team-c")
    return world


def test_guarantees_that_the_nodes_offer_are_backed() -> None:
    assert said(world_of_guarantees(16)) == {}


def test_each_quota_with_a_min_of_what_is_missing_says_the_numbers() -> None:
    found = said(world_of_guarantees(20))
    assert found.keys() == {"dept", "team-a", "team-b"}
    assert found["team-a"] == (
        "min 4 cpu, and all quotas below pool-root are guaranteed 20, of 16 that the nodes of "
        "the tree offer. All of these guarantees shrink in proportion"
    )


def test_a_tree_that_grows_backs_what_it_may_become() -> None:
    world = world_of_guarantees(20)
    world.elastic(cpu=20)
    assert said(world) == {}
    world.elastic(cpu=19)
    assert "of 19 that the nodes of the tree may become" in said(world)["dept"]


def test_a_declared_total_backs_what_it_declares() -> None:
    world = world_of_guarantees(20)
    world.capacity(CapacityMode("Declared", total=amounts(cpu=20)))
    assert said(world) == {}
    world.capacity(CapacityMode("Declared", total=amounts(cpu=12)))
    assert "of 12 that the profile declares" in said(world)["dept"]


def test_a_resource_that_no_node_brings_backs_no_guarantee() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min={GPU: 2})
    assert "of 0 that the nodes of the tree offer" in said(world)["team-a"]
    world.elastic(cpu=20)
    assert "of 0 that the nodes of the tree may become" in said(world)["team-a"]
    world.capacity(CapacityMode("Declared", total=amounts(cpu=20)))
    assert said(world) == {}  # what is not declared is not limited


def test_a_total_written_by_hand_limits_only_the_resources_that_it_names() -> None:
    world = World(nodes=2, cpu=8)
    root = replace(world.ledger.quotas[Key("system", ROOT)], profile="", total=amounts(cpu=7))
    world.ledger.delete_profile(Key("system", "pool"))
    world.ledger.upsert_quota(root)
    world.quota("team-a", min={GPU: 2})
    assert said(world) == {}
    world.quota("team-a", min=8)
    assert "of 7 that" in said(world)["team-a"]


def test_the_number_of_jobs_is_not_what_nodes_offer() -> None:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min={names.MAX_JOBS: 2})
    assert said(world) == {}
    world.elastic(cpu=20)
    assert said(world) == {}


def test_a_node_that_comes_backs_them_again() -> None:
    world = world_of_guarantees(20)
    assert said(world)
    world.node("new", cpu=8)
    assert said(world) == {}
