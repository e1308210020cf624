"""What YuniKorn refuses is refused here with its path, and all of it at once (Y4, Y25)."""

from typing import Any

import pytest

from elasticquota.integrations.yunikorn import queue_rules
from elasticquota.wire.integrations import queues


ROOT = "partitions[0].queues[0]"


def faults(*children: Any, rules: Any = (), **root: Any) -> list[str]:
    top = {"name": "root", "queues": list(children), **root}
    return of({"partitions": [{"name": "default", "queues": [top], "placementrules": list(rules)}]})


def of(document: Any) -> list[str]:
    return list(map(str, queue_rules.faults(queues.read(document))))


def queue(name: str, *below: Any, guaranteed: Any = None, most: Any = None, **more: Any) -> Any:
    resources = {"guaranteed": guaranteed or {}, "max": most or {}}
    return {"name": name, "queues": list(below), "resources": resources, **more}


def test_seed_004_quota_configuration_a_child_may_not_have_more_than_its_parent() -> None:
    """Set "larger than its parent queue's quota" is "handled as a configuration error"."""
    child = queue("child", most={"memory": 901})
    assert faults(queue("parent", child, most={"memory": 900})) == [
        f"{ROOT}.queues[0].queues[0].resources.max.memory: 901 is above 900, the max of root.parent"
    ]


def test_seed_004_quota_configuration_the_sum_of_the_children_may_be_larger() -> None:
    children = [queue(name, most={"memory": 750}) for name in ("child2", "child3")]
    assert faults(queue("parent", queue("child1"), *children, most={"memory": 900})) == []


def test_seed_004_quota_configuration_a_grandchild_is_held_by_the_queue_above_its_parent() -> None:
    child = queue("c", queue("d", most={"vcore": 5}))
    assert faults(queue("b", child, most={"vcore": 4})) == [
        f"{ROOT}.queues[0].queues[0].queues[0].resources.max.vcore: 5 is above 4, the max of "
        "root.b.c"
    ]


def test_seed_004_quota_configuration_the_root_takes_no_limits() -> None:
    assert faults(queue("a"), resources={"max": {"vcore": 5}}) == [
        f"{ROOT}.resources: the root follows what the cluster has, so it takes none"
    ]


def test_guaranteed_is_within_max() -> None:
    assert faults(queue("a", guaranteed={"memory": "2G"}, most={"memory": "1G"})) == [
        f"{ROOT}.queues[0].resources.guaranteed.memory: 1953125Ki is above 1000000000, its max"
    ]


def test_what_children_are_guaranteed_together_is_within_what_their_parent_is() -> None:
    children = [queue(name, guaranteed={"vcore": 3}) for name in ("b", "c")]
    parent = queue("a", *children, guaranteed={"vcore": 5}, most={"vcore": 5.5})
    assert faults(parent) == [
        f"{ROOT}.queues[0].queues: are guaranteed 6 vcore together, more than {most} of root.a"
        for most in ("5, the guaranteed", "5500m, the max")
    ]


def test_a_queue_that_promises_nothing_stands_for_those_below_it() -> None:
    deep = queue("b", queue("c", guaranteed={"vcore": 6}))
    assert faults(queue("a", deep, guaranteed={"vcore": 5})) == [
        f"{ROOT}.queues[0].queues: are guaranteed 6 vcore together, more than 5, the guaranteed of "
        "root.a"
    ]


@pytest.mark.parametrize("name", ["a.b", "a b", "ä"])
def test_a_name_has_known_characters_only(name: str) -> None:
    assert faults(queue(name)) == [
        f"{ROOT}.queues[0].name: must be at most 64 letters, digits and characters of '_:#/@-', "
        f"got '{name}'"
    ]


def test_two_of_one_name_in_one_place_are_one_too_many() -> None:
    assert faults(queue("a"), queue("A"), queue("b", queue("a"))) == [
        f"{ROOT}.queues[1].name: there is another queue 'a' in the same place"
    ]
    default = {"queues": [queue("root")]}
    assert of({"partitions": [default, {"name": "default", **default}]}) == [
        "partitions[1].name: there is another partition 'default'"
    ]


def test_applications_are_no_more_than_the_queue_above_has() -> None:
    children = [queue("b", maxapplications=3), queue("c"), queue("d", maxapplications=2)]
    lead = f"{ROOT}.queues[0].queues"
    assert faults(queue("a", *children, maxapplications=2)) == [
        f"{lead}[0].maxapplications: must be from 1 to 2, which is that of the queue above, got 3",
        f"{lead}[1].maxapplications: must be from 1 to 2, which is that of the queue above, got 0",
    ]
    assert faults(queue("a", maxapplications="many")) == [
        f"{ROOT}.queues[0].maxapplications: must be a whole number from 0, got 'many'"
    ]


def test_a_rule_is_one_of_those_that_there_are_with_what_it_needs() -> None:
    rules = [
        {"name": "provide"},
        {"name": "tag"},
        {"name": "user", "parent": {"name": "fixed"}},
        {"name": "fixed", "value": "root.a", "parent": {"name": "user"}},
        {"name": "Provided", "create": False},
    ]
    lead = "partitions[0].placementrules"
    assert faults(queue("a"), rules=rules) == [
        f"{lead}[0].name: must be provided, user, fixed or tag, got 'provide'",
        f"{lead}[1].value: must be given for the rule tag",
        f"{lead}[2].parent.value: must be given for the rule fixed",
        f"{lead}[3].parent: must not be given, because root.a is a whole path",
    ]


def test_a_field_with_a_letter_too_many_is_reported_wherever_it_stands() -> None:
    document = {
        "partition": [],
        "partitions": [
            {
                "queue": [],
                "placementrules": [{"name": "user", "creates": True}],
                "queues": [
                    queue("a", Max=5),
                    {"name": "b", "resources": {"maximum": {"vcore": 5}}},
                    {"name": "c", "childtemplate": {"resource": {}}},
                ],
            }
        ],
    }
    assert of(document) == [
        "partition: is no field of a configuration",
        "partitions[0].placementrules[0].creates: is no field of a placement rule",
        "partitions[0].queues[0].Max: is no field of a queue",
        "partitions[0].queues[1].resources.maximum: is no field of resources",
        "partitions[0].queues[2].childtemplate.resource: is no field of a child template",
        "partitions[0].queue: is no field of a partition",
    ]


def test_all_faults_are_reported_at_once_with_what_cannot_be_read_first() -> None:
    bad = queue("a", queue("b", most={"vcore": 9}), most={"memory": "much", "vcore": 8})
    assert [fault.partition(": ")[0] for fault in faults(bad, queue("A"))] == [
        f"{ROOT}.queues[0].resources.max.memory",
        f"{ROOT}.queues[1].name",
        f"{ROOT}.queues[0].queues[0].resources.max.vcore",
    ]


def test_a_partition_has_queues() -> None:
    assert of({"partitions": [{"name": "default"}]}) == ["partitions[0].queues: must be given"]


def test_what_is_not_taken_over_is_no_fault() -> None:
    other = queue("a", most={"cpu": 5}, adminacl="x", limits=[], properties={"a": "b"})
    document = {
        "partitions": [{"queues": [other], "limits": [], "nodesortpolicy": {"type": "fair"}}]
    }
    assert of(document) == []
