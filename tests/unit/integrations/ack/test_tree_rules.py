"""What an ElasticQuotaTree must not say, with the path and the numbers of each fault."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

import translations
from elasticquota.integrations.ack import tree_rules
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import ack_trees
from elasticquota.wire.integrations.ack_trees import QuotaTree


EXAMPLE = Path(__file__).parents[4] / "examples/import/elasticquotatree.yaml"


def read(root: Any, name: str = "tree", **where: str) -> QuotaTree:
    manifest = translations.tree(root, name, **where)
    return ack_trees.read(msgspec.convert(manifest, SpecManifest))


def below(*children: Any) -> QuotaTree:
    return read({"name": "root", "children": list(children)})


@pytest.mark.parametrize(
    ("tree", "fault"),
    [
        pytest.param(
            below({"name": "a", "min": {"cpu": "1500m"}, "max": {"cpu": 1}}),
            "spec.root.children[0].min.cpu: 1500m is above 1, the max of the node",
            id="min above max",
        ),
        pytest.param(
            read({"name": "root", "namespaces": ["team"], "children": [{"name": "a"}]}),
            "spec.root.namespaces: 1 of a node with children; only leaves have namespaces, so move "
            "'team' to one of its leaves",
            id="namespaces of a parent",
        ),
        pytest.param(
            below({"name": "a", "namespaces": ["t"]}, {"name": "b", "namespaces": ["s", "t"]}),
            "spec.root.children[1].namespaces: 't' is in the nodes a, b; a namespace belongs to "
            "one",
            id="a namespace in two leaves",
        ),
        pytest.param(
            below({"name": "a", "children": [{"name": "x"}]}, {"name": "x"}),
            "spec.root.children[1].name: 'x' is the name of 2 nodes; each must have a name of its "
            "own in the tree",
            id="a name twice in the tree",
        ),
        pytest.param(
            below({"name": "a", "max": {"cpu": "-1"}}),
            "spec.root.children[0].max.cpu: must not be negative, got -1",
            id="a negative amount",
        ),
        pytest.param(
            below({"name": "a", "namespaces": ["No Name"]}),
            "spec.root.children[0].namespaces[0]: must name a namespace, got 'No Name'",
            id="no name of a namespace",
        ),
    ],
)
def test_a_fault_has_its_path_and_its_numbers(tree: QuotaTree, fault: str) -> None:
    assert tuple(map(str, tree_rules.faults(tree))) == (fault,)


def test_a_tree_that_is_too_deep_is_at_fault() -> None:
    node: Any = {"name": "n33"}
    for level in range(32, 0, -1):
        node = {"name": f"n{level}", "children": [node]}
    (fault,) = map(str, tree_rules.faults(read(node)))
    assert fault.endswith(".children: is deeper than 32 levels")


def test_seed_002_quota_rules_the_published_tree_has_no_fault() -> None:
    (tree,) = translations.decoded(EXAMPLE.read_text())
    assert tree_rules.faults(ack_trees.read(msgspec.convert(tree, SpecManifest))) == ()


def test_an_edit_may_keep_the_faults_that_there_were_and_add_none() -> None:
    bad = {"name": "bad", "min": {"cpu": 2}, "max": {"cpu": 1}}
    before, moved = below({"name": "a"}, bad), below(bad, {"name": "b"})
    assert tree_rules.added(before, moved) == ()
    worse = below(bad, {"name": "b", "namespaces": ["t"]}, {"name": "c", "namespaces": ["t"]})
    (fault,) = map(str, tree_rules.added(before, worse))
    assert fault.startswith("spec.root.children[2].namespaces: 't' is in the nodes ")
    twice = below(bad, {**bad, "name": "again"})
    (fault,) = map(str, tree_rules.added(before, twice))
    assert fault == "spec.root.children[1].min.cpu: 2 is above 1, the max of the node"


def test_a_second_tree_of_kube_system_is_a_rival_of_the_first_unless_it_has_its_own_profile() -> (
    None
):
    root = {"name": "root"}
    first, second = read(root, "first"), read(root, "second")
    assert str(tree_rules.rival(second, [first])) == (
        "metadata.name: there is a tree in kube-system already, first, and one counts; edit that "
        "one, or bind this one to an ElasticQuotaProfile of its own by the annotation "
        "elasticquota.dev/profile"
    )
    bound = read(root, "bound", profile="kube-system/gpu")
    assert tree_rules.rival(bound, [first]) is None
    twin = read(root, "twin", profile="kube-system/gpu")
    assert "for profile 'kube-system/gpu' already, bound" in str(
        tree_rules.rival(twin, [first, bound])
    )
    assert tree_rules.rival(first, [first]) is None, "an edit of the one that counts"
    assert tree_rules.rival(second, [read(root, "elsewhere", namespace="team")]) is None
    assert tree_rules.rival(read(root, "elsewhere", namespace="team"), [first]) is None
