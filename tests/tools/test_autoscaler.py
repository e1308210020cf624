"""The simulated autoscaler plans, counts and answers as Cluster Autoscaler's documentation says."""

import json
from typing import Any

import pytest

from local_cluster.api import Object
from local_cluster.autoscaler import fit, groups, loop, provisioning
from local_cluster.autoscaler.fit import Room
from local_cluster.autoscaler.groups import Group
from local_cluster.autoscaler.plan import plan


SMALL = Group("small", 2, {"cpu": "4", "pods": "110"}, {"pool": "a"})
LARGE = Group("large", 1, {"cpu": "16", "pods": "110"}, {"pool": "a"})


def pod(cpu: str = "2", name: str = "p", **spec: Any) -> Object:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {
        "metadata": {"name": name, "namespace": "n"},
        "spec": {"containers": [container], **spec},
    }


def test_pods_share_a_new_node_before_another_is_made() -> None:
    found = plan([pod(), pod(), pod()], [], [SMALL], {})
    assert (found.more, found.failed, len(found.placed)) == ({"small": 2}, [], 3)


def test_free_room_on_nodes_of_now_is_used_first() -> None:
    found = plan([pod(), pod(), pod()], [Room(SMALL.node(1))], [SMALL], {"small": 1})
    assert (found.more, len(found.placed)) == ({"small": 1}, 1)


def test_a_group_does_not_grow_beyond_its_size() -> None:
    found = plan([pod("4")] * 3, [], [SMALL], {"small": 1})
    assert (found.more, len(found.failed)) == ({"small": 1}, 2)


def test_a_pod_that_is_too_large_for_one_group_gets_a_node_of_another() -> None:
    found = plan([pod("8")], [], [SMALL, LARGE], {})
    assert found.more == {"large": 1}
    out = Group("large", 1, {"cpu": "16", "pods": "110"}, is_out_of_stock=True)
    assert len(plan([pod("8")], [], [SMALL, out], {}).failed) == 1


def test_a_plan_changes_no_room_of_now() -> None:
    room = Room(SMALL.node(1))
    plan([pod()], [room], [], {})
    assert room.takes(pod("4"))


def required(*expressions: Object) -> Object:
    term = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}}


@pytest.mark.parametrize(
    ("spec", "fits"),
    [
        ({}, True),
        ({"nodeSelector": {"pool": "a"}}, True),
        ({"nodeSelector": {"pool": "b"}}, False),
        ({"affinity": required({"key": "pool", "operator": "In", "values": ["a"]})}, True),
        ({"affinity": required({"key": "pool", "operator": "NotIn", "values": ["a"]})}, False),
        ({"affinity": required({"key": "disk", "operator": "Exists"})}, False),
        ({"affinity": required({"key": "disk", "operator": "DoesNotExist"})}, True),
        ({"affinity": required({"key": "size", "operator": "Gt", "values": ["1"]})}, False),
    ],
)
def test_only_nodes_that_a_pod_may_use_are_made(spec: Object, fits: bool) -> None:
    assert (plan([pod(**spec)], [], [SMALL], {}).failed == []) is fits


def test_taints_keep_pods_off_and_those_of_a_new_node_do_not() -> None:
    node = SMALL.node(1)
    node["spec"]["taints"] = [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]
    assert not Room(node).takes(pod())
    for toleration in (
        {"operator": "Exists"},
        {"key": "gpu", "operator": "Exists"},
        {"key": "gpu", "value": "yes", "effect": "NoSchedule"},
    ):
        assert Room(node).takes(pod(tolerations=[toleration]))
    node["spec"]["taints"] = [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]
    assert Room(node).takes(pod())


@pytest.mark.parametrize(
    ("text", "number"), [("2", 2), ("1500m", 1.5), ("1Ki", 1024), ("2M", 2_000_000), ("1Gi", 2**30)]
)
def test_quantities_are_read(text: str, number: float) -> None:
    assert float(fit.amounts({"x": text})["x"]) == number


