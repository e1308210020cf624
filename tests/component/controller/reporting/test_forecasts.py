"""Forecasts go on from what the statuses say, and keep the history while this process leads."""

from typing import Any

import pytest

from elasticquota.decisions import decide
from elasticquota.model import moments
from elasticquota.model.decision import Decisions, Eviction, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.reclaim_record import NO_HISTORY
from elasticquota.model.resource_hours import ResourceHours, Totals
from elasticquota.model.wait_estimate import Turnover
from elasticquota.structs import replace
from elasticquota.wire.quota import metered, reclaim_records, wait_estimates
from elasticquota_operator.reporting.forecasts import Forecasts
from writer_fixture import Scene


NOON = moments.read("2026-11-20T12:00:00Z") or 0
FREED_LAST_HOUR, FREED_LAST_DAY = {"cpu": 2000, "pods": 2}, {"cpu": 5000, "pods": 5}
TURNOVER = Turnover(NOON - 3_600_000, NOON, 2, 5, FREED_LAST_HOUR, FREED_LAST_DAY, 9, 8)
GONE = Eviction(
    Key("team", "p"),
    "p",
    "b",
    {"cpu": 1000},
    "",
    owner="a",
    preemptor="pod team/x",
    right="min",
)


class Process:
    """Forecasts of one process, which leads or stands by."""

    def __init__(self, scene: Scene, *, leads: bool) -> None:
        self.leads = leads
        self._scene = scene
        self._forecasts = Forecasts(
            scene.context(leading=lambda: self.leads), clock=lambda: NOON / 1000
        )

    def evicts(self, eviction: Eviction = GONE) -> None:
        self._forecasts.evicted(eviction)

    def status(self, name: str) -> QuotaStatus:
        ledger = self._scene.ledger
        ledger.set_time(NOON)
        decisions: Decisions = decide.decide(ledger, 0)
        found = self._forecasts.follow(decisions, 0)
        return next(each for each in found.statuses if each.key.name == name)


@pytest.fixture(autouse=True)
def quotas(scene: Scene) -> None:
    for name in ("a", "b"):
        key = scene.quota(name)
        scene.ledger.upsert_quota(Quota(key, name, "2026-11-20T11:00:00Z"))


def stored(scene: Scene, name: str, **status: Any) -> None:
    """Let the store see another status of a quota."""
    key = Key("team", name)
    before = scene.quotas.get(key)
    assert before is not None
    version = str(int(before["metadata"]["resourceVersion"]) + 1)
    metadata = {**before["metadata"], "resourceVersion": version}
    scene.quotas.upsert({**before, "metadata": metadata, "status": status})


def said(process: Process, name: str) -> dict[str, Any]:
    return reclaim_records.history(process.status(name).history)


async def test_a_new_process_goes_on_with_the_published_turnover_and_with_no_forged_one_later(
    scene: Scene,
) -> None:
    stored(scene, "a", turnover=wait_estimates.turnover(TURNOVER))
    process = Process(scene, leads=True)
    process.status("a")
    forged = replace(TURNOVER, pods_last_day=10**6)
    stored(scene, "a", turnover=wait_estimates.turnover(forged))
    assert process.status("a").turnover == TURNOVER


async def test_an_eviction_is_in_the_history_of_both_quotas(scene: Scene) -> None:
    process = Process(scene, leads=True)
    process.evicts()
    assert scene.touches == 1
    (record,) = said(process, "a")["history"]
    assert record == {
        "time": "2026-11-20T12:00:00Z",
        "since": "2026-11-20T12:00:00Z",
        "evictedFrom": "b",
        "reclaimedFor": "a",
        "workload": "pod team/x",
        "right": "Guarantee",
        "pods": 1,
        "amounts": {"cpu": "1"},
    }
    assert said(process, "b")["history"] == [record]


async def test_a_standby_follows_the_leader_and_goes_on_when_it_leads(scene: Scene) -> None:
    leader, standby = Process(scene, leads=True), Process(scene, leads=False)
    assert standby.status("b").history == NO_HISTORY
    leader.evicts()
    stored(scene, "b", **said(leader, "b"))
    assert said(standby, "b") == said(leader, "b")
    standby.leads = True
    standby.evicts()
    (record,) = said(standby, "b")["history"]
    assert record["pods"] == 2


async def test_a_leader_corrects_a_history_that_others_wrote(scene: Scene) -> None:
    process = Process(scene, leads=True)
    process.evicts()
    before = said(process, "b")
    stored(scene, "b", history=[{**before["history"][0], "pods": 1000}])
    assert said(process, "b") == before


async def test_a_status_of_another_form_says_nothing(scene: Scene) -> None:
    stored(scene, "a", turnover=[1], history={"a": 1}, hours=7)
    assert Process(scene, leads=False).status("a").turnover is None


HOURS = ResourceHours(
    NOON // 1000 - 90, NOON // 1000 - 60, {"cpu": 2000}, {}, Totals({"cpu": 5}, {})
)


async def test_resource_hours_go_on_from_the_stored_status_and_are_kept_while_leading(
    scene: Scene,
) -> None:
    process = Process(scene, leads=False)
    stored(scene, "a", metering=metered.document(HOURS))
    found = process.status("a").resource_hours
    assert found is not None
    # Nothing is borrowed any more; until this cycle the stored amount counts.
    assert found.totals(NOON // 1000) == Totals({"cpu": 5 + 2000 * 60}, {})
    process.leads = True
    stored(scene, "a", metering=metered.document(replace(HOURS, until_then=Totals({}, {}))))
    assert process.status("a").resource_hours == found, "an edit is corrected by the leader"
