"""The controller's pages: liveness, readiness and metrics."""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

import writer_fixture
from elasticquota import names
from elasticquota.model.decision import (
    Decisions,
    Eviction,
    ProfileStatus,
    QuotaStatus,
    Release,
    Wait,
)
from elasticquota.model.key import Key
from elasticquota.model.resource_hours import ResourceHours, Totals
from elasticquota.structs import replace
from elasticquota_config.sections.metrics import Which
from elasticquota_kube.client import paths
from elasticquota_kube.eviction import EvictionAnswer
from elasticquota_operator.pages import http
from elasticquota_operator.pages.metrics import Telemetry


NEW_YEAR = 1_767_225_600
"""What the clock of the pages says: 2026-01-01T00:00:00Z."""


@dataclass
class Pages:
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    leading: bool = True
    created: dict[Key, str] = field(default_factory=lambda: defaultdict(str))
    now: int = NEW_YEAR

    def __post_init__(self) -> None:
        self.telemetry = Telemetry(
            lambda: self.leading, created=self.created.__getitem__, clock=lambda: float(self.now)
        )
        app = http.application(self.ready, self.telemetry)
        self.client = TestClient(TestServer(app))

    async def get(self, path: str) -> tuple[int, str]:
        async with self.client.get(path) as response:
            return response.status, await response.text()

    async def metrics(self, *statuses: QuotaStatus, **others: Any) -> str:
        """What is shown of these decisions."""
        self.telemetry.decided(Decisions(statuses=statuses, **others), 0.01)
        return (await self.get("/metrics"))[1]


def quota(name: str, **fields: Any) -> QuotaStatus:
    return writer_fixture.status(Key("team", name), **fields)


def waiting(*names: str) -> tuple[Wait, ...]:
    """Pods of these names that wait in quota a."""
    return tuple(Wait(Key("team", name), name, "a", "QuotaExhausted", "no room") for name in names)


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    found = Pages()
    async with found.client:
        yield found


async def test_a_definition_without_dropped_fields_has_a_series_from_the_start(
    pages: Pages,
) -> None:
    before = await pages.metrics()
    series = 'elasticquota_definition_dropped_fields{definition="%s"} %.1f'
    for name in (
        "elasticquotas.scheduling.sigs.k8s.io",
        "elasticquotaprofiles.quota.koordinator.sh",
    ):
        assert series % (name, 0) in before
    pages.telemetry.fields_dropped(paths.QUOTAS, 3)
    after = await pages.metrics()
    assert series % ("elasticquotas.scheduling.sigs.k8s.io", 3) in after


async def test_a_replica_is_ready_after_its_first_decision(pages: Pages) -> None:
    assert (await pages.get("/readyz"))[0] == 503
    pages.ready.set()
    assert await pages.get("/readyz") == (200, "ok\n")


async def test_quota_figures_are_in_base_units_and_from_the_last_cycle(pages: Pages) -> None:
    status = quota("a", used={"cpu": 1500, "memory": 2048})
    text = await pages.metrics(status, waits=waiting("p", "q"), held={"root": 7})
    labels = 'field="used",namespace="team",quota="a",resource="{}",tree="root"'
    assert f"elasticquota_quota{{{labels.format('cpu')}}} 1.5\n" in text
    assert f"elasticquota_quota{{{labels.format('memory')}}} 2048.0\n" in text
    assert 'elasticquota_pending_pods{quota="a",reason="QuotaExhausted"} 2.0\n' in text
    assert 'elasticquota_evictions_held{tree="root"} 7.0\n' in text
    assert 'quota="a"' not in await pages.metrics(), "a deleted quota leaves no series"


async def test_the_trees_of_profiles_say_what_they_share_and_what_is_there(pages: Pages) -> None:
    profile = ProfileStatus(
        Key("platform", "pool"),
        "42",
        1,
        1,
        (),
        mode="Elastic",
        total={"cpu": 20_000, "memory": 4096},
        present={"cpu": 7_500},
    )
    text = await pages.metrics(profiles=(profile,))
    labels = 'mode="Elastic",namespace="platform",profile="pool",resource="cpu"'
    assert f'elasticquota_tree{{field="total",{labels}}} 20.0\n' in text
    assert f'elasticquota_tree{{field="present",{labels}}} 7.5\n' in text


async def test_a_tree_in_observe_mode_has_its_own_gauges(pages: Pages) -> None:
    gone = Eviction(Key("team", "r"), "r", "b", {}, "holds too much")
    text = await pages.metrics(would_wait=waiting("p", "q"), would_evict=(gone,))
    assert 'elasticquota_would_wait_pods{quota="a",reason="QuotaExhausted"} 2.0\n' in text
    assert 'elasticquota_would_reclaim_pods{quota="b"} 1.0\n' in text
    assert "elasticquota_pending_pods{" not in text
    assert "elasticquota_would_wait_pods{" not in await pages.metrics()


