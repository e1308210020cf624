"""The history of reclaim survives the way through the status of a quota."""

from typing import Any

import pytest

from elasticquota.model import moments
from elasticquota.model.reclaim_record import (
    NO_HISTORY,
    HourTotals,
    ReclaimHistory,
    ReclaimRecord,
)
from elasticquota.wire.quota import reclaim_records


NOON = 1_790_000_000_000

HISTORY = ReclaimHistory(
    records=(
        ReclaimRecord(
            first=NOON - 5_000,
            last=NOON,
            evicted_from="team-b",
            reclaimed_for="team-a",
            workload="pod team-a/train",
            right="min",
            pods=12,
            amounts={"cpu": 4_000},
        ),
        ReclaimRecord(NOON - 60_000, NOON - 60_000, "team-a", "", "", "limit", 1, {"cpu": 500}),
    ),
    hours=(HourTotals(NOON - NOON % 3_600_000, 1, 12),),
)


def test_a_record_names_both_quotas_the_workload_and_the_right() -> None:
    first, limit = reclaim_records.history(HISTORY)["history"]
    assert first == {
        "time": moments.text(NOON),
        "since": moments.text(NOON - 5_000),
        "evictedFrom": "team-b",
        "reclaimedFor": "team-a",
        "workload": "pod team-a/train",
        "right": "Guarantee",
        "pods": 12,
        "amounts": {"cpu": "4"},
    }
    assert limit.keys() == first.keys() - {"reclaimedFor", "workload"}


def test_what_is_written_is_read_back() -> None:
    assert reclaim_records.read_history(reclaim_records.history(HISTORY)) == HISTORY


def test_a_quota_without_evictions_has_no_history() -> None:
    assert reclaim_records.history(NO_HISTORY) == {}


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"history": None, "hours": None},
        {"history": {"a": 1}, "hours": "many"},
        {"history": [None, {"time": "noon"}], "hours": [None, {"hour": "noon"}]},
        {"history": [{"time": moments.text(NOON), "right": ["Limit"], "pods": 1}]},
        {"history": [{"time": moments.text(NOON), "right": "Theft", "pods": 1}]},
        {"history": [{"time": moments.text(NOON), "right": "Limit", "pods": True}]},
        {"hours": [{"hour": moments.text(NOON), "evicted": 1}]},
    ],
)
def test_entries_that_make_no_sense_are_left_out(status: dict[str, Any]) -> None:
    assert reclaim_records.read_history(status) == NO_HISTORY


def test_a_forged_history_is_cut_to_its_length() -> None:
    record = reclaim_records.history(HISTORY)["history"][0]
    found = reclaim_records.read_history({"history": [record] * 10_000})
    assert len(found.records) == reclaim_records.MOST_RECORDS
