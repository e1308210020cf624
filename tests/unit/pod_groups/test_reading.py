"""The groups of other systems are read from the labels and annotations of pods."""

import json
from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.pod_groups import reading, table
from elasticquota.pod_groups.adapter import PodGroupAdapter
from elasticquota.wire.kubernetes import pods


ALL = reading.reader(table.chosen(table.NAMES))
GANG = "gang.scheduling.koordinator.sh"
SIG = "pod-group.scheduling.sigs.k8s.io"
LWS = "leaderworkerset.sigs.k8s.io"
YUNIKORN = "yunikorn.apache.org"
TASKS = json.dumps(
    [
        {"name": "driver", "minMember": 1, "minResource": {"cpu": 1}},
        {"name": "executor", "minMember": 3},
    ]
)


def read(
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    spec: dict[str, Any] | None = None,
    groups: reading.Read = ALL,
) -> Pod:
    metadata = {"namespace": "ns", "name": "p", "labels": labels, "annotations": annotations}
    manifest = {"metadata": metadata, "spec": spec or {}}
    return pods.read(msgspec.convert(manifest, pods.PodManifest), (), groups)


@pytest.mark.parametrize(
    ("labels", "annotations", "group"),
    [
        # scheduler-plugins and Volcano: only the object says the size.
        (
            {"scheduling.x-k8s.io/pod-group": "g"},
            {},
            Group("coscheduling/g", 0, "coscheduling/g"),
        ),
        (
            {},
            {"scheduling.k8s.io/group-name": "g"},
            Group("volcano/g", 0, "volcano/g"),
        ),
        (
            {},
            {"scheduling.volcano.sh/group-name": "g"},
            Group("volcano/g", 0, "volcano/g"),
        ),
        # Koordinator: annotations, the sig's label, and the labels of ACK's scheduler.
        (
            {},
            {f"{GANG}/name": "g", f"{GANG}/min-available": "5", f"{GANG}/total-number": "8"},
            Group("koordinator/g", 5, "koordinator/g"),
        ),
        ({SIG: "g"}, {}, Group("koordinator/g", 0, "koordinator/g")),
        (
            {f"{SIG}/name": "g", f"{SIG}/min-available": "2"},
            {},
            Group("koordinator/g", 2, "koordinator/g"),
        ),
        # LeaderWorkerSet: each group of a set is one.
        (
            {f"{LWS}/name": "serve", f"{LWS}/group-index": "7"},
            {f"{LWS}/size": "4"},
            Group("leaderworkerset/serve/7", 4, "leaderworkerset/serve"),
        ),
        ({f"{LWS}/name": "serve"}, {f"{LWS}/size": "4"}, None),
        (
            {f"{LWS}/name": "serve", f"{LWS}/group-index": "7"},
            {f"{LWS}/size": "4", f"{LWS}/exclusive-topology": "rack"},
            None,
        ),
        # YuniKorn: the driver states the sizes, the executors name their group.
        (
            {"applicationId": "app"},
            {f"{YUNIKORN}/task-group-name": "driver", f"{YUNIKORN}/task-groups": TASKS},
            Group(
                "yunikorn/app/driver",
                1,
                "yunikorn/app/driver",
                sizes=(("yunikorn/app/executor", 3),),
            ),
        ),
        (
            {f"{YUNIKORN}/app-id": "app"},
            {f"{YUNIKORN}/task-group-name": "executor"},
            Group("yunikorn/app/executor", 0, "yunikorn/app/executor"),
        ),
        (
            {f"{YUNIKORN}/app-id": "app"},
            {f"{YUNIKORN}/task-groups": '[{"name": "workers", "minMember": 2}]'},
            Group("yunikorn/app/", 1, sizes=(("yunikorn/app/workers", 2),)),
        ),
        ({f"{YUNIKORN}/app-id": "app"}, {}, None),
        ({}, {f"{YUNIKORN}/task-group-name": "executor"}, None),
        # None, and keys without a value.
        ({"app": "web"}, {"note": "x"}, None),
        ({"scheduling.x-k8s.io/pod-group": ""}, {}, None),
    ],
)
def test_each_system_names_the_group_in_its_own_way(
    labels: dict[str, str], annotations: dict[str, str], group: Group | None
) -> None:
    assert read(labels, annotations).group == group


def test_the_scheduling_group_of_kubernetes_is_a_field_of_the_spec() -> None:
    spec = {"schedulingGroup": {"podGroupName": "g"}}
    assert read(spec=spec).group == Group("kubernetes/g", 0, "kubernetes/g")
    assert read(spec={"schedulingGroup": {}}).group is None
    assert read(spec={"schedulingGroup": None}).group is None


def test_our_own_annotations_come_before_those_of_other_systems() -> None:
    labels = {names.POD_GROUP: "g", names.POD_GROUP_SIZE: "3"}
    found = read({**labels, SIG: "other"}, {f"{GANG}/min-available": "2"})
    assert found.group == Group("g", 3)


