"""Limits of users and groups that YuniKorn refuses are refused here, with their paths (Y9, Y25)."""

from typing import Any

import pytest

from elasticquota.integrations.yunikorn import queue_rules
from elasticquota.wire.integrations import queues


ROOT = "partitions[0].queues[0]"
A = f"{ROOT}.queues[0]"


def faults(*limits: Any, **more: Any) -> list[str]:
    """Of one queue with these limits."""
    return of({"name": "a", "limits": list(limits), **more})


def of(*children: Any, **partition: Any) -> list[str]:
    root = {"name": "root", "queues": list(children)}
    document = {"partitions": [{"name": "default", "queues": [root], **partition}]}
    return list(map(str, queue_rules.faults(queues.read(document))))


def limit(**said: Any) -> Any:
    return {"maxapplications": 2, **said}


def test_good_ones_have_no_fault() -> None:
    assert (
        faults(
            limit(limit="some", users=["ann", "x@y.z"], groups=["dev"], maxresources={"vcore": 4}),
            limit(users=["*"], groups=["*"]),
            maxapplications=9,
        )
        == []
    )


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (limit(), ": must name users or groups"),
        (limit(users=["a b"]), ".users[0]: must be the name of a user or *, got 'a b'"),
        (limit(groups=["x@y"]), ".groups[0]: must be the name of a group or *, got 'x@y'"),
        (limit(users=["ann", "ann"]), ".users[1]: there is another limit of user ann"),
        (limit(users=["*", "ann"]), ".users[1]: must come before *, which is for all others"),
        (limit(groups=["*"]), ".groups: * must come after a group that is named"),
        ({"users": ["ann"]}, ": must have maxresources or maxapplications"),
        (limit(users=["ann"], maxapplications=0), ".maxapplications: must be from 1, got 0"),
        (
            limit(users=["ann"], maxresources={"vcore": 0}),
            ".maxresources: must be above 0 for some resource",
        ),
        (
            limit(users=["ann"], maxresources={"vcore": "much"}),
            ".maxresources.vcore: 'much' is not a quantity; write a number with an optional suffix "
            "like 500m, 2, 1.5, 64k or 16Gi",
        ),
        (limit(users=["ann"], maxresource={}), ".maxresource: is no field of a limit"),
        (limit(users=[5]), ".users[0]: must be a name or *, got 5"),
        (limit(users=["ann"], maxapplications=-1), ".maxapplications: must be a whole number"),
    ],
)
def test_a_fault_is_reported_with_its_path(said: Any, fault: str) -> None:
    first, *_ = faults(said)
    assert first.startswith(f"{A}.limits[0]{fault}")


def test_no_pod_may_have_more_than_the_queue() -> None:
    said = limit(users=["ann"], maxapplications=6, maxresources={"vcore": 5})
    most = {"max": {"vcore": 4}}
    assert faults(said, maxapplications=5, resources=most) == [
        f"{A}.limits[0].maxapplications: 6 is above 5, that of root.a",
        f"{A}.limits[0].maxresources.vcore: 5 is above 4, the max of root.a",
    ]


def test_no_pod_may_have_more_than_the_queue_above_allows_the_same_one() -> None:
    child = {"name": "b", "limits": [limit(users=["ann"], maxresources={"vcore": 5})]}
    above = limit(users=["ann"], maxapplications=1, maxresources={"vcore": 4})
    at = f"{A}.queues[0].limits[0]"
    assert of({"name": "a", "limits": [above], "queues": [child]}) == [
        f"{at}.maxresources.vcore: 5 is above 4, what root.a allows user ann",
        f"{at}.maxapplications: must be from 1 to 1, what root.a allows user ann, got 2",
    ]


def test_a_queue_without_limits_passes_on_those_of_the_queue_above_and_others_do_not() -> None:
    grandchild = {"name": "c", "limits": [limit(groups=["dev"], maxresources={"vcore": 5})]}
    above = [limit(groups=["dev"], maxresources={"vcore": 4})]
    between: Any = {"name": "b", "queues": [grandchild]}
    (fault,) = of({"name": "a", "limits": above, "queues": [between]})
    assert fault.endswith("5 is above 4, what root.a allows group dev")
    between["limits"] = [limit(users=["ann"])]
    assert of({"name": "a", "limits": above, "queues": [between]}) == []


def test_those_of_the_partition_are_looked_at_too() -> None:
    assert of({"name": "a"}, limits=[limit()]) == [
        "partitions[0].limits[0]: must name users or groups"
    ]


def of_both(root: list[Any], partition: list[Any], *children: Any) -> list[str]:
    """Faults of the limits that a root queue has, and its partition."""
    queue = {"name": "root", "queues": list(children), "limits": root}
    document = {"partitions": [{"queues": [queue], "limits": partition}]}
    return list(map(str, queue_rules.faults(queues.read(document))))


def test_a_partition_and_its_root_have_the_same_limits() -> None:
    fault = "partitions[0].limits: must be those of the root queue, if that has any"
    one, other = limit(users=["ann"]), limit(users=["ann"], maxapplications=3)
    assert of_both([one], [other]) == [fault]
    assert of_both([one], [one]) == of_both([], [one]) == of_both([one], []) == []


def test_limits_of_a_partition_bind_the_queues_as_those_of_the_root() -> None:
    child = {"name": "a", "limits": [limit(users=["ann"], maxapplications=4)]}
    said = [limit(users=["ann"], maxapplications=3)]
    (fault,) = of_both([], said, child)
    assert of_both(said, [], child) == [fault]
    assert fault.endswith(
        "limits[0].maxapplications: must be from 1 to 3, what root allows user ann, got 4"
    )
