"""The figures and conditions that people see."""

from elasticquota.model.decision import Condition, QuotaStatus
from worlds import ROOT, World


def status(world: World, name: str) -> QuotaStatus:
    return next(status for status in world.decide().statuses if status.key.name == name)


def condition(found: QuotaStatus, kind: str) -> Condition:
    return next(condition for condition in found.conditions if condition.type == kind)


def test_a_leaf_shows_what_it_uses_asks_for_and_may_use() -> None:
    world = World(nodes=5, cpu=8)
    world.quota("team-a", min=10, max=12)
    world.pods("team-a", 8)
    world.pods("team-a", 2, cpu=3, waiting=True)
    found = status(world, "team-a")
    assert (found.used["cpu"], found.request["cpu"], found.runtime["cpu"]) == (
        8_000,
        14_000,
        12_000,
    )
    assert (found.pods_admitted, found.pods_gated) == (8, 2)
    assert found.tree == ROOT


def test_a_parent_shows_its_whole_branch() -> None:
    world = World()
    world.quota("dept", is_parent=True)
    world.quota("team-a", parent="dept")
    world.pods("team-a", 3)
    found = status(world, "dept")
    assert (found.used["cpu"], found.pods_admitted) == (3_000, 3)


def test_every_quota_shows_whether_it_is_accepted() -> None:
    world = World()
    world.quota("team-a", parent="nowhere")
    found = condition(status(world, "team-a"), "Accepted")
    assert (found.status, found.reason) == (False, "ParentNotFound")


def test_over_use_is_said_with_its_amount() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=5)
    world.pods("team-a", 8)
    found = condition(status(world, "team-a"), "Overused")
    assert (found.status, found.message) == (True, "holds 3 cpu beyond its runtime")
