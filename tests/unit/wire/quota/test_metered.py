"""Resource-hours in the status of a quota, and back."""

from typing import Any

import pytest

from elasticquota.model.resource_hours import MOST_RESOURCES, ResourceHours, Totals
from elasticquota.structs import replace
from elasticquota.wire.quota import metered


HOURS = ResourceHours(
    1_700_000_000,
    1_700_000_060,
    {"cpu": 1500},
    {"memory": 1024},
    Totals({"cpu": 90_000}, {"memory": 10**24}),
)


def test_a_status_says_what_is_borrowed_and_lent_and_the_totals_until_then() -> None:
    assert metered.document(HOURS) == {
        "since": "2023-11-14T22:13:20Z",
        "observedTime": "2023-11-14T22:14:20Z",
        "borrowed": {"cpu": "1500m"},
        "lent": {"memory": "1Ki"},
        "borrowedSeconds": {"cpu": "90000"},
        "lentSeconds": {"memory": "1" + "0" * 24},
    }


def test_what_was_written_is_read_as_it_was() -> None:
    assert metered.read({"metering": metered.document(HOURS)}) == HOURS


@pytest.mark.parametrize(
    ("edited", "totals"),
    [
        ({"borrowedSeconds": {"cpu": "-1", "memory": "5"}}, {"memory": 5}),
        ({"borrowedSeconds": {"cpu": 7}}, {}),
        ({"borrowedSeconds": {"cpu": "9" * 37}}, {}),
        ({"borrowedSeconds": "much"}, {}),
    ],
)
def test_totals_that_were_edited_into_nonsense_are_left_out(
    edited: dict[str, Any], totals: dict[str, int]
) -> None:
    found = metered.read({"metering": {**metered.document(HOURS), **edited}})
    assert found is not None
    assert found.until_then.borrowed == totals


def test_all_resources_that_a_quota_can_name_are_read() -> None:
    lent = {f"example.com/r{number}": 1 for number in range(MOST_RESOURCES)}
    hours = replace(HOURS, until_then=Totals({}, lent))
    assert metered.read({"metering": metered.document(hours)}) == hours


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"metering": []},
        {"metering": {**metered.document(HOURS), "since": "yesterday"}},
        {"metering": {**metered.document(HOURS), "since": "2030-01-01T00:00:00Z"}},
    ],
)
def test_without_usable_times_there_are_no_resource_hours(status: dict[str, Any]) -> None:
    assert metered.read(status) is None
