"""Limits in an annotation of a quota: read as written, every fault with its path."""

import pytest

from elasticquota.model import limit
from elasticquota.model.limit import Limit, Limits
from elasticquota.wire.quota import limits


def read(text: str) -> tuple[Limits, list[str]]:
    faults: list[str] = []
    return limits.read_json(text, "here", faults), faults


def test_what_was_written_is_read() -> None:
    found = Limits(9, (Limit(("ann",), ("dev",), {"cpu": 500}, 2), Limit(("*",), (), {}, 1)))
    assert read(limits.json_text(found)) == (found, [])


def test_no_annotation_is_no_limit() -> None:
    assert read("") == (limit.NONE, [])
    assert not limit.NONE


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[]", "here: must be a JSON map like {\"applications\": 9}, got '[]'"),
        ('{"limit": []}', "here.limit: is no field of limits"),
        ('{"limits": {}}', "here.limits: must be a list, got a map"),
        ('{"limits": [{"users": ["a"], "cpu": 1}]}', "here.limits[0].cpu: is no field of a limit"),
        ('{"limits": [{"max": {}}]}', "here.limits[0]: must name users or groups"),
        ('{"applications": -1}', "here.applications: must be a whole number from 0, got -1"),
        ('{"limits": [{"users": [""]}]}', "here.limits[0].users[0]: must be a name or *, got ''"),
        (
            '{"limits": [{"users": ["a"], "max": {"cpu": "-1"}}]}',
            "here.limits[0].max.cpu: must not be negative, got -1",
        ),
    ],
)
def test_what_cannot_be_read_is_a_fault(text: str, fault: str) -> None:
    assert fault in read(text)[1]
