"""What a pod says of nodes is read as the scheduler reads it, and matched as it matches."""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.model.constraints import ANYWHERE, Constraints, Toleration
from elasticquota.model.node import Node, Taint
from elasticquota.model.pod import Pod
from elasticquota.wire.kubernetes import constraints, nodes, pods


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def read(**spec: Any) -> Pod:
    manifest = {"metadata": {"name": "p", "namespace": "team"}, "spec": spec}
    return pods.read(msgspec.json.decode(msgspec.json.encode(manifest), type=pods.PodManifest))


def of(**spec: Any) -> Constraints:
    return read(**spec).constraints


def affinity(*terms: Any) -> dict[str, Any]:
    return {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": list(terms)}}}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def node(name: str = "n1", *taints: Taint, cordoned: bool = False, **labels: str) -> Node:
    return Node(name, "", labels, {}, unschedulable=cordoned, taints=taints)


def admits(found: Constraints, there: Node) -> bool:
    return not found.obstacle(there)


@pytest.mark.parametrize(
    ("operator", "values", "matching"),
    [
        ("In", ["a", "b"], {"a"}),
        ("NotIn", ["a"], {"7", None}),
        ("Exists", [], {"a", "7"}),
        ("DoesNotExist", [], {None}),
        ("Gt", ["6"], {"7"}),
        ("Gt", ["7"], set()),
        ("Lt", ["8"], {"7"}),
        ("Lt", ["x"], set()),
        ("Near", ["7"], set()),
    ],
)
def test_every_operator_of_an_expression(
    operator: str, values: list[str], matching: set[str | None]
) -> None:
    found = of(affinity=affinity({"matchExpressions": [expression("key", operator, *values)]}))
    there = {None: node(), "a": node(key="a"), "7": node(key="7")}
    assert {value for value, each in there.items() if admits(found, each)} == matching


def test_all_labels_of_a_selector_and_one_of_the_terms_must_hold() -> None:
    terms = affinity(
        {"matchExpressions": [expression("zone", "In", "a"), expression("gpu", "Exists")]},
        {"matchFields": [expression("metadata.name", "In", "n2")]},
        {},
    )
    found = of(nodeSelector={"disk": "ssd"}, affinity=terms)
    assert admits(found, node(disk="ssd", zone="a", gpu=""))
    assert admits(found, node("n2", disk="ssd"))
    assert found.obstacle(node("n2")) == "lack label disk=ssd"
    assert found.obstacle(node(disk="ssd", zone="a")) == "do not match its node affinity"


def test_an_affinity_without_terms_and_a_term_without_requirements_match_nothing() -> None:
    assert not admits(of(affinity=affinity()), node())
    assert not admits(of(affinity=affinity({})), node())


@pytest.mark.parametrize(
    ("toleration", "taint", "tolerated"),
    [
        (Toleration(), Taint("k", "", "NoSchedule"), True),
        (Toleration("k"), Taint("k", "", "NoSchedule"), True),
        (Toleration("k", "Equal", "v"), Taint("k", "v", "NoSchedule"), True),
        (Toleration("k", "Equal", "v"), Taint("k", "w", "NoSchedule"), False),
        (Toleration("k", "Exists"), Taint("k", "w", "NoExecute"), True),
        (Toleration("k", "Exists", "", "NoExecute"), Taint("k", "", "NoSchedule"), False),
        (Toleration("", "Exists"), Taint("any", "thing", "NoSchedule"), True),
        (Toleration("k", "Gt", "5"), Taint("k", "6", "NoSchedule"), True),
        (Toleration("k", "Gt", "6"), Taint("k", "6", "NoSchedule"), False),
        (Toleration("k", "Lt", "5"), Taint("k", "many", "NoSchedule"), False),
        (Toleration("k", "Like"), Taint("k", "", "NoSchedule"), False),
    ],
)
def test_a_toleration_matches_as_the_api_says(
    toleration: Toleration, taint: Taint, tolerated: bool
) -> None:
    assert admits(Constraints(tolerations=(toleration,)), node("n", taint)) == tolerated


def test_who_tolerates_the_taint_of_a_cordon_may_go_to_a_cordoned_node() -> None:
    key = "node.kubernetes.io/unschedulable"
    assert ANYWHERE.obstacle(node(cordoned=True)) == "are cordoned"
    assert admits(Constraints(tolerations=(Toleration(key, "Exists"),)), node(cordoned=True))


def test_pods_of_one_template_share_one_value() -> None:
    spec = {
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "affinity": affinity({"matchExpressions": [expression("zone", "In", "a")]}),
    }
    assert of(**spec) is of(**spec)
    assert of() is ANYWHERE


def test_constraints_of_a_pod_that_has_a_node_are_not_kept() -> None:
    assert of(nodeSelector={"disk": "ssd"}, nodeName="n1") is ANYWHERE


def test_more_texts_than_are_kept_match_no_node() -> None:
    values = [str(number) for number in range(constraints.MOST + 1)]
    many = affinity({"matchExpressions": [expression("zone", "In", *values)]})
    assert of(affinity=many) is constraints.TOO_LARGE
    assert not admits(of(affinity=many), node(zone="7"))


def test_a_refusal_of_the_scheduler_is_read_of_pods_that_our_gate_does_not_hold() -> None:
    refused = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]

    def is_refused(**spec: Any) -> bool:
        manifest = {"metadata": {"name": "p"}, "spec": spec, "status": {"conditions": refused}}
        return pods.read(msgspec.convert(manifest, pods.PodManifest)).refused

    assert is_refused()
    assert not is_refused(nodeName="n1")
    assert not is_refused(schedulingGates=[{"name": names.GATE}])


@pytest.mark.parametrize("written", [None, "x", [None, 3, {"key": 5}], [{"effect": None}]])
def test_taints_without_shape_are_read_as_far_as_they_go(written: Any) -> None:
    manifest = {"metadata": {"name": "n"}, "spec": {"taints": written}}
    found = nodes.read(msgspec.convert(manifest, nodes.NodeManifest))
    assert all(isinstance(part, str) for taint in found.taints for part in taint)


def test_the_order_of_taints_says_nothing() -> None:
    taints = [{"key": key, "effect": "NoSchedule"} for key in "ba"]
    found = [
        nodes.read(msgspec.convert({"spec": {"taints": each}}, nodes.NodeManifest))
        for each in (taints, taints[::-1])
    ]
    assert found[0] == found[1]
    assert found[0].taints[0] == Taint("a", "", "NoSchedule")