async def test_a_standby_shows_no_quota_figures(pages: Pages) -> None:
    pages.leading = False
    text = await pages.metrics(quota("a"))
    assert 'quota="a"' not in text
    assert "elasticquota_leader 0.0\n" in text


def test_koordinators_gauge_is_exposed_by_the_leader_where_configured() -> None:
    leading = True
    plain = Telemetry(lambda: leading)
    telemetry = Telemetry(lambda: leading, for_koordinator=True)
    status = quota("a", parent="dept", tree_id="42", is_parent=True, used={"cpu": 1500})
    for each in (plain, telemetry):
        each.decided(Decisions(statuses=(status,)), 0.01)
    series = (
        'scheduler_elastic_quota_status{field="used",is_parent="true",name="a",parent="dept",'
        'resource="cpu",tree="42"} 1500.0\n'
    )
    assert series in telemetry.exposition().decode()
    assert "scheduler_" not in plain.exposition().decode()
    leading = False
    assert series not in telemetry.exposition().decode()


async def test_a_deleted_quota_leaves_no_series(pages: Pages) -> None:
    """S-30: names of quotas are a tenant's, who may make and delete them without end."""
    for name in ("a", "b"):
        pages.telemetry.asked_to_evict(name, EvictionAnswer.EVICTED)
    pages.telemetry.asked_to_evict(names.DEFAULT_QUOTA, EvictionAnswer.EVICTED)
    text = await pages.metrics(quota("b"))
    assert 'quota="a"' not in text
    assert 'elasticquota_reclaim_evictions_total{answer="Evicted",quota="b"} 1.0\n' in text
    assert f'quota="{names.DEFAULT_QUOTA}"' in text


async def test_calls_evictions_and_failures_are_counted(pages: Pages) -> None:
    pages.telemetry.called("patch", "pods", 409, 0.1)
    pages.telemetry.asked_to_evict("a", EvictionAnswer.BLOCKED)
    pages.telemetry.decide_failed()
    pages.telemetry.unreadable(paths.PODS)
    text = await pages.metrics(quota("a"))
    assert 'elasticquota_api_calls_total{code="409",resource="pods",verb="patch"} 1.0\n' in text
    assert 'elasticquota_unreadable_objects_total{resource="pods"} 1.0\n' in text
    assert 'elasticquota_reclaim_evictions_total{answer="Blocked",quota="a"} 1.0\n' in text
    assert "elasticquota_decide_failures_total 1.0\n" in text
    assert "elasticquota_build_info{version=" in text


def _release(name: str, quota: str) -> Release:
    return Release(Key("team", name), name, quota, 0, "")


async def test_an_admission_is_counted_with_the_time_since_the_creation(pages: Pages) -> None:
    pages.created[Key("team", "p")] = "2025-12-31T23:58:20Z"
    pages.telemetry.admitted(_release("p", "a"))
    pages.telemetry.admitted(_release("gone", "a"))
    text = await pages.metrics(quota("a"))
    assert 'elasticquota_admitted_total{quota="a"} 2.0\n' in text
    assert 'elasticquota_admission_wait_seconds_sum{quota="a"} 100.0\n' in text
    assert 'elasticquota_admission_wait_seconds_count{quota="a"} 1.0\n' in text
    assert 'quota="a"' not in await pages.metrics(), "a deleted quota leaves no series"


async def test_the_age_of_the_oldest_that_waits_is_that_of_its_creation(pages: Pages) -> None:
    pages.created[Key("team", "old")] = "2025-12-31T23:00:00Z"
    pages.created[Key("team", "new")] = "2025-12-31T23:59:00Z"
    text = await pages.metrics(waits=waiting("new", "old"))
    assert 'elasticquota_oldest_pending_seconds{quota="a"} 3600.0\n' in text


async def test_an_eviction_names_both_quotas_and_the_right(pages: Pages) -> None:
    there = tuple(quota(name) for name in ("a", "b"))
    gone = Eviction(Key("team", "p"), "p", "a", {}, "", owner="b", right="min")
    pages.telemetry.evicted(gone)
    pages.telemetry.evicted(replace(gone, owner="", right="limit"))
    text = await pages.metrics(*there)
    family = "elasticquota_evictions_total"
    assert f'{family}{{for_quota="b",from_quota="a",reason="Guarantee"}} 1.0\n' in text
    assert f'{family}{{for_quota="",from_quota="a",reason="Limit"}} 1.0\n' in text
    text = await pages.metrics(there[0])
    assert 'for_quota="b"' not in text, "one of the two quotas is gone"
    assert f'{family}{{for_quota="",from_quota="a",reason="Limit"}} 1.0\n' in text


