"""Our quotas as ElasticQuotaTrees: their form, and a warning for what nodes cannot say."""

from typing import Any

import pytest

import forests
import translations
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.integrations.ack import tree_rules
from elasticquota.model.limit import QuotaLimits
from elasticquota.model.selector import Requirement, Selector
from elasticquota.structs import replace
from elasticquota_import.translators import ack_export as export
from elasticquota_import.translators.ack_export import Export


def exported(line: str) -> Export:
    return export.export(forests.forest(line))


def root(found: Export, place: int = 0) -> Any:
    return found.documents[place]["spec"]["root"]


def lines(found: Export) -> list[str]:
    return [warning.line for warning in found.warnings]


def test_a_node_has_name_min_max_place_and_namespaces_of_its_quota() -> None:
    found = exported("dept 20..100; a<dept 10..40 binds=x,y; b<dept ..60")
    (document,) = found.documents
    assert document == {
        "apiVersion": "scheduling.sigs.k8s.io/v1beta1",
        "kind": "ElasticQuotaTree",
        "metadata": {"name": "koordinator-root-quota", "namespace": "kube-system"},
        "spec": {
            "root": {
                "name": "root",
                "children": [
                    {
                        "name": "dept",
                        "min": {"device": "20"},
                        "max": {"device": "100"},
                        "children": [
                            {
                                "name": "a",
                                "min": {"device": "10"},
                                "max": {"device": "40"},
                                "namespaces": ["x", "y"],
                            },
                            {"name": "b", "max": {"device": "60"}},
                        ],
                    }
                ],
            }
        },
    }
    assert found.warnings == ()


def test_the_tree_of_a_profile_names_the_profile() -> None:
    quotas = forests.quotas("blue root=blue offers=40; a<blue 1..2 tree=blue; b 1..2")
    blue = replace(quotas[0], profile="pool")
    found = export.export(acceptance.build([blue, *quotas[1:]]))
    default, pool = found.documents
    assert "annotations" not in default["metadata"]
    assert pool["metadata"]["annotations"] == {names.TREE_PROFILE: "ns/pool"}
    assert [each["name"] for each in root(found, 1)["children"]] == ["a"]


def test_quotas_of_the_own_namespace_are_bound_to_it() -> None:
    found = exported("team ns=team ..4")
    assert root(found)["children"][0]["namespaces"] == ["team"]


def test_a_namespace_is_in_one_node_and_in_a_leaf() -> None:
    found = exported("dept 1..9 binds=p; a<dept binds=x; b<dept binds=x,y")
    a, b = root(found)["children"][0]["children"]
    assert (a["namespaces"], b["namespaces"]) == (["x"], ["y"])
    assert lines(found) == [
        "ElasticQuota ns/b: spec.namespaces: x belongs to quota a; left out",
        "ElasticQuota ns/dept: spec.namespaces: only leaves have namespaces; p left out",
    ]


def test_a_quota_called_root_does_not_clash_with_the_root_node() -> None:
    found = exported("root 1..2")
    assert root(found)["name"] == "koordinator-root-quota"
    read = translations.ack_tree(found.documents[0])
    assert tree_rules.faults(read) == ()


@pytest.mark.parametrize(
    ("field", "value", "key"),
    [
        ("shared_weight", {"cpu": 1}, "spec.weight"),
        ("allow_lent", False, "spec.lends"),
        ("admission", {"cpu": 0}, names.ADMISSION),
        ("strict_queue", True, "spec.queue.policy"),
        ("reclaim_grace", 0, "spec.reclaim.grace"),
        ("preemption", names.FENCE, "spec.reclaim.preemption"),
        ("over_max_delay", 0, "spec.reclaim.overMaxDelay"),
        ("application_order", names.FIFO, "spec.queue.applications"),
        ("orders_by_priority", False, "spec.queue.order"),
        ("nodes", Selector((Requirement("a", "Exists"),)), "spec.nodeSelector"),
        ("limits", QuotaLimits(1, ()), "spec.limits"),
        ("strict_keys", ("cpu",), names.STRICT_KEYS),
        ("allowed_namespaces", (), "spec.access.pods"),
        ("child_namespaces", (), "spec.access.children"),
    ],
)
def test_what_a_node_cannot_say_is_a_warning(field: str, value: Any, key: str) -> None:
    (quota,) = forests.quotas("team 1..2")
    found = export.export(acceptance.build([replace(quota, **{field: value})]))
    assert lines(found) == [f"ElasticQuota ns/team: {key}: is no field of a node; left out"]


def test_guarantee_mode_is_a_warning() -> None:
    found = exported("blue root=blue firm offers=4; a<blue tree=blue")
    assert lines(found) == [
        "ElasticQuota ns/blue: spec.tree.guaranteeUsage: is no field of a node; left out"
    ]


def test_a_parent_without_children_becomes_a_leaf_with_a_warning() -> None:
    found = exported("dept 1..2 parent")
    assert "children" not in root(found)["children"][0]
    assert "is a leaf, and may have pods" in lines(found)[0]


def test_quotas_that_are_not_accepted_are_left_out_with_all_below_them() -> None:
    found = exported("bad 1..2 bad parent; below<bad 0..1; good 1..2")
    assert [each["name"] for each in root(found)["children"]] == ["good"]
    assert lines(found)[0] == "ElasticQuota ns/bad: is not accepted; left out with all below it"


def test_a_limit_of_the_default_quota_is_a_warning() -> None:
    (quota,) = forests.quotas("koordinator-default-quota 1..2")
    found = export.export(acceptance.build([quota]))
    assert found.documents == []
    assert "pods of no leaf have no quota in ACK; left out" in lines(found)[0]
