"""The controller's pages: liveness, readiness and metrics."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from aiohttp.test_utils import TestClient, TestServer

import writer_fixture
from elasticquota import names
from elasticquota.model.decision import Decisions, Eviction, ProfileStatus, Wait
from elasticquota.model.key import Key
from elasticquota_kube.client import paths
from elasticquota_kube.eviction import Answer
from elasticquota_operator.pages import http
from elasticquota_operator.pages.metrics import Telemetry


@dataclass
class Pages:
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    leading: bool = True

    def __post_init__(self) -> None:
        self.telemetry = Telemetry(lambda: self.leading)
        app = http.application(self.ready, self.telemetry)
        self.client = TestClient(TestServer(app))

    async def get(self, path: str) -> tuple[int, str]:
        async with self.client.get(path) as response:
            return response.status, await response.text()


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    found = Pages()
    async with found.client:
        yield found


async def test_a_replica_is_ready_after_its_first_decision(pages: Pages) -> None:
    assert (await pages.get("/readyz"))[0] == 503
    pages.ready.set()
    assert await pages.get("/readyz") == (200, "ok\n")


async def test_quota_figures_are_in_base_units_and_from_the_last_cycle(pages: Pages) -> None:
    status = writer_fixture.status(Key("team", "a"), used={"cpu": 1500, "memory": 2048})
    waits = tuple(
        Wait(Key("team", name), name, "a", "QuotaExhausted", "no room") for name in ("p", "q")
    )
    decided = Decisions(statuses=(status,), waits=waits, held={"root": 7})
    pages.telemetry.decided(decided, 0.01)
    text = (await pages.get("/metrics"))[1]
    labels = 'field="used",namespace="team",quota="a",resource="{}",tree="root"'
    assert f"elasticquota_quota{{{labels.format('cpu')}}} 1.5\n" in text
    assert f"elasticquota_quota{{{labels.format('memory')}}} 2048.0\n" in text
    assert 'elasticquota_pending_pods{quota="a",reason="QuotaExhausted"} 2.0\n' in text
    assert 'elasticquota_evictions_held{tree="root"} 7.0\n' in text
    pages.telemetry.decided(Decisions(), 0.01)
    assert 'quota="a"' not in (await pages.get("/metrics"))[1], "a deleted quota leaves no series"


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
    pages.telemetry.decided(Decisions(profiles=(profile,)), 0.01)
    text = (await pages.get("/metrics"))[1]
    labels = 'mode="Elastic",namespace="platform",profile="pool",resource="cpu"'
    assert f'elasticquota_tree{{field="total",{labels}}} 20.0\n' in text
    assert f'elasticquota_tree{{field="present",{labels}}} 7.5\n' in text


async def test_a_tree_in_observe_mode_has_its_own_gauges(pages: Pages) -> None:
    waits = tuple(
        Wait(Key("team", name), name, "a", "QuotaExhausted", "no room") for name in ("p", "q")
    )
    gone = Eviction(Key("team", "r"), "r", "b", {}, "holds too much")
    pages.telemetry.decided(Decisions(would_wait=waits, would_evict=(gone,)), 0.01)
    text = (await pages.get("/metrics"))[1]
    assert 'elasticquota_would_wait_pods{quota="a",reason="QuotaExhausted"} 2.0\n' in text
    assert 'elasticquota_would_reclaim_pods{quota="b"} 1.0\n' in text
    assert "elasticquota_pending_pods{" not in text
    pages.telemetry.decided(Decisions(), 0.01)
    assert "elasticquota_would_wait_pods{" not in (await pages.get("/metrics"))[1]


async def test_a_standby_shows_no_quota_figures(pages: Pages) -> None:
    pages.leading = False
    pages.telemetry.decided(Decisions(statuses=(writer_fixture.status(Key("team", "a")),)), 0.01)
    text = (await pages.get("/metrics"))[1]
    assert 'quota="a"' not in text
    assert "elasticquota_leader 0.0\n" in text


def test_koordinators_gauge_is_exposed_by_the_leader_where_configured() -> None:
    leading = True
    plain = Telemetry(lambda: leading)
    telemetry = Telemetry(lambda: leading, for_peer=True)
    status = writer_fixture.status(
        Key("team", "a"), parent="dept", tree_id="42", is_parent=True, used={"cpu": 1500}
    )
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
        pages.telemetry.evicted(name, Answer.EVICTED)
    pages.telemetry.evicted(names.DEFAULT_QUOTA, Answer.EVICTED)
    pages.telemetry.decided(Decisions(statuses=(writer_fixture.status(Key("team", "b")),)), 0.01)
    text = (await pages.get("/metrics"))[1]
    assert 'quota="a"' not in text
    assert 'elasticquota_reclaim_evictions_total{answer="Evicted",quota="b"} 1.0\n' in text
    assert f'quota="{names.DEFAULT_QUOTA}"' in text


async def test_calls_evictions_and_failures_are_counted(pages: Pages) -> None:
    pages.telemetry.called("patch", "pods", 409, 0.1)
    pages.telemetry.evicted("a", Answer.BLOCKED)
    pages.telemetry.decide_failed()
    pages.telemetry.unreadable(paths.PODS)
    text = (await pages.get("/metrics"))[1]
    assert 'elasticquota_api_calls_total{code="409",resource="pods",verb="patch"} 1.0\n' in text
    assert 'elasticquota_unreadable_objects_total{resource="pods"} 1.0\n' in text
    assert 'elasticquota_reclaim_evictions_total{answer="Blocked",quota="a"} 1.0\n' in text
    assert "elasticquota_decide_failures_total 1.0\n" in text
    assert "elasticquota_build_info{version=" in text