async def test_what_is_borrowed_and_lent_is_shown_now_and_over_time(pages: Pages) -> None:
    hours = ResourceHours(
        NEW_YEAR - 90, NEW_YEAR - 60, {"cpu": 2000}, {"memory": 10}, Totals({"cpu": 500}, {})
    )
    status = quota(
        "a",
        min={"cpu": 4000, "memory": 30},
        request={"cpu": 6000, "memory": 20},
        used={"cpu": 6000, "memory": 20},
        resource_hours=hours,
    )
    text = await pages.metrics(status)
    place = 'namespace="team",quota="a",resource="{}",tree="root"'
    assert f'elasticquota_quota{{field="borrowed",{place.format("cpu")}}} 2.0\n' in text
    assert f'elasticquota_quota{{field="borrowed",{place.format("memory")}}} 0.0\n' in text
    assert f'elasticquota_quota{{field="lent",{place.format("memory")}}} 10.0\n' in text
    family = "elasticquota_{}_resource_seconds_total"
    assert f"{family.format('borrowed')}{{{place.format('cpu')}}} 120.5\n" in text
    assert f"{family.format('lent')}{{{place.format('memory')}}} 600.0\n" in text


async def test_the_counter_of_what_is_borrowed_does_not_fall_when_a_decision_or_the_clock_is_late(
    pages: Pages,
) -> None:
    """Prometheus would add all of it again."""
    shown = 'elasticquota_borrowed_resource_seconds_total{namespace="team",quota="a",resource="cpu"'
    hours = ResourceHours(NEW_YEAR - 90, NEW_YEAR - 60, {"cpu": 2000}, {}, Totals({"cpu": 500}, {}))
    since = hours.since

    async def total(hours: ResourceHours) -> float:
        lines = (await pages.metrics(quota("a", resource_hours=hours))).splitlines()
        return next(float(each.split()[-1]) for each in lines if each.startswith(shown))

    assert await total(hours) == 120.5
    late = ResourceHours(since, NEW_YEAR - 2, {}, {}, hours.totals(NEW_YEAR - 2))
    assert await total(late) == 120.5
    again = ResourceHours(since, NEW_YEAR - 2, {"cpu": 9000}, {}, hours.totals(NEW_YEAR - 2))
    assert await total(again) == 134.5
    pages.now = NEW_YEAR - 1
    assert await total(again) == 134.5
    new = ResourceHours(NEW_YEAR - 10, NEW_YEAR - 10, {"cpu": 1000}, {})
    assert await total(new) == 9, "a count that began again is another one"


async def test_the_cover_of_guarantees_is_what_nodes_offer_by_the_mins_below_the_root(
    pages: Pages,
) -> None:
    statuses = (
        writer_fixture.status(Key("platform", "root"), parent="", tree_id="42", is_parent=True),
        quota("a", tree_id="42", min={"cpu": 6000}),
        quota("b", tree_id="42", min={"cpu": 4000}),
        quota("c", tree_id="42", parent="b", min={"cpu": 4000}),
    )
    profile = ProfileStatus(Key("platform", "pool"), "42", 1, 1, (), present={"cpu": 7_500})
    text = await pages.metrics(*statuses, profiles=(profile,))
    assert 'elasticquota_guarantee_cover_ratio{resource="cpu",tree="root"} 0.75\n' in text


@pytest.mark.parametrize(
    ("which", "shown", "counted"),
    [
        ("all", {"root", "dept", "a"}, "a"),
        ("leaves", {"root", "a"}, "a"),
        ("roots", {"root"}, "root"),
    ],
)
def test_quotas_between_and_below_the_roots_can_be_left_out(
    which: Which, shown: set[str], counted: str
) -> None:
    telemetry = Telemetry(lambda: True, which=which)
    statuses = tuple(
        quota(name, is_parent=is_parent, used={"cpu": 1000})
        for name, is_parent in (("root", True), ("dept", True), ("a", False))
    )
    telemetry.decided(Decisions(statuses=statuses, waits=waiting("p")), 0.01)
    telemetry.admitted(_release("q", "a"))
    text = telemetry.exposition().decode()
    figures = [line for line in text.splitlines() if line.startswith("elasticquota_quota{")]
    assert {re.findall('quota="([^"]*)"', line)[0] for line in figures} == shown
    assert f'elasticquota_pending_pods{{quota="{counted}",reason="QuotaExhausted"}} 1.0' in text
    assert f'elasticquota_admitted_total{{quota="{counted}"}} 1.0' in text
