"""The meter counts what is borrowed and lent, by the second, at a cost of what changed."""

from typing import Any

import pytest

from elasticquota.metering import meter
from elasticquota.metering.meter import Meter
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.resource_hours import MOST_RESOURCES, ResourceHours, Totals
from elasticquota.structs import replace


TEAM = Key("team", "a")


def status(
    used: int = 0, *, least: int = 8, request: int | None = None, **fields: Any
) -> QuotaStatus:
    """A quota with cpu figures; cores."""
    asked = used if request is None else request
    found = QuotaStatus(
        key=TEAM,
        generation=1,
        tree="root",
        parent="root",
        used={"cpu": used * 1000},
        request={"cpu": asked * 1000},
        runtime={},
        admitted={"cpu": used * 1000},
        min={"cpu": least * 1000},
        max={},
        weight={},
        pods_admitted=0,
        pods_gated=0,
        conditions=(),
    )
    return replace(found, **fields)


def known(found: Meter) -> ResourceHours:
    hours = found.of(TEAM)
    assert hours is not None
    return hours


def test_what_is_used_above_min_is_borrowed_and_the_rest_of_min_is_lent() -> None:
    assert meter.borrowed(status(12)) == {"cpu": 4000}
    assert meter.lent(status(12)) == {}
    assert meter.borrowed(status(6)) == {}
    assert meter.lent(status(6)) == {"cpu": 2000}


def test_what_waiting_pods_ask_for_is_not_lent() -> None:
    assert meter.lent(status(2, request=7)) == {"cpu": 1000}


@pytest.mark.parametrize("fields", [{"is_parent": True}, {"tree": ""}, {"tree": "a"}])
def test_parents_roots_and_quotas_in_no_tree_neither_borrow_nor_lend(
    fields: dict[str, Any],
) -> None:
    assert meter.borrowed(status(12, **fields)) == {}
    assert meter.lent(status(2, **fields)) == {}


def test_an_amount_counts_for_the_seconds_in_which_it_was_in_force() -> None:
    found = Meter()
    assert found.follow((status(12),), 100) == {"a"}
    assert found.follow((status(10),), 160) == {"a"}
    assert found.follow((status(8),), 190) == {"a"}
    assert known(found).totals(1000).borrowed == {"cpu": 4000 * 60 + 2000 * 30}
    assert known(found).since == 100


def test_time_that_passes_is_no_news() -> None:
    found = Meter()
    found.follow((status(12),), 100)
    assert found.follow((status(12),), 160) == set()
    assert known(found).at == 100
    assert known(found).totals(160).borrowed == {"cpu": 240_000}


def test_a_quota_that_never_borrowed_nor_lent_has_no_resource_hours() -> None:
    found = Meter()
    assert found.follow((status(8),), 100) == set()
    assert found.of(TEAM) is None


def test_a_clock_that_is_set_back_takes_nothing_away() -> None:
    found = Meter()
    found.follow((status(12),), 100)
    found.follow((status(9),), 40)
    assert known(found).at == 100
    assert known(found).totals(110).borrowed == {"cpu": 10_000}


def test_a_deleted_quota_is_forgotten() -> None:
    found = Meter()
    found.follow((status(12),), 100)
    found.follow((), 110)
    assert found.of(TEAM) is None


def test_a_quota_that_is_deleted_while_another_is_created_is_forgotten() -> None:
    """Otherwise one of the same name is credited with the time in which there was none."""
    found, root = Meter(), status(key=Key("system", "root"), tree="root")
    found.follow((root, status(2)), 100)
    found.follow((root, status(2, key=Key("team", "b"))), 110)
    assert found.of(TEAM) is None
    found.follow((root, status(2)), 5000)
    assert known(found).since == 5000


def test_resources_that_a_quota_named_once_do_not_add_up_without_end() -> None:
    found = Meter()
    for turn in range(2 * MOST_RESOURCES):
        named = {"cpu": 1000, f"example.com/r{turn}": 1}
        found.follow((replace(status(), min=named, request={}),), turn)
    totals = known(found).totals(10_000).lent
    assert len(totals) <= MOST_RESOURCES + 1, "that of now comes on top"
    assert totals["cpu"] == 1000 * 10_000


def test_a_stored_count_goes_on_with_the_amounts_that_it_says_until_the_next_cycle() -> None:
    """So the time in which no controller ran is counted, too."""
    found = Meter()
    same = status(12)
    found.follow((same,), 300)
    found.restore(TEAM, ResourceHours(0, 100, {"cpu": 2000}, {}, Totals({"cpu": 7}, {})))
    assert found.follow((same,), 400) == {"a"}
    assert known(found).totals(401).borrowed == {"cpu": 7 + 2000 * 300 + 4000}
    assert known(found).since == 0


def test_a_status_that_was_emptied_ends_the_count() -> None:
    found = Meter()
    same = status(12)
    found.follow((same,), 300)
    found.restore(TEAM, None)
    assert found.follow((same,), 400) == {"a"}
    assert known(found).since == 400
