"""Nodes, namespaces and pods come in the shape that the API server knows, with odd contents.

It decodes them itself before it stores them, so only contents can surprise: quantities beyond all
measure, thousands of entries, texts of any kind. A node of which a part cannot be read offers
nothing there; a pod's unreadable request counts 0 and is named.
"""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.wire.kubernetes import namespaces, nodes, pods


def node(**parts: Any) -> Node:
    document = {"metadata": {"name": "n"}, **parts}
    return nodes.read(msgspec.json.decode(msgspec.json.encode(document), type=nodes.NodeManifest))


def pod(meta: dict[str, Any] | None = None, **spec: Any) -> Pod:
    document = {"metadata": {"name": "p", "namespace": "team", **(meta or {})}, "spec": spec}
    return pods.read(msgspec.json.decode(msgspec.json.encode(document), type=pods.PodManifest))


READY = {"type": "Ready", "status": "True"}


@pytest.mark.parametrize("odd", [None, "x", 4, 0.5, True, [], [{}]])
def test_a_node_without_the_shape_of_one_offers_nothing_and_is_not_ready(odd: Any) -> None:
    assert node(spec=odd, status=odd) == Node("n", "", {}, {}, ready=False, joining=True)


@pytest.mark.parametrize("odd", ["x", 4, True, [], ["cpu"], {"cpu": None}, {"c p u": 1}])
def test_an_allocatable_that_is_no_list_of_amounts_offers_nothing(odd: Any) -> None:
    found = node(status={"allocatable": odd, "conditions": [READY]})
    assert found.allocatable == {}
    assert found.ready


@pytest.mark.parametrize("odd", ["True", 4, {}, ["Ready"], [None], [[READY]]])
def test_conditions_that_are_none_leave_a_node_not_ready(odd: Any) -> None:
    assert not node(status={"conditions": odd}).ready


def test_the_good_entries_of_a_node_count() -> None:
    allocatable = {"cpu": "8", "memory": "1e99", "pods": -1, "example.com/x": "two"}
    conditions = ["?", READY]
    found = node(status={"allocatable": allocatable, "conditions": conditions})
    assert (found.allocatable, found.ready) == ({"cpu": 8000}, True)


def test_a_node_may_offer_more_kinds_of_resources_than_a_quota_names() -> None:
    allocatable = {f"example.com/r{number}": "1" for number in range(1000)}
    assert len(node(status={"allocatable": allocatable}).allocatable) == 1000


def test_only_true_cordons_a_node() -> None:
    assert node(spec={"unschedulable": True}).unschedulable
    assert not node(spec={"unschedulable": "false"}).unschedulable


def test_a_namespace_with_a_thousand_odd_annotations_is_a_namespace() -> None:
    annotations = {f"k{number}": "\x00\u202e{[" for number in range(1000)}
    document = {"metadata": {"name": "n", "annotations": annotations}, "spec": [], "status": 4}
    encoded = msgspec.json.encode(document)
    manifest = msgspec.json.decode(encoded, type=namespaces.NamespaceManifest)
    assert namespaces.read(manifest).name == "n"


@pytest.mark.parametrize(
    ("amount", "why"),
    [
        ("1e99999999", "its exponent must be between -24 and 24"),
        ("1K", "'1K' is not a quantity"),
        ("-1", "must not be negative, got -1"),
        *((odd, "") for odd in ("9" * 65, "", "1\x00", "\u0661")),
    ],
)
def test_a_request_that_cannot_be_read_counts_nothing_and_is_named(amount: str, why: str) -> None:
    requests = {"cpu": amount, "memory": "1Gi"}
    found = pod(containers=[{"resources": {"requests": requests}}])
    assert found.request == {"memory": 1024**3, "pods": 1}
    (fault,) = map(str, found.faults)
    assert fault.startswith("spec.containers[0].resources.requests.cpu: ")
    assert why in fault
    assert fault.isprintable()
    assert len(fault) < 300


def test_an_odd_name_of_a_resource_does_not_get_into_a_message_as_it_is() -> None:
    found = pod(containers=[{"resources": {"requests": {"a\x1b\n": "x", "b" * 400: "y"}}}])
    assert [fault.partition(": ")[0] for fault in map(str, found.faults)] == [
        "spec.containers[0].resources.requests['a??']",
        f"spec.containers[0].resources.requests['{'b' * 40}...']",
    ]


def test_of_ten_thousand_requests_each_counts_for_what_is_not_counted_would_be_free() -> None:
    requests = dict.fromkeys((f"a.example.com/r{number}" for number in range(10_000)), "0")
    found = pod(containers=[{"resources": {"requests": {**requests, "cpu": "1"}}}])
    assert found.request["cpu"] == 1000


def test_a_pod_of_nulls_is_a_pod() -> None:
    found = pod(
        {"labels": None, "annotations": None, "ownerReferences": None, "creationTimestamp": None},
        containers=None,
        initContainers=None,
        schedulingGates=None,
        overhead=None,
        priority=None,
    )
    assert (found.request, found.quota_label, found.gates) == ({"pods": 1}, "", ())


def test_a_label_of_any_text_names_a_quota_that_may_not_exist() -> None:
    text = "no\nquota\x1b[2J\u202e"
    assert pod({"labels": {names.QUOTA_NAME: text}}).quota_label == text


@pytest.mark.parametrize("odd", ["x", 4, [], {"labels": "x"}, {"labels": {"a": 1}}, {"name": 4}])
def test_metadata_that_no_api_server_can_store_is_refused_with_its_path(odd: Any) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"at `\$\.metadata"):
        msgspec.convert({"metadata": odd}, namespaces.NamespaceManifest)
