"""A sign holds for a text, a condition, the member of a union, or a number."""

from typing import Any

import pytest

from elasticquota.jobs import states
from elasticquota.jobs.adapter import Sign


@pytest.mark.parametrize(
    ("found", "holds"),
    [
        ("All", True),
        ("Single", False),
        ({"All": {}}, True),
        ({"All": None}, False),
        ({"Single": {}}, False),
        ([{"type": "All", "status": "True"}], True),
        ([{"type": "All", "status": "False"}], False),
        (3, False),
        (None, False),
    ],
)
def test_a_sign_holds_for_a_text_a_condition_and_the_member_of_a_union(
    found: Any, holds: bool
) -> None:
    sign = Sign("spec.mode", ("All",))
    assert states.holds(sign, {"spec": {"mode": found}}) is holds


@pytest.mark.parametrize(("found", "holds"), [(1, True), (0, False), (True, False), ({}, False)])
def test_a_sign_without_values_holds_for_a_number(found: Any, holds: bool) -> None:
    assert states.holds(Sign("status.ready"), {"status": {"ready": found}}) is holds
