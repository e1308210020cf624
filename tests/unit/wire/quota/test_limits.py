"""Limits of a quota: read as written, every fault with its path."""

import pytest

from elasticquota.model import limit
from elasticquota.model.fault import Fault
from elasticquota.model.limit import Limit, QuotaLimits
from elasticquota.wire.quota import limits


def read(written: object) -> tuple[QuotaLimits, list[str]]:
    faults: list[Fault] = []
    return limits.read(written, "here", faults), [*map(str, faults)]


def test_what_was_written_is_read() -> None:
    found = QuotaLimits(9, (Limit(("ann",), ("dev",), {"cpu": 500}, 2), Limit(("*",), (), {}, 1)))
    assert read(limits.document(found)) == (found, [])


def test_no_field_is_no_limit() -> None:
    assert read(None) == (limit.NONE, [])
    assert not limit.NONE


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ([], "here: must be a map, got a list"),
        ({"limit": []}, "here.limit: is no field of limits; it takes applications, people"),
        ({"people": {}}, "here.people: must be a list, got a map"),
        (
            {"people": [{"users": ["a"], "cpu": 1}]},
            "here.people[0].cpu: is no field of a limit; it takes users, groups, max, applications",
        ),
        ({"people": [{"max": {}}]}, "here.people[0]: must name users or groups"),
        ({"applications": -1}, "here.applications: must be a whole number from 0, got -1"),
        ({"people": [{"users": [""]}]}, "here.people[0].users[0]: must be a name or *, got ''"),
        (
            {"people": [{"users": ["a"], "max": {"cpu": "-1"}}]},
            "here.people[0].max.cpu: must not be negative, got -1",
        ),
    ],
)
def test_what_cannot_be_read_is_a_fault(written: object, fault: str) -> None:
    assert fault in read(written)[1]
