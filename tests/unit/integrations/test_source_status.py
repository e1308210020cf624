"""Objects of other systems get a status: a condition and figures."""

from typing import Any

import msgspec

import translations
import writer_fixture
from elasticquota.integrations import capacity, source_status
from elasticquota.integrations.ack import trees
from elasticquota.integrations.ack.pools import Pools
from elasticquota.integrations.source_status import SourceStatus
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.structs import replace
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import ack_trees, capacity_quotas


def read_trees(*manifests: Any) -> list[ack_trees.QuotaTree]:
    return [ack_trees.read(msgspec.convert(each, SpecManifest)) for each in manifests]


def read_limits(*manifests: Any) -> list[capacity_quotas.CapacityQuota]:
    return [capacity_quotas.read(msgspec.convert(each, SpecManifest)) for each in manifests]


def of_trees(
    *manifests: Any,
    taken: tuple[str, ...] = (),
    figures: source_status.Figures | None = None,
    pools: Pools | None = None,
) -> dict[str, SourceStatus]:
    found = read_trees(*manifests)
    told = source_status.trees(
        found, trees.translate(found, "home", pools or {}), taken, figures or {}
    )
    return {str(each.key): each for each in told}


def of_limits(
    *manifests: Any, taken: tuple[str, ...] = (), figures: source_status.Figures | None = None
) -> dict[str, SourceStatus]:
    found = read_limits(*manifests)
    made = capacity.translate(found, "home", together=True)
    told = source_status.capacity_quotas(found, made, taken, figures or {})
    return {str(each.key): each for each in told}


def limit(namespace: str, name: str = "quota", **spec: Any) -> Any:
    return {"metadata": {"name": name, "namespace": namespace}, "spec": spec}


def status(name: str, **fields: Any) -> QuotaStatus:
    return writer_fixture.status(Key("home", name), **fields)


TREE = translations.tree(
    {"name": "r", "children": [{"name": "a", "children": [{"name": "x"}]}, {"name": "b"}]}
)


def condition(told: SourceStatus) -> tuple[str, bool, str, str]:
    found = told.condition
    return found.type, found.status, found.reason, found.message


def refused(reason: str, message: str) -> tuple[str, bool, str, str]:
    return "Translated", False, reason, message


def followed(message: str, reason: str = "AsWritten") -> tuple[str, bool, str, str]:
    return "Translated", True, reason, message


ALL_OF_IT = followed("3 ElasticQuotas follow what it says")


def test_a_tree_that_is_followed_as_it_is_says_so() -> None:
    assert condition(of_trees(TREE)["kube-system/tree"]) == ALL_OF_IT


def test_what_is_different_is_reported_in_order_five_at_most() -> None:
    children = [{"name": f"n{number}", "min": {"cpu": 2}, "max": {"cpu": 1}} for number in range(7)]
    tree = translations.tree({"name": "r", "children": children})
    cut = [f"spec.root.children[{n}].min.cpu: 2 is above 1, the max; cut to it" for n in range(5)]
    assert condition(of_trees(tree)["kube-system/tree"]) == followed(
        f"7 ElasticQuotas follow what it says, except: {'; '.join(cut)}; and 2 more",
        "WithDifferences",
    )


def test_seed_002_only_one_tree_is_supported_the_other_is_reported() -> None:
    other = {**TREE, "metadata": {**TREE["metadata"], "name": "tree-2"}}
    told = of_trees(TREE, other)
    assert condition(told["kube-system/tree"]) == ALL_OF_IT
    assert condition(told["kube-system/tree-2"]) == refused(
        "NotInForce", "one tree counts, and that is tree; not taken over"
    )
    assert told["kube-system/tree-2"].document() == {"nodes": []}


BOUND = translations.tree({"name": "r", "children": [{"name": "a"}]}, "own", profile="ml/gpu")


def test_each_of_several_trees_is_reported_of_its_own_quotas() -> None:
    told = of_trees(TREE, BOUND, taken=("gpu-r-a",), pools={"ml/gpu": "gpu-root"})
    assert condition(told["kube-system/tree"]) == ALL_OF_IT
    assert told["kube-system/own"].condition.reason == "NameTaken"
    assert told["kube-system/own"].document() == {"nodes": [{"path": "r/a", "quota": "gpu-r-a"}]}


def test_a_tree_whose_profile_is_not_there_is_reported_and_keeps_the_figures_that_there_are() -> (
    None
):
    told = of_trees(TREE, BOUND)
    assert condition(told["kube-system/tree"]) == ALL_OF_IT
    assert condition(told["kube-system/own"]) == refused(
        "WaitsForProfile",
        "metadata.annotations[elasticquota.dev/profile]: waits for ElasticQuotaProfile 'ml/gpu': "
        "there is none; no quota is made or changed",
    )
    assert told["kube-system/own"].document() == {"nodes": []}
    before = of_trees(BOUND, figures={"gpu-r-a": status("gpu-r-a")})["kube-system/own"]
    assert [node["quota"] for node in before.document()["nodes"]] == ["gpu-r-a"]


def test_a_tree_of_which_nothing_can_be_read_or_that_asks_for_nothing_says_why() -> None:
    for root, why in (
        (7, "spec.root: must be a map, got 7; left out"),
        ({"name": "r"}, "spec: says nothing about quotas"),
    ):
        told = of_trees(translations.tree(root))["kube-system/tree"]
        assert condition(told) == refused("NothingRead", why)


