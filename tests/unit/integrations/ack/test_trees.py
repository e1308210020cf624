"""ACK's ElasticQuotaTree becomes quotas (seed 002; Q1-Q9, Q15, Q24)."""

from pathlib import Path
from typing import Any

import pytest

import translations
from elasticquota import resources
from elasticquota.integrations.translation.translation import Translation
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.quota import Quota
from elasticquota.model.selector import EVERYTHING
from elasticquota.wire.codec import selectors


EXAMPLE = Path(__file__).parents[4] / "examples/import/elasticquotatree.yaml"
GPU = "nvidia.com/gpu"


def example() -> Any:
    return translations.decoded(EXAMPLE.read_text())[0]


def warnings(*trees: Any) -> list[str]:
    """Of trees that are called ``tree``."""
    lead = "ElasticQuotaTree kube-system/tree: "
    return [line.removeprefix(lead) for line in translations.lines(translations.of_ack(*trees))]


def below_the_root(*children: Any) -> Translation:
    """Of a tree with these children."""
    return translations.of_ack(translations.tree({"name": "r", "children": [*children]}))


def test_seed_002_set_up_resource_quotas_the_three_departments_are_quotas_of_ours() -> None:
    limits = translations.limits(translations.of_ack(example()))
    assert all(list(side) == ["cpu", "memory", GPU] for both in limits.values() for side in both)
    assert {
        name: tuple(" ".join(side.values()) for side in both) for name, both in limits.items()
    } == {
        "root": ("102 52Gi 16", "102 52Gi 16"),
        "root-devops": ("20 10Gi 4", "40 20Gi 8"),
        "root-algorithm": ("52 27Gi 10", "80 50Gi 14"),
        "root-algorithm-text": ("40 15Gi 8", "40 30Gi 10"),
        "root-algorithm-video": ("12 12Gi 2", "14 14Gi 4"),
        "root-infrastructure": ("30 15Gi 2", "50 30Gi 4"),
        "root-infrastructure-test": ("30 15Gi 2", "50 30Gi 4"),
    }


def test_seed_002_set_up_resource_quotas_our_webhook_and_controller_take_the_example() -> None:
    found = translations.of_ack(example())
    assert translations.refusals(found) == []
    assert translations.not_accepted(found) == []


def test_seed_002_how_it_works_pods_of_a_namespace_belong_to_its_leaf() -> None:
    bound = {quota.name: quota.namespaces for quota in translations.of_ack(example()).quotas}
    assert bound == {
        "root": (),
        "root-algorithm": (),
        "root-algorithm-text": ("text1", "text2"),
        "root-algorithm-video": ("video",),
        "root-devops": ("devops",),
        "root-infrastructure": (),
        "root-infrastructure-test": ("test1", "test2"),
    }


def test_seed_002_queue_association_a_leaf_is_named_by_its_path_as_its_queue_is() -> None:
    found = translations.of_ack(example())
    assert found.origins["root-algorithm-video"] == "ack:root/algorithm/video"


def test_seed_002_quota_rules_what_the_example_promises_too_much_is_reported() -> None:
    tree = example()
    tree["metadata"]["name"] = "tree"
    assert warnings(tree) == [
        "spec.root.children[1].min.cpu: raised from 50 to 52, the sum of the min of its children",
        (
            "spec.root.children[1].min.memory: raised from 25Gi to 27Gi, the sum of the min of its "
            "children"
        ),
        "spec.root.max.cpu: raised from 100 to 102, the sum of the min of its children",
        "spec.root.max.memory: raised from 50Gi to 52Gi, the sum of the min of its children",
        "spec.root.min.cpu: raised from 100 to 102, the sum of the min of its children",
        "spec.root.min.memory: raised from 50Gi to 52Gi, the sum of the min of its children",
    ]


def test_the_max_of_a_root_limits_all_its_children_together() -> None:
    root = {
        "name": "r",
        "min": {"cpu": 9},
        "max": {"cpu": 9, "kube-queue/max-jobs": 3},
        "children": [{"name": "a", "min": {"cpu": 2, "memory": 1}}, {"name": "b"}],
    }
    found = translations.of_ack(translations.tree(root))
    parents = {quota.name: quota.parent for quota in found.quotas}
    assert parents == {"r": "koordinator-root-quota", "r-a": "r", "r-b": "r"}
    assert translations.limits(found) == {
        "r": (
            {"cpu": "2", "memory": "1"},
            {"cpu": "9", "kube-queue/max-jobs": "3", "memory": str(resources.unlimited("memory"))},
        ),
        "r-a": ({"cpu": "2", "memory": "1"}, {}),
        "r-b": ({}, {}),
    }
    assert warnings(translations.tree(root)) == [
        "spec.root.max: leaves memory unlimited; named here with the number that stands for no "
        "limit",
        "spec.root.min.cpu: lowered from 9 to 2, the sum of the min of its children",
    ]
    assert translations.refusals(found) == []
    assert translations.not_accepted(found) == []