def test_limits_count_where_no_request_is_written() -> None:
    container = {"resources": {"limits": {"cpu": "3", "nvidia.com/gpu": "1"}}}
    asked = fit.request({"spec": {"containers": [container]}})
    assert {key: float(amount) for key, amount in asked.items()} == {
        "pods": 1,
        "cpu": 3,
        "nvidia.com/gpu": 1,
    }


def test_without_a_config_map_there_are_no_groups() -> None:
    assert groups.read(None).groups == ()
    assert groups.read({"data": None}).groups == ()


def test_a_group_is_read_with_its_stock() -> None:
    written = [
        {"name": "a", "max": 3, "allocatable": {"cpu": "4"}},
        {"name": "b", "max": 1, "allocatable": {}},
    ]
    found = groups.read(
        {"data": {"groups": json.dumps(written), "stockOut": "b", "unneededSeconds": "2"}}
    )
    assert [(each.name, each.max, each.is_out_of_stock) for each in found.groups] == [
        ("a", 3, False),
        ("b", 1, True),
    ]
    assert (found.groups[0].allocatable["pods"], found.unneeded_seconds) == ("110", 2.0)


def request(of: str, count: int, **conditions: str) -> Object:
    listed = [{"type": kind, "status": status} for kind, status in conditions.items()]
    return {
        "metadata": {"name": "r", "namespace": "n"},
        "spec": {
            "provisioningClassName": of,
            "podSets": [{"count": count, "podTemplateRef": {"name": "t"}}],
        },
        "status": {"conditions": listed},
    }


def test_requests_without_a_final_answer_of_a_known_class_are_open() -> None:
    assert provisioning.is_open(
        request(provisioning.CHECK, 1, Accepted="True", Provisioned="False")
    )
    assert not provisioning.is_open(request("other.example.com", 1))
    for kind in ("Provisioned", "Failed", "BookingExpired", "CapacityRevoked"):
        assert not provisioning.is_open(request(provisioning.ATOMIC, 1, **{kind: "True"}))


def test_check_capacity_makes_no_node_and_atomic_makes_all_or_none() -> None:
    templates = {"t": {"template": pod("4")}}
    room = [Room(SMALL.node(1))]
    for of, count, status, reason, more in (
        (provisioning.CHECK, 1, "True", "CapacityIsFound", {}),
        (provisioning.CHECK, 2, "False", "CapacityIsNotFound", None),
        (provisioning.ATOMIC, 2, "True", "CapacityIsProvisioned", {"small": 1}),
        (provisioning.ATOMIC, 3, "False", "CapacityIsNotFound", None),
    ):
        asked = request(of, count)
        pods = provisioning.pods_of(asked, templates)
        found = provisioning.answer(asked, pods, room, [SMALL], {"small": 1})
        assert found[1:3] == (status, reason)
        assert (found[0].more if found[0] else None) == more


def test_a_pod_with_a_node_uses_what_was_booked_by_its_annotation() -> None:
    asked = request(provisioning.CHECK, 1)
    using = pod(nodeName="x")
    using["metadata"]["annotations"] = {provisioning.CONSUME: "r"}
    assert provisioning.uses(using, asked)
    assert not provisioning.uses(pod(nodeName="x"), asked)
    using["spec"].pop("nodeName")
    assert not provisioning.uses(using, asked)


def test_a_refused_pod_is_demand_unless_it_uses_a_request() -> None:
    """A new node is not ready at once; its pods are refused meanwhile, and need no further one."""
    refused = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    of_nobody = {**pod(), "status": {"conditions": [refused]}}
    assert loop.is_demand(of_nobody)
    assert not loop.is_demand({**pod(nodeName="small-1"), "status": {"conditions": [refused]}})
    uses = {**of_nobody["metadata"], "annotations": {provisioning.CONSUME: "train-1"}}
    assert not loop.is_demand({**of_nobody, "metadata": uses})