def test_a_name_that_another_object_has_is_reported() -> None:
    why = (
        "cannot be the ElasticQuota '{}', because there is another one of its name or of one above "
        "it; rename either"
    )
    assert condition(of_trees(TREE, taken=("r-a", "r-a-x"))["kube-system/tree"]) == refused(
        "NameTaken", f"r/a: {why.format('r-a')}; r/a/x: {why.format('r-a-x')}"
    )


def test_a_node_has_the_figures_of_its_quota() -> None:
    figures = {
        "r-a-x": status(
            "r-a-x",
            min={"cpu": 1000},
            max={"cpu": 4000},
            request={"cpu": 3000},
            used={"cpu": 1500},
            runtime={"cpu": 2000},
            pods_gated=2,
        )
    }
    first, second, third = of_trees(TREE, figures=figures)["kube-system/tree"].document()["nodes"]
    assert first == {"path": "r/a", "quota": "r-a"}
    assert second == {
        "path": "r/a/x",
        "quota": "r-a-x",
        "min": {"cpu": "1"},
        "max": {"cpu": "4"},
        "request": {"cpu": "3"},
        "used": {"cpu": "1500m"},
        "runtime": {"cpu": "2"},
        "pending": 2,
    }
    assert third["path"] == "r/b"


def test_of_a_very_large_tree_five_hundred_nodes_are_reported() -> None:
    children = [{"name": f"n{number:03}"} for number in range(600)]
    told = of_trees(translations.tree({"name": "r", "children": children}))["kube-system/tree"]
    assert told.condition.message == "600 ElasticQuotas follow what it says"
    assert len(told.document()["nodes"]) == source_status.MOST_NODES == 500


def test_seed_003_proposal_a_quota_says_what_its_namespace_uses() -> None:
    figures = {"team": status("team", used={"cpu": 1500, "nvidia.com/gpu": 2})}
    told = of_limits(limit("team", max={"cpu": 4}), figures=figures)["team/quota"]
    assert told.document() == {"used": {"cpu": "1500m", "nvidia.com/gpu": "2"}}
    assert condition(told) == followed("1 ElasticQuota follows what it says")


def test_seed_003_proposal_the_second_one_in_a_namespace_is_reported() -> None:
    told = of_limits(limit("team", "a", min={"cpu": 1}), limit("team", "b", min={"cpu": 1}))
    assert told["team/a"].condition.status
    assert condition(told["team/b"]) == refused(
        "NotInForce", "the namespace has one quota, and that is a; not taken over"
    )


def test_quotas_below_a_parent_whose_name_is_taken_are_reported() -> None:
    found = of_limits(limit("team"), limit("other"), taken=("capacity", "other", "team"))
    for told in found.values():
        assert (told.condition.status, told.condition.reason) == (False, "NameTaken")
    assert "cannot be the ElasticQuota 'capacity'" in found["team/quota"].condition.message


def test_what_is_reported_is_equal_while_nothing_changes() -> None:
    figures = {"r-b": status("r-b", used={"cpu": 1})}
    again = {name: replace(found) for name, found in figures.items()}
    assert of_trees(TREE, figures=figures) == of_trees(TREE, figures=again)


def test_the_root_shows_what_each_node_uses_and_requests_as_ack_does() -> None:
    tree = translations.tree(
        {
            "name": "r",
            "children": [
                {"name": "a", "children": [{"name": "x", "namespaces": ["team", "lab"]}]},
                {"name": "b"},
            ],
        }
    )
    usage = {"used": {"cpu": 1500}, "request": {"cpu": 3000}}
    figures = {
        **{name: status(name, **usage) for name in ("r-a", "r-a-x")},
        "r-b": status("r-b", used={"cpu": 500}, request={"nvidia.com/gpu": 2}),
    }
    assert of_trees(tree, figures=figures)["kube-system/tree"].document()["root"] == {
        "name": "r",
        "used": {"cpu": "2"},
        "request": {"cpu": "3", "nvidia.com/gpu": "2"},
        "children": [
            {
                "name": "a",
                "used": {"cpu": "1500m"},
                "request": {"cpu": "3"},
                "children": [
                    {
                        "name": "x",
                        "used": {"cpu": "1500m"},
                        "request": {"cpu": "3"},
                        "namespaces": ["team", "lab"],
                    }
                ],
            },
            {"name": "b", "used": {"cpu": "500m"}, "request": {"nvidia.com/gpu": "2"}},
        ],
    }


def test_a_root_with_a_max_shows_the_figures_of_its_own_quota() -> None:
    tree = translations.tree({"name": "r", "max": {"cpu": 9}, "children": [{"name": "a"}]})
    figures = {"r": status("r", used={"cpu": 7000}), "r-a": status("r-a", used={"cpu": 1000})}
    root = of_trees(tree, figures=figures)["kube-system/tree"].document()["root"]
    assert (root["used"], root["children"][0]["used"]) == ({"cpu": "7"}, {"cpu": "1"})


def test_the_root_of_a_very_large_tree_lists_five_hundred_nodes_parents_first() -> None:
    children = [
        {"name": f"n{number:03}", "children": [{"name": "x"}, {"name": "y"}]}
        for number in range(400)
    ]
    figures = {"r-n000": status("r-n000", used={"cpu": 1})}
    told = of_trees(translations.tree({"name": "r", "children": children}), figures=figures)
    root = told["kube-system/tree"].document()["root"]
    assert len(root["children"]) == 400
    listed = 1 + 400 + sum(len(child.get("children", ())) for child in root["children"])
    assert listed == source_status.MOST_NODES