def test_a_ceiling_takes_nothing_of_what_children_are_promised() -> None:
    root = {"name": "r", "max": {"cpu": 0}, "children": [{"name": "a", "min": {"cpu": 2}}]}
    found = translations.of_ack(translations.tree(root))
    assert translations.limits(found) == {
        "r": ({"cpu": "2"}, {"cpu": "2"}),
        "r-a": ({"cpu": "2"}, {}),
    }
    assert translations.texts(found) == ["raised from 0 to 2, the sum of the min of its children"]


def test_without_a_max_a_root_is_no_quota_and_its_min_no_promise() -> None:
    root = {"name": "r", "min": {"cpu": 9}, "children": [{"name": "a"}]}
    found = translations.of_ack(translations.tree(root))
    assert [quota.name for quota in found.quotas] == ["r-a"]
    assert translations.texts(found) == ["9 cpu: no limit here, the tree has what its nodes offer"]


def test_seed_002_parameter_semantics_min_is_nothing_and_max_unlimited_by_default() -> None:
    found = below_the_root({"name": "a"})
    assert translations.limits(found) == {"r-a": ({}, {})}
    assert translations.lines(found) == []


def test_seed_002_quota_rules_namespaces_of_a_parent_are_not_bound() -> None:
    root = {
        "name": "r",
        "namespaces": ["x"],
        "children": [{"name": "a", "namespaces": ["y"], "children": [{"name": "b"}]}],
    }
    tree = translations.tree(root)
    assert [quota.namespaces for quota in translations.of_ack(tree).quotas] == [(), ()]
    assert warnings(tree) == [
        "spec.root.children[0].namespaces: only leaves have namespaces; not bound",
        "spec.root.namespaces: only leaves have namespaces; not bound",
    ]


def test_a_namespace_in_two_leaves_stays_with_the_first_by_path() -> None:
    found = below_the_root(
        {"name": "b", "namespaces": ["x"]}, {"name": "a", "namespaces": ["x", "y"]}
    )
    assert {quota.name: quota.namespaces for quota in found.quotas} == {
        "r-a": ("x", "y"),
        "r-b": (),
    }
    assert translations.refusals(found) == []
    assert translations.texts(found) == ["'x' is bound by 'r/a'; not bound here"]


def test_seed_002_quota_rules_a_min_above_max_is_cut() -> None:
    found = below_the_root({"name": "a", "min": {"cpu": 5}, "max": {"cpu": 4}})
    assert translations.limits(found) == {"r-a": ({"cpu": "4"}, {"cpu": "4"})}
    assert translations.texts(found) == ["5 is above 4, the max; cut to it"]


def test_of_two_nodes_of_one_name_below_one_parent_one_counts_whatever_the_order() -> None:
    first, second = {"name": "a", "max": {"cpu": 4}}, {"name": "a", "max": {"cpu": 3}}
    for children in ([first, second], [second, first]):
        found = below_the_root(*children)
        assert translations.limits(found) == {"r-a": ({}, {"cpu": "3"})}
        assert translations.texts(found) == [
            "there are two called 'r/a'; the limits are the other's"
        ]


def test_a_root_alone_with_namespaces_is_a_quota() -> None:
    root = {"name": "root", "max": {"cpu": 4}, "namespaces": ["x"]}
    assert translations.limits(translations.of_ack(translations.tree(root))) == {
        "root": ({}, {"cpu": "4"})
    }


def test_seed_002_only_one_tree_counts_the_oldest_in_kube_system() -> None:
    def named(name: str, namespace: str, created: str) -> Any:
        root = {"name": name, "children": [{"name": "a"}]}
        found = translations.tree(root, name, namespace)
        found["metadata"]["creationTimestamp"] = created
        return found

    found = translations.of_ack(
        named("young", "kube-system", "2026-01-02T00:00:00Z"),
        named("old", "kube-system", "2026-01-01T00:00:00Z"),
        named("elsewhere", "team", "2025-01-01T00:00:00Z"),
    )
    assert list(found.origins) == ["old-a"]
    assert translations.lines(found) == [
        "ElasticQuotaTree kube-system/young: one tree counts, and that is old; not taken over",
        (
            "ElasticQuotaTree team/elsewhere: metadata.namespace: has no effect outside "
            "kube-system; not taken over"
        ),
    ]


BOUND = translations.tree(
    {"name": "r", "children": [{"name": "a", "children": [{"name": "b"}]}]}, "own", profile="ml/gpu"
)
WAITS = (
    "ElasticQuotaTree kube-system/own: metadata.annotations[elasticquota.dev/profile]: waits for"
)


