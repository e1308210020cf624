"""Every namespace says by a label which quota its pods belong to."""

import pytest

from elasticquota import names
from elasticquota.model.decision import NamespaceMark
from elasticquota.model.namespace import Namespace
from elasticquota.scheduling.policy import Policy
from worlds import World


KEEPING = Policy(mark_namespaces=True)


@pytest.fixture
def world() -> World:
    """The quota team binds two namespaces."""
    world = World()
    world.quota("team", namespace="team", namespaces=("theirs", "kube-system"))
    return world


def marks(world: World, *namespaces: Namespace) -> list[NamespaceMark]:
    for namespace in namespaces:
        world.ledger.upsert_namespace(namespace)
    return list(world.decide(policy=KEEPING).marks)


def test_bound_namespaces_are_marked_and_no_others(world: World) -> None:
    assert marks(world, Namespace("theirs"), Namespace("team"), Namespace("free")) == [
        NamespaceMark("team", "team"),
        NamespaceMark("theirs", "team"),
    ]


def test_a_namespace_that_says_what_it_should_is_left_alone(world: World) -> None:
    assert marks(world, Namespace("team", quota="team"), Namespace("free")) == []


@pytest.mark.parametrize("forged", ["other", ""])
def test_what_somebody_else_wrote_is_corrected(world: World, forged: str) -> None:
    assert marks(world, Namespace("team", quota=forged), Namespace("free", quota=forged)) == [
        NamespaceMark("free", None),
        NamespaceMark("team", "team"),
    ]


def test_the_system_and_what_is_going_away_are_not_marked(world: World) -> None:
    gone = Namespace("theirs", terminating=True)
    assert marks(world, gone, Namespace("kube-system", quota="team")) == [
        NamespaceMark("kube-system", None)
    ]


def test_a_default_quota_with_a_max_holds_the_namespaces_that_no_quota_binds(world: World) -> None:
    world.quota(names.DEFAULT_QUOTA, max=2)
    assert marks(world, Namespace("free"), Namespace("theirs"), Namespace("kube-system")) == [
        NamespaceMark("free", names.DEFAULT_QUOTA),
        NamespaceMark("theirs", "team"),
    ]


def test_the_default_quota_without_max_holds_nobody_so_it_marks_nothing() -> None:
    world = World()
    world.quota(names.DEFAULT_QUOTA, namespaces=("theirs",))
    assert marks(world, Namespace("theirs")) == []


def test_a_name_that_is_too_long_for_a_label_still_marks() -> None:
    world = World()
    world.quota("x" * 64, namespaces=("theirs",))
    assert marks(world, Namespace("theirs")) == [NamespaceMark("theirs", "")]


def test_no_label_is_kept_where_the_webhook_holds_pods(world: World) -> None:
    world.ledger.upsert_namespace(Namespace("team"))
    assert world.decide().marks == ()


def test_namespaces_of_a_tree_that_only_observes_lose_their_marks(world: World) -> None:
    world.observe()
    assert marks(world, Namespace("theirs", quota="team"), Namespace("team")) == [
        NamespaceMark("theirs", None)
    ]
