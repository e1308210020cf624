"""The wait estimate of a quota survives the way through its status."""

from typing import Any

import pytest

from elasticquota.model import moments
from elasticquota.model.wait_estimate import PositionRange, Turnover, WaitEstimate
from elasticquota.wire.quota import wait_estimates


NOON = 1_790_000_000_000

ESTIMATE = WaitEstimate(
    made_at=NOON,
    message="12 pods of team-a ended in the last day",
    positions=(
        PositionRange(1, 600, 2400),
        PositionRange(2, 900, 3600),
        PositionRange(8, 900, None),
    ),
)

TURNOVER = Turnover(
    since=NOON - 86_400_000,
    at=NOON,
    pods_last_hour=3,
    pods_last_day=15,
    freed_last_hour={"cpu": 1_500, "memory": 2 * 1024**3},
    freed_last_day={"cpu": 60_000},
    starts=40,
    starts_in_range=33,
)


def test_an_estimate_says_when_it_was_made_and_what_is_expected() -> None:
    assert wait_estimates.estimate(ESTIMATE) == {
        "observedTime": moments.text(NOON),
        "expected": "10 to 40 min",
        "message": "12 pods of team-a ended in the last day",
        "positions": [
            {"position": 1, "lowSeconds": 600, "highSeconds": 2400},
            {"position": 2, "lowSeconds": 900, "highSeconds": 3600},
            {"position": 8, "lowSeconds": 900},
        ],
    }


def test_an_estimate_without_ranges_says_only_why() -> None:
    none = WaitEstimate(NOON, "no pod of team-a ended in the last day")
    assert wait_estimates.estimate(none).keys() == {"observedTime", "message"}


def test_what_is_written_is_read_back() -> None:
    status = {
        "waitEstimate": wait_estimates.estimate(ESTIMATE),
        "turnover": wait_estimates.turnover(TURNOVER),
    }
    assert wait_estimates.read_estimate(status) == ESTIMATE
    assert wait_estimates.read_turnover(status) == TURNOVER


@pytest.mark.parametrize(
    "positions",
    [
        pytest.param([{"position": 1, "lowSeconds": 9, "highSeconds": 8}], id="high below low"),
        pytest.param([{"position": 0, "lowSeconds": 1}], id="position 0"),
        pytest.param([{"position": True, "lowSeconds": 1}], id="a boolean"),
        pytest.param([{"position": 1, "lowSeconds": -1}], id="below 0"),
        pytest.param([{"position": 1, "lowSeconds": 2**70}], id="beyond ten years"),
        pytest.param("soon", id="a text"),
        pytest.param([7], id="a number"),
    ],
)
def test_positions_that_make_no_sense_are_left_out(positions: Any) -> None:
    status = {"waitEstimate": {"observedTime": moments.text(NOON), "positions": positions}}
    found = wait_estimates.read_estimate(status)
    assert found == WaitEstimate(NOON, "")


def test_positions_are_read_up_to_the_first_that_falls() -> None:
    status = {
        "waitEstimate": {
            "observedTime": moments.text(NOON),
            "positions": [
                {"position": 1, "lowSeconds": 60, "highSeconds": 90},
                {"position": 2, "lowSeconds": 50, "highSeconds": 95},
            ],
        }
    }
    found = wait_estimates.read_estimate(status)
    assert found is not None
    assert found.positions == (PositionRange(1, 60, 90),)


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"waitEstimate": None, "turnover": None},
        {"waitEstimate": [], "turnover": "much"},
        {"waitEstimate": {"observedTime": "noon"}, "turnover": {"since": "noon"}},
    ],
)
def test_a_status_without_usable_fields_has_neither(status: dict[str, Any]) -> None:
    assert wait_estimates.read_estimate(status) is None
    assert wait_estimates.read_turnover(status) is None


def test_a_forged_turnover_is_read_as_far_as_it_makes_sense() -> None:
    status = {
        "turnover": {
            "since": moments.text(NOON),
            "observedTime": moments.text(NOON),
            "podsLastDay": -5,
            "freedLastDay": {"cpu": "-1", "memory": "much", "pods": "3", "\n": "1"},
            "starts": 3,
            "startsInRange": 99,
        }
    }
    assert wait_estimates.read_turnover(status) == Turnover(
        since=NOON,
        at=NOON,
        freed_last_day={"pods": 3},
        starts=3,
        starts_in_range=3,
    )