def test_a_tree_of_a_profile_hangs_below_the_root_quota_of_the_profile() -> None:
    found = translations.of_ack(BOUND, pools={"ml/gpu": "gpu-root"})
    assert {quota.name: quota.parent for quota in found.quotas} == {
        "gpu-r-a": "gpu-root",
        "gpu-r-a-b": "gpu-r-a",
    }
    assert found.origins["gpu-r-a-b"] == "ack:r/a/b"
    assert found.warnings == ()


def test_a_tree_of_a_profile_stands_beside_the_default_tree_and_takes_no_name_of_it() -> None:
    default = translations.tree(BOUND["spec"]["root"])
    alone = translations.of_ack(default)
    found = translations.of_ack(default, BOUND, pools={"ml/gpu": "gpu-root"})
    assert all(quota in found.quotas for quota in alone.quotas)
    assert {quota.name: quota.parent for quota in found.quotas} == {
        "r-a": "koordinator-root-quota",
        "r-a-b": "r-a",
        "gpu-r-a": "gpu-root",
        "gpu-r-a-b": "gpu-r-a",
    }
    assert found.warnings == ()


def test_profiles_of_one_name_in_two_namespaces_give_their_quotas_names_of_their_own() -> None:
    found = translations.of_ack(
        BOUND,
        translations.tree(BOUND["spec"]["root"], "other", profile="art/gpu"),
        pools={"ml/gpu": "gpu-root", "art/gpu": "art-root"},
    )
    assert len({quota.name for quota in found.quotas}) == 4
    tops = sorted(quota.parent for quota in found.quotas if not quota.parent.startswith("gpu-r-"))
    assert tops == ["art-root", "gpu-root"]


@pytest.mark.parametrize(
    ("pools", "what"),
    [
        ({}, "ElasticQuotaProfile 'ml/gpu': there is none"),
        ({"ml/gpu": ""}, "ElasticQuotaProfile 'ml/gpu': its root quota is not there"),
    ],
)
def test_a_tree_whose_profile_is_not_there_waits_for_it(pools: dict[str, str], what: str) -> None:
    default = translations.tree({"name": "r", "children": [{"name": "c"}]})
    found = translations.of_ack(BOUND, default, pools=pools)
    assert [quota.name for quota in found.quotas] == ["r-c"]
    assert found.waiting == {"gpu-r-a", "gpu-r-a-b"}
    assert translations.lines(found) == [f"{WAITS} {what}; no quota is made or changed"]


def test_one_tree_of_a_profile_counts_the_oldest() -> None:
    young = translations.tree({"name": "young", "children": [{"name": "a"}]}, profile="ml/gpu")
    young["metadata"]["creationTimestamp"] = "2026-01-02T00:00:00Z"
    found = translations.of_ack(young, BOUND, pools={"ml/gpu": "gpu-root"})
    assert list(found.origins) == ["gpu-r-a", "gpu-r-a-b"]
    assert translations.lines(found) == [
        (
            "ElasticQuotaTree kube-system/tree: one tree of profile 'ml/gpu' counts, and that is "
            "own; not taken over"
        )
    ]


@pytest.mark.parametrize("pools", [{}, {"ml/gpu": "gpu-root"}])
def test_a_namespace_in_two_trees_stays_with_the_default_one_whatever_the_profile_does(
    pools: dict[str, str],
) -> None:
    def leaf(name: str, profile: str = "") -> Any:
        root = {"name": "r", "children": [{"name": "a", "namespaces": ["x", name]}]}
        return translations.tree(root, name, profile=profile)

    found = translations.of_ack(leaf("z"), leaf("y", "ml/gpu"), leaf("w", "zoo"), pools=pools)
    bound = {quota.name: quota.namespaces for quota in found.quotas}
    assert bound["r-a"] == ("x", "z")
    assert bound.get("gpu-r-a", ("y",)) == ("y",)
    assert "'x' is bound by 'r/a'; not bound here" in translations.texts(found)


A100, V100 = {"model": "a100"}, {"model": "v100"}
SPOT = {"model": "a100", "price": "spot"}


def flavored(text: str, **flavors: Any) -> tuple[str, list[str]]:
    """The nodes of a leaf with these flavors, and what is remarked."""
    child = {"name": "a", "attributes": {"resourceflavors": text}}
    tree = translations.tree({"name": "r", "children": [child]})
    found = translations.of_ack(tree, flavors=flavors)
    assert translations.read_back(found) == found.quotas
    return (selectors.text(found.quotas[0].nodes), translations.texts(found))