def test_of_two_systems_the_first_of_the_table_counts() -> None:
    labels = {"scheduling.x-k8s.io/pod-group": "one", SIG: "two"}
    assert read(labels).group == Group("coscheduling/one", 0, "coscheduling/one")
    koordinator = reading.reader(table.chosen(["koordinator"]))
    assert read(labels, groups=koordinator).group == Group("koordinator/two", 0, "koordinator/two")


def test_nothing_of_other_systems_is_read_unless_it_is_chosen() -> None:
    labels = {names.POD_GROUP: "g", SIG: "g", "applicationId": "a"}
    annotations = {f"{GANG}/name": "g", f"{GANG}/min-available": "2"}
    assert read(labels, annotations, groups=reading.reader(())).group is None
    assert read(labels, annotations, groups=pods.no_groups).group is None


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "five", "100000", "1_0", "٥", " 5", "9" * 500])
def test_an_impossible_size_is_a_fault_of_the_group(text: str) -> None:
    group = read({}, {f"{GANG}/name": "g", f"{GANG}/min-available": text}).group
    assert group is not None
    assert group.size == 0
    assert group.fault.startswith(f"{GANG}/min-available must be 1 to 99999, got ")
    assert len(group.fault) < 150


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ('["a/x", "b/y"]', (Key("a", "koordinator/x"), Key("b", "koordinator/y"))),
        # A name alone is one of the same namespace; order and repetitions do not matter.
        ('["y", "ns/x", "y"]', (Key("ns", "koordinator/x"), Key("ns", "koordinator/y"))),
        ("[]", ()),
    ],
)
def test_groups_that_start_together_are_a_json_list(text: str, listed: tuple[Key, ...]) -> None:
    said = {f"{GANG}/name": "x", f"{GANG}/min-available": "2", f"{GANG}/groups": text}
    group = read({}, said).group
    assert group == Group("koordinator/x", 2, "koordinator/x", listed)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("ns/x,ns/y", "must be a JSON list of namespace/name, got 'ns/x,ns/y'"),
        ('{"a": 1}', "must be a JSON list of namespace/name, got '{\"a\": 1}'"),
        ('["ns/x", 3]', "must be a JSON list of namespace/name, got 3 in it"),
        ('["a\\u0000b"]', "must be a JSON list of namespace/name, got 'a?b' in it"),
        (json.dumps([f"ns/g{n}" for n in range(65)]), "must list at most 64 groups, got 65"),
        ("[" * 100_000, "must not be longer than 65536 characters"),
        ("[" * 10_000, "must be a JSON list of namespace/name, got '[[["),
    ],
)
def test_a_list_that_cannot_be_read_is_a_fault_of_the_group(text: str, fault: str) -> None:
    said = {f"{GANG}/name": "x", f"{GANG}/min-available": "2", f"{GANG}/groups": text}
    group = read({}, said).group
    assert group is not None
    assert group.together == ()
    assert group.fault.startswith(f"{GANG}/groups: {fault}")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{}", "must be a JSON list of groups with name and minMember, got '{}'"),
        ("[3]", "must be a JSON list of groups with name and minMember, got another entry"),
        ('[{"minMember": 2}]', "must be a JSON list of groups with name and minMember, got"),
        ('[{"name": "executor"}]', "minMember must be 1 to 99999, got null"),
        ('[{"name": "executor", "minMember": 0}]', "minMember must be 1 to 99999, got 0"),
        ('[{"name": "executor", "minMember": true}]', "minMember must be 1 to 99999, got true"),
        ('[{"name": "executor", "minMember": 1e9}]', "minMember must be 1 to 99999, got 1000000"),
    ],
)
def test_definitions_that_cannot_be_read_are_a_fault_of_the_group(text: str, fault: str) -> None:
    annotations = {f"{YUNIKORN}/task-group-name": "executor", f"{YUNIKORN}/task-groups": text}
    group = read({"applicationId": "app"}, annotations).group
    assert group is not None
    assert group.fault.startswith(f"{YUNIKORN}/task-groups: {fault}")


@pytest.mark.parametrize("name", ["x" * 254, "a\nb", "a\u0000", "x" * 100_000])
def test_a_name_that_no_message_may_contain_is_a_fault_of_the_group(name: str) -> None:
    group = read({}, {f"{GANG}/name": name, f"{GANG}/min-available": "2"}).group
    assert group is not None
    assert (group.name, group.size) == ("koordinator/", 0)
    assert group.fault.startswith(
        "the name of its koordinator group must be 1 to 253 printable characters, got '"
    )
    assert len(group.fault) < 150


def test_a_system_of_the_user_is_a_row() -> None:
    row = PodGroupAdapter("mine", group=("example.com/gang",), size=("example.com/members",))
    groups = reading.reader(table.chosen([], [row]))
    found = read({"example.com/gang": "g"}, {"example.com/members": "4"}, groups=groups)
    assert found.group == Group("mine/g", 4)
    silent = read({"example.com/gang": "g"}, groups=groups).group
    assert silent is not None
    assert silent.fault == "example.com/members must say how many pods start together"


def test_pods_of_one_group_share_one_value() -> None:
    said = {f"{GANG}/name": "g", f"{GANG}/min-available": "5"}
    assert read({}, said).group is read({}, said).group
