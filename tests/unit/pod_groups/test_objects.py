"""Objects of other systems state the size of groups."""

from typing import Any

import pytest

from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.pod_groups import objects, table


ROWS = {row.name: row for row in table.BUILT_IN}


def read(name: str, spec: Any = None, **metadata: Any) -> GroupObject:
    row = ROWS[name]
    assert row.object is not None
    document = {"metadata": {"namespace": "ns", "name": "g", **metadata}, "spec": spec}
    return objects.read(document, row, row.object)


@pytest.mark.parametrize(
    ("name", "spec", "size"),
    [
        ("coscheduling", {"minMember": 3, "scheduleTimeoutSeconds": 10}, 3),
        ("koordinator", {"minMember": 4}, 4),
        ("volcano", {"minMember": 5, "queue": "default"}, 5),
        ("volcano", {}, 1),
        ("volcano", None, 1),
        ("kubernetes", {"schedulingPolicy": {"gang": {"minCount": 6}}}, 6),
        ("kubernetes", {"schedulingPolicy": {"basic": {}}}, 1),
        ("leaderworkerset", {"leaderWorkerTemplate": {"size": 7}}, 7),
    ],
)
def test_each_kind_states_the_size_in_its_own_field(name: str, spec: Any, size: int) -> None:
    assert read(name, spec) == GroupObject(Key("ns", f"{name}/g"), size)


@pytest.mark.parametrize(
    ("mode", "whole"),
    [
        (None, False),
        ({"single": {}}, False),
        ({"all": {}}, True),
        ({"all": None}, False),
        ("Pod", False),
        ("PodGroup", True),
    ],
)
def test_a_group_of_kubernetes_may_say_that_all_of_it_leaves_together(
    mode: Any, whole: bool
) -> None:
    """A union in 1.37 (v1beta1, v1alpha3), a word in 1.36 (v1alpha2)."""
    spec = {"schedulingPolicy": {"gang": {"minCount": 2}}, "disruptionMode": mode}
    assert read("kubernetes", spec) == GroupObject(Key("ns", "kubernetes/g"), 2, whole=whole)


def test_topology_of_a_group_is_left_to_the_scheduler() -> None:
    topology = {"topology": [{"key": "topology.kubernetes.io/rack"}]}
    spec = {"schedulingPolicy": {"gang": {"minCount": 2}}, "schedulingConstraints": topology}
    assert read("kubernetes", spec) == GroupObject(Key("ns", "kubernetes/g"), 2)


def test_the_workers_of_a_set_that_waits_for_its_leader_start_one_by_one() -> None:
    spec = {"startupPolicy": "LeaderReady", "leaderWorkerTemplate": {"size": 4}}
    assert read("leaderworkerset", spec).one_by_one
    assert not read("leaderworkerset", {**spec, "startupPolicy": "LeaderCreated"}).one_by_one


@pytest.mark.parametrize(
    ("spec", "got"),
    [
        ({"minMember": 0}, "0"),
        ({"minMember": -1}, "-1"),
        ({"minMember": 100_000}, "100000"),
        ({"minMember": "many"}, "'many'"),
        ({"minMember": True}, "true"),
        ({"minMember": {}}, "a map"),
    ],
)
def test_an_impossible_size_is_a_fault_with_the_object_and_the_field(spec: Any, got: str) -> None:
    found = read("coscheduling", spec)
    assert (found.size, found.fault) == (
        0,
        f"PodGroup ns/g: spec.minMember must be 1 to 99999, got {got}",
    )


@pytest.mark.parametrize("side", ["annotations", "labels"])
def test_a_pod_group_of_koordinator_lists_the_groups_that_start_with_it(side: str) -> None:
    said = {"gang.scheduling.koordinator.sh/groups": '["ns/g", "other/h"]', "bad": 3}
    found = read("koordinator", {"minMember": 2}, **{side: said})
    assert found.together == (Key("ns", "koordinator/g"), Key("other", "koordinator/h"))


def test_a_list_that_cannot_be_read_is_a_fault() -> None:
    said = {"gang.scheduling.koordinator.sh/groups": "g, h"}
    found = read("koordinator", {"minMember": 2}, annotations=said)
    assert found.size == 0
    assert found.fault == (
        "PodGroup ns/g: gang.scheduling.koordinator.sh/groups: must be a JSON list of "
        "namespace/name, got 'g, h'"
    )


@pytest.mark.parametrize("metadata", [None, 3, [], {"namespace": 3}])
def test_an_object_without_a_shape_is_read_without_an_error(metadata: Any) -> None:
    row = ROWS["volcano"]
    assert row.object is not None
    assert objects.read({"metadata": metadata, "spec": []}, row, row.object).fault in {
        "",
        "PodGroup /: metadata: must be a map, got 3",
        "PodGroup /: metadata: must be a map, got a list",
    }