def test_q24_pods_of_a_leaf_run_on_the_nodes_of_its_flavors() -> None:
    assert flavored("a100", a100=A100, v100=V100) == ("model in (a100)", [])
    assert flavored("v100, a100", a100=A100, v100=V100) == ("model in (a100,v100)", [])
    assert flavored("spot", a100=A100, spot=SPOT) == ("model in (a100),price in (spot)", [])


def test_q24_an_unknown_flavor_is_reported_and_the_others_count() -> None:
    assert flavored("a100,h100", a100=A100) == (
        "model in (a100)",
        ["there is no 'h100' in dialects.flavors of the configuration; left out"],
    )


def test_q24_flavors_that_no_selector_can_say_are_reported() -> None:
    text = "no selector means just the nodes of these; left out"
    assert flavored("a100,spot", a100=A100, spot=SPOT) == ("", [text])
    other = {"model": "v100", "price": "full"}
    assert flavored("other,spot", other=other, spot=SPOT) == ("", [text])


def test_q24_only_leaves_have_flavors() -> None:
    child = {
        "name": "a",
        "attributes": {"resourceflavors": "a100"},
        "children": [{"name": "b"}],
    }
    tree = translations.tree({"name": "r", "children": [child]})
    found = translations.of_ack(tree, flavors={"a100": A100})
    assert [quota.nodes for quota in found.quotas] == [EVERYTHING, EVERYTHING]
    assert translations.texts(found) == ["only leaves have pods to send to nodes; left out"]


def pooled(text: str) -> Quota:
    """The quota of a leaf with these flavors in a tree whose profile has a pool a100."""
    held = {"cpu": 8, "nvidia.com/gpu": 2}
    child = {"name": "a", "attributes": {"resourceflavors": text}, "min": held, "max": held}
    tree = translations.tree({"name": "r", "children": [child]}, profile="ml/gpu")
    found = translations.of_ack(
        tree,
        pools={"ml/gpu": "gpu-root"},
        flavors={"v100": V100},
        kinds={"ml/gpu": Pools((Pool("a100", (("model", "a100"),)),))},
    )
    (quota,) = found.quotas
    return quota


def test_q24_a_leaf_with_a_flavor_that_is_a_pool_of_its_profile_is_bounded_in_this_pool() -> None:
    quota = pooled("a100")
    inside = "a100.pool.elasticquota.dev/nvidia.com_gpu"
    assert quota.min == quota.max == {"cpu": 8000, "nvidia.com/gpu": 2, inside: 2}
    assert selectors.text(quota.nodes) == "model in (a100)"


@pytest.mark.parametrize("text", ["v100", "a100,v100"])
def test_q24_other_leaves_are_bounded_as_a_whole(text: str) -> None:
    assert pooled(text).max == {"cpu": 8000, "nvidia.com/gpu": 2}


def test_flavors_a_min_of_jobs_and_unknown_fields_are_reported() -> None:
    child = {
        "name": "a",
        "min": {"kube-queue/max-jobs": 2},
        "max": {"cpu": 4, "kube-queue/max-jobs": 10},
        "attributes": {"resourceflavors": "a100"},
        "colour": "blue",
    }
    tree = translations.tree({"name": "r", "children": [child]})
    assert translations.limits(translations.of_ack(tree)) == {
        "r-a": ({}, {"cpu": "4", "kube-queue/max-jobs": "10"})
    }
    assert warnings(tree) == [
        (
            "spec.root.children[0].attributes.resourceflavors: there is no 'a100' in "
            "dialects.flavors of the configuration; left out"
        ),
        "spec.root.children[0].colour: is no field of a node; left out",
        (
            "spec.root.children[0].min.kube-queue/max-jobs: no number of jobs is guaranteed; "
            "left out"
        ),
    ]


def test_a_tree_deeper_than_ours_can_be_is_cut() -> None:
    root: Any = {"name": "leaf"}
    for _ in range(40):
        root = {"name": "n", "children": [root]}
    found = translations.of_ack(translations.tree(root))
    assert len(found.quotas) == 31
    assert translations.refusals(found) == []
    assert translations.texts(found) == ["is deeper than 32 levels; left out"]


def test_what_cannot_be_read_is_reported_with_its_path() -> None:
    root = {"name": "r", "children": [{"name": "a", "min": {"cpu": "much"}}, {"min": {}}, 7]}
    assert warnings(translations.tree(root)) == [
        (
            "spec.root.children[0].min.cpu: 'much' is not a quantity; write a number with an "
            "optional suffix like 500m, 2, 1.5, 64k or 16Gi; left out"
        ),
        "spec.root.children[1].name: must be a name, got null; left out",
        "spec.root.children[2]: must be a map, got 7; left out",
    ]
    assert warnings({"metadata": {"name": "tree", "namespace": "kube-system"}}) == [
        "spec.root: must be given; left out"
    ]
