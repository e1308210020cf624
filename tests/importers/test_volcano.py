"""Volcano's Queues become quotas of their names, below their parents."""

from pathlib import Path
from typing import Any

import translations
from elasticquota import names
from elasticquota.integrations.translation.translation import Translation
from elasticquota.model.quota import Quota
from elasticquota.model.selector import EVERYTHING, Requirement, Selector


EXAMPLE = Path(__file__).parents[2] / "examples/import/volcano.yaml"


def queue(name: str, parent: Any = "root", **spec: Any) -> Any:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"parent": parent, **spec},
    }


def namespace(name: str, queue_name: str) -> Any:
    annotations = {"scheduling.volcano.sh/queue-name": queue_name}
    metadata = {"name": name, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def quotas(found: Translation) -> dict[str, Quota]:
    return {quota.name: quota for quota in found.quotas}


def test_the_example_is_a_tree_with_the_numbers_of_its_queues() -> None:
    found = translations.of_volcano(*translations.decoded(EXAMPLE.read_text()))
    assert translations.limits(found) == {
        "engineering": ({"cpu": "12", "memory": "48Gi"}, {"cpu": "16", "memory": "64Gi"}),
        "research": ({"cpu": "4", "memory": "16Gi"}, {}),
        "serving": ({"cpu": "4", "memory": "16Gi"}, {}),
        "training": ({"cpu": "8", "memory": "32Gi"}, {"cpu": "12", "memory": "48Gi"}),
    }
    assert {name: quota.parent for name, quota in quotas(found).items()} == {
        "engineering": names.ROOT_QUOTA,
        "research": names.ROOT_QUOTA,
        "serving": "engineering",
        "training": "engineering",
    }
    assert translations.refusals(found) == []


def test_deserved_is_min_and_capability_is_max() -> None:
    found = translations.of_volcano(queue("a", deserved={"cpu": 4}, capability={"cpu": 6}))
    assert translations.limits(found) == {"a": ({"cpu": "4"}, {"cpu": "6"})}
    assert found.warnings == ()


def test_without_deserved_the_guarantee_is_min() -> None:
    found = translations.of_volcano(queue("a", guarantee={"resource": {"cpu": 2}}))
    assert translations.limits(found) == {"a": ({"cpu": "2"}, {})}


def test_a_guarantee_of_all_that_is_deserved_is_not_lent_and_a_part_is_reported() -> None:
    found = translations.of_volcano(
        queue("a", deserved={"cpu": 4}, guarantee={"resource": {"cpu": 4}}),
        queue("b", deserved={"cpu": 4}, guarantee={"resource": {"cpu": 1}}),
    )
    assert {name: quota.allow_lent for name, quota in quotas(found).items()} == {
        "a": False,
        "b": True,
    }
    assert translations.lines(found) == [
        "Queue b: spec.guarantee: 1 cpu is never lent there; here it is lent, and reclaimed when "
        "it is needed"
    ]


def test_without_deserved_in_any_queue_weights_divide_the_cluster() -> None:
    found = translations.of_volcano(
        queue("a", weight=3, capability={"cpu": 8, "memory": 1}),
        queue("b", capability={"cpu": 8, "memory": 1}),
    )
    assert {name: quota.shared_weight for name, quota in quotas(found).items()} == {
        "a": {"cpu": 3000, "memory": 3},
        "b": {"cpu": 1000, "memory": 1},
    }


def test_beside_deserved_a_weight_is_left_out_and_reported() -> None:
    found = translations.of_volcano(queue("a", weight=3), queue("b", deserved={"cpu": 1}))
    assert [quota.shared_weight for quota in found.quotas] == [None, None]
    assert [warning.where for warning in found.warnings] == ["spec.weight"]


def test_fifo_is_strict_queueing() -> None:
    found = translations.of_volcano(queue("a", dequeueStrategy="fifo"), queue("b"))
    assert {name: quota.strict_queue for name, quota in quotas(found).items()} == {
        "a": True,
        "b": False,
    }


def test_a_namespace_that_names_a_queue_is_bound() -> None:
    found = translations.of_volcano(queue("a"), namespace("team", "a"))
    assert quotas(found)["a"].namespaces == ("team",)


def test_a_pod_of_any_namespace_may_name_any_queue_without_queues_below() -> None:
    found = translations.of_volcano(queue("a"), queue("b", "a"), namespace("team", "b"))
    assert {name: quota.allowed_namespaces for name, quota in quotas(found).items()} == {
        "a": None,
        "b": ("*",),
    }


def test_a_namespace_is_not_bound_to_what_is_no_leaf() -> None:
    found = translations.of_volcano(
        queue("a"), queue("b", "a"), namespace("one", "a"), namespace("two", "x")
    )
    assert [quota.namespaces for quota in found.quotas] == [(), ()]
    assert [warning.text for warning in found.warnings] == [
        "Queue 'a' has queues below it, so it takes no pods; not bound",
        "there is no Queue 'x' in what was given; not bound",
    ]


def test_required_groups_of_nodes_are_the_nodes_of_a_leaf() -> None:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": ["g2", "g1"]}
    affinity = {"nodeGroupAffinity": required, "nodeGroupAntiAffinity": required}
    found = translations.of_volcano(
        queue("a", affinity=affinity), queue("p", affinity=affinity), queue("b", "p")
    )
    groups = Requirement("volcano.sh/nodegroup-name", "In", ("g1", "g2"))
    assert quotas(found)["a"].nodes == Selector((groups,))
    assert quotas(found)["p"].nodes is EVERYTHING
    assert [(warning.source, warning.where) for warning in found.warnings] == [
        ("Queue a", "spec.affinity.nodeGroupAntiAffinity"),
        ("Queue p", "spec.affinity"),
        ("Queue p", "spec.affinity.nodeGroupAntiAffinity"),
    ]


def test_the_root_is_not_taken_over() -> None:
    found = translations.of_volcano(
        {**queue("root", ""), "spec": {"capability": {"cpu": 4}}}, queue("a")
    )
    assert list(quotas(found)) == ["a"]
    assert translations.lines(found) == [
        "Queue root: spec.capability: the tree has what its nodes offer; not taken over"
    ]


def test_an_unknown_parent_and_a_circle_are_reported_and_the_rest_is_taken_over() -> None:
    found = translations.of_volcano(
        queue("a", "x"), queue("b", "c"), queue("c", "b"), queue("d", "c")
    )
    assert {name: quota.parent for name, quota in quotas(found).items()} == {
        "a": names.ROOT_QUOTA,
        "b": names.ROOT_QUOTA,
        "c": names.ROOT_QUOTA,
        "d": "c",
    }
    assert [(warning.source, warning.where) for warning in found.warnings] == [
        ("Queue a", "spec.parent"),
        ("Queue b", "spec.parent"),
        ("Queue c", "spec.parent"),
    ]


def test_what_is_left_out_is_reported() -> None:
    closed = queue(
        "a",
        reclaimable=False,
        priority=5,
        extendClusters=[{"name": "x"}],
        dra={"capability": {"d": {}}},
    )
    found = translations.of_volcano({**closed, "status": {"state": "Closed"}})
    assert [warning.where for warning in found.warnings] == [
        "spec.dra",
        "spec.extendClusters",
        "spec.priority",
        "spec.reclaimable",
        "status.state",
    ]


def test_what_cannot_be_read_is_reported() -> None:
    found = translations.of_volcano(
        queue("a", deserved={"cpu": -1, "memory": "1Gi"}, weight="much", parent=5)
    )
    assert translations.limits(found) == {"a": ({"memory": "1Gi"}, {})}
    assert translations.lines(found) == [
        "Queue a: spec.deserved.cpu: must not be negative, got -1; left out",
        "Queue a: spec.parent: must be a name, got 5; left out",
        "Queue a: spec.weight: must be a whole number from 0, got 'much'; left out",
    ]
