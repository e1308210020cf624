"""The order of a queue by applications: fifo, fair, and with or without priority (Y10)."""

import pytest

from elasticquota import names
from elasticquota.model.decision import Decisions
from elasticquota.model.holder import Holder
from elasticquota.model.limit import Limit, QuotaLimits
from worlds import World, amounts


def queue(order: str = "", *, by_priority: bool = True) -> World:
    world = World(nodes=1, cpu=8)
    world.quota("team", max=8, application_order=order, orders_by_priority=by_priority)
    return world


def ask(world: World, application: str, count: int = 1, priority: int = 0) -> None:
    holder = Holder(application=application)
    world.pods("team", count, waiting=True, prefix=application, priority=priority, holder=holder)


def use(world: World, application: str, count: int, cpu: int = 1) -> None:
    world.pods("team", count, cpu=cpu, prefix=application, holder=Holder(application=application))


def released(decisions: Decisions) -> list[str]:
    return [each.pod.name.partition("-")[0] for each in decisions.releases]


def test_an_older_application_comes_before_older_pods_of_a_younger_one() -> None:
    for order, expected in (("", ["young", "old"]), (names.FIFO, ["old", "young"])):
        world = queue(order)
        use(world, "old", 1)
        ask(world, "young", 5)
        ask(world, "old", 5)
        found = released(world.decide())
        assert len(found) == 7
        assert list(dict.fromkeys(found)) == expected


def test_fair_goes_to_the_application_that_uses_least() -> None:
    world = queue(names.FAIR)
    use(world, "rich", 4)
    ask(world, "rich", 4)
    ask(world, "poor", 8)
    assert released(world.decide()) == ["poor"] * 4


def test_fair_takes_turns_as_soon_as_applications_use_the_same() -> None:
    world = queue(names.FAIR)
    use(world, "first", 2)
    ask(world, "first", 8)
    ask(world, "second", 8)
    assert released(world.decide()) == ["second", "second", "first", "second", "first", "second"]


def test_fair_compares_the_largest_part_of_any_resource() -> None:
    world = queue(names.FAIR)
    use(world, "wide", 1, cpu=3)
    use(world, "many", 2)
    ask(world, "wide", 3)
    ask(world, "many", 3)
    assert released(world.decide())[0] == "many"


@pytest.mark.parametrize("order", [names.FIFO, names.FAIR])
def test_priority_comes_first_unless_the_quota_does_not_order_by_it(order: str) -> None:
    for by_priority, first in ((True, "late"), (False, "early")):
        world = queue(order, by_priority=by_priority)
        ask(world, "early", 8)
        ask(world, "late", 8, priority=5)
        assert released(world.decide())[0] == first


def test_without_priority_pods_are_ordered_by_age_alone() -> None:
    for by_priority, expected in ((True, ["late"] * 8), (False, ["early"] * 8)):
        world = queue(by_priority=by_priority)
        ask(world, "early", 8)
        ask(world, "late", 8, priority=5)
        assert released(world.decide()) == expected


def test_applications_of_one_name_in_two_namespaces_are_two() -> None:
    world = queue(names.FAIR)
    use(world, "same", 3)
    ask(world, "same", 8)
    world.pods(
        "team", 8, waiting=True, prefix="other", namespace="elsewhere",
        holder=Holder(application="same"),
    )  # fmt: skip
    assert released(world.decide())[:3] == ["other"] * 3


def test_the_order_admits_no_more_and_passes_no_limit() -> None:
    for order in ("", names.FIFO, names.FAIR):
        world = World(nodes=1, cpu=8)
        least = QuotaLimits(0, (Limit(("*",), (), amounts(cpu=2)),))
        world.quota("team", max=6, application_order=order, limits=least)
        for user in ("ann", "bob"):
            world.pods("team", 4, waiting=True, prefix=user, holder=Holder(user, (), user))
        assert sorted(released(world.decide())) == ["ann", "ann", "bob", "bob"]
