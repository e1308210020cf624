"""A path leads to a field, or with ``*`` to every entry; where there is nothing, to nothing."""

from typing import Any

import pytest

from elasticquota.jobs import paths


DOCUMENT = {
    "spec": {
        "roles": {"Worker": {"n": 2}, "a b": {"n": 1}},
        "groups": [{"groupName": "g", "n": 3}, {"name": "h"}, {}, 7],
        "all": 9,
    }
}

VALUES: list[tuple[str, list[Any]]] = [
    ("spec.all", [9]),
    ("spec.none", [None]),
    ("spec.all.deeper", [None]),
    ("spec.roles.*.n", [2, 1]),
    ("spec.groups.*.n", [3, None, None, None]),
    ("spec.all.*.n", []),
    ("spec.*.*.n", [2, 1, 3, None, None, None]),
]


@pytest.mark.parametrize(("path", "found"), VALUES)
def test_it_leads_to_what_stands_there(path: str, found: list[Any]) -> None:
    assert list(paths.values(DOCUMENT, path)) == found


def test_entries_are_called_by_their_key_their_name_or_their_place() -> None:
    roles = list(paths.entries(DOCUMENT, "spec.roles.*.template"))
    groups = list(paths.entries(DOCUMENT, "spec.groups.*.template"))
    assert [each.name for each in roles] == ["Worker", "a b"]
    assert [each.name for each in groups] == ["g", "h", "2", "3"]
    assert [each.where for each in (*roles, *groups)] == [
        "spec.roles.Worker",
        "spec.roles.'a b'",
        "spec.groups[0]",
        "spec.groups[1]",
        "spec.groups[2]",
        "spec.groups[3]",
    ]


def test_another_path_leads_through_the_same_entry_or_from_the_top() -> None:
    first, *_ = paths.entries(DOCUMENT, "spec.groups.*.template")
    assert (first.at("spec.groups.*.n"), first.at("spec.all")) == (3, 9)
    assert first.shown("spec.groups.*.n") == "spec.groups[0].n"


def test_a_path_through_other_entries_leads_through_the_one_of_the_same_name() -> None:
    document = {**DOCUMENT, "status": {"roles": {"Worker": {"n": 1}}, "of": [{}, {"name": "h"}]}}
    worker, other = paths.entries(document, "spec.roles.*.template")
    assert [each.at("status.roles.*.n") for each in (worker, other)] == [1, None]
    _, named, *_ = paths.entries(document, "spec.groups.*.template")
    assert named.at("status.of.*.name") == "h"
    assert worker.at("status.none.*.n") is None


def test_from_the_top_it_is_shown_as_it_is_written() -> None:
    first, *_ = paths.entries(DOCUMENT, "spec.groups.*.template")
    assert first.shown("spec.all") == "spec.all"


def test_without_a_star_the_entry_is_the_object() -> None:
    (entry,) = paths.entries(DOCUMENT, "spec.template")
    assert (entry.name, entry.at("spec.all")) == ("", 9)


def test_the_smallest_object_with_a_field() -> None:
    assert paths.nested("spec.runPolicy.suspend", True) == {
        "spec": {"runPolicy": {"suspend": True}}
    }


@pytest.mark.parametrize("path", ["spec", "spec.template", "spec.a.*.b", "status.*.*.n"])
def test_what_is_a_path(path: str) -> None:
    assert paths.fault(path) == ""


@pytest.mark.parametrize("path", ["", ".spec", "spec.", "spec..a", "*", "spec.*", "a[0]", "a b"])
def test_what_is_none_is_reported(path: str) -> None:
    assert paths.fault(path) == (
        "must be the names of fields joined by dots, such as spec.template, "
        f"with * for every entry of a map or list, got '{path}'"
    )
