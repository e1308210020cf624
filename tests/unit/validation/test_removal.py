"""EQ1111: what keeps a quota from being deleted."""

import pytest

import changes
import forests
from elasticquota.model.key import Key
from elasticquota.validation import removal
from elasticquota.validation.change import Change


def lines(before: str, name: str, **facts: object) -> list[str]:
    found = removal.check(changes.removal(before, name, **facts), forests.forest(before))
    return [violation.line for violation in found]


def pods(count: int, namespace: str = "ns") -> tuple[Key, ...]:
    return tuple(Key(namespace, f"p{number}") for number in range(count))


def test_children_hold_a_quota() -> None:
    assert lines("dept; a<dept; b<dept; c", "dept") == [
        "must not be deleted while it has children: a, b. "
        "Delete them first, or give them another parent. [EQ1111]"
    ]


def test_a_quota_with_live_pods_cannot_be_deleted() -> None:
    assert lines("a", "a", pods=pods(7)) == [
        "must not be deleted while it has live pods: ns/p0, ns/p1, ns/p2, ns/p3, ns/p4 and 2 "
        "more. Delete them first, or let them end. [EQ1111]"
    ]
    assert lines("a", "a", pods=pods(6), more_pods=True) == [
        "must not be deleted while it has live pods: ns/p0, ns/p1, ns/p2, ns/p3, ns/p4 and at "
        "least 1 more. Delete them first, or let them end. [EQ1111]"
    ]


def test_an_empty_quota_goes() -> None:
    assert lines("dept; a<dept", "a") == []
    assert lines("a<a", "a") == []


def test_what_goes_with_the_namespace_does_not_hold() -> None:
    before = "dept ns=one; a<dept ns=one"
    facts = {"pods": pods(2, "one"), "namespace_leaves": True}
    assert lines(before, "dept", **facts) == []


def test_what_stays_when_the_namespace_goes_holds() -> None:
    before = "dept ns=one; a<dept ns=two"
    found = lines(before, "dept", pods=pods(1, "two"), namespace_leaves=True)
    assert [line.partition(":")[0] for line in found] == [
        "must not be deleted while it has children",
        "must not be deleted while it has live pods",
    ]


def test_the_younger_of_two_namesakes_holds_nothing() -> None:
    before = "dept ns=one; dept ns=two; a<dept"
    younger = forests.quotas(before)[1]
    assert not [*removal.check(Change(younger, None), forests.forest(before))]


@pytest.mark.parametrize("entry", ["a 5..", "dept 5.. parent"])
def test_edits_are_no_removals(entry: str) -> None:
    assert changes.lines(removal.check, "dept; a<dept", entry, pods=pods(1)) == []
