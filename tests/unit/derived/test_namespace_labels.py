"""Every namespace says by a label which quota its pods belong to."""

import pytest

from elasticquota import names
from elasticquota.model.decision import NamespaceLabel
from elasticquota.model.namespace import Namespace
from elasticquota.scheduling.inputs.policy import Policy
from worlds import World


KEEPING = Policy(label_namespaces=True)


@pytest.fixture
def world() -> World:
    """The quota team binds two namespaces."""
    world = World()
    world.quota("team", namespace="team", namespaces=("theirs", "kube-system"))
    return world


def namespace_labels(world: World, *namespaces: Namespace) -> list[NamespaceLabel]:
    for namespace in namespaces:
        world.ledger.upsert_namespace(namespace)
    return list(world.decide(policy=KEEPING).namespace_labels)


def test_bound_namespaces_are_marked_and_no_others(world: World) -> None:
    assert namespace_labels(world, Namespace("theirs"), Namespace("team"), Namespace("free")) == [
        NamespaceLabel("team", "team"),
        NamespaceLabel("theirs", "team"),
    ]


def test_a_namespace_that_says_what_it_should_is_left_alone(world: World) -> None:
    assert namespace_labels(world, Namespace("team", quota="team"), Namespace("free")) == []


@pytest.mark.parametrize("forged", ["other", ""])
def test_what_others_wrote_is_corrected(world: World, forged: str) -> None:
    assert namespace_labels(
        world, Namespace("team", quota=forged), Namespace("free", quota=forged)
    ) == [
        NamespaceLabel("free", None),
        NamespaceLabel("team", "team"),
    ]


def test_the_system_and_what_is_going_away_are_not_marked(world: World) -> None:
    gone = Namespace("theirs", terminating=True)
    assert namespace_labels(world, gone, Namespace("kube-system", quota="team")) == [
        NamespaceLabel("kube-system", None)
    ]


def test_a_default_quota_with_a_max_holds_the_namespaces_that_no_quota_binds(world: World) -> None:
    world.quota(names.DEFAULT_QUOTA, max=2)
    assert namespace_labels(
        world, Namespace("free"), Namespace("theirs"), Namespace("kube-system")
    ) == [
        NamespaceLabel("free", names.DEFAULT_QUOTA),
        NamespaceLabel("theirs", "team"),
    ]


def test_the_default_quota_without_max_holds_no_pod_so_it_labels_nothing() -> None:
    world = World()
    world.quota(names.DEFAULT_QUOTA, namespaces=("theirs",))
    assert namespace_labels(world, Namespace("theirs")) == []


def test_a_name_that_is_too_long_for_a_label_still_marks() -> None:
    world = World()
    world.quota("x" * 64, namespaces=("theirs",))
    assert namespace_labels(world, Namespace("theirs")) == [NamespaceLabel("theirs", "")]


def test_no_label_is_kept_where_the_webhook_holds_pods(world: World) -> None:
    world.ledger.upsert_namespace(Namespace("team"))
    assert world.decide().namespace_labels == ()


def test_namespaces_of_a_tree_that_only_observes_lose_their_marks(world: World) -> None:
    world.observe()
    assert namespace_labels(world, Namespace("theirs", quota="team"), Namespace("team")) == [
        NamespaceLabel("theirs", None)
    ]
