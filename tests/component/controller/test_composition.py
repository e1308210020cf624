"""The parts of a controller hear of each other, and a cycle calls them, in a fixed order."""

from collections.abc import Iterable
from typing import Any

import pytest

from elasticquota_config import model
from elasticquota_config.model import Configuration
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_operator.composition import Composition
from elasticquota_operator.context.settings import Settings
from elasticquota_operator.cycle import CycleParts


def made(**settings: Any) -> Composition:
    """All parts, of which none runs."""
    chosen = Settings(model.read(settings) if settings else Configuration(), "operator")
    return Composition(chosen, Credentials("http://127.0.0.1:1"), "one", None, lambda: None)


def names(parts: Iterable[object]) -> list[str]:
    return [type(part).__name__ for part in parts]


def called(parts: Composition) -> CycleParts:
    cycle: Any = parts.engine._cycle
    found: CycleParts = cycle._parts
    return found


async def test_a_cycle_refreshes_what_was_seen_before_it_decides_and_writes_in_order() -> None:
    parts = called(made())
    assert names(parts.refreshers) == ["DeviceObjects", "Provisioner", "JobController"]
    assert names(parts.unheld) == ["RootWriter"], "root quotas wait for nothing"
    assert names(parts.holders) == ["AwaitedQuotas", "Provisioner"]
    assert names(parts.writers) == [
        "JobController",
        "QueueUnitWriter",
        "QueueWriter",
        "Ungater",
        "Evictor",
        "DryRunRecorder",
        "Reporter",
        "StatusWriter",
        "NamespaceWriter",
        "QuotaSync",
        "AwaitedQuotas",
        "AnnotationWriter",
    ]


async def test_events_come_first_of_what_hears_of_an_outcome() -> None:
    outcomes = made().context.outcomes
    heard: dict[str, list[Any]] = {
        "admitted": outcomes.on_admitted,
        "evicted": outcomes.on_evicted,
        "suspended": outcomes.on_suspended,
    }
    assert {what: [each.__qualname__ for each in heard[what]] for what in heard} == {
        "admitted": ["Telemetry.admitted"],
        "evicted": ["Reporter.evicted", "Forecasts.evicted", "Telemetry.evicted"],
        "suspended": ["Reporter.suspended", "Forecasts.evicted", "Telemetry.evicted"],
    }


@pytest.mark.parametrize("queues_jobs", [False, True])
async def test_jobs_are_watched_only_where_a_kind_of_job_is_queued(queues_jobs: bool) -> None:
    watched = names(made(dialects={"jobs": queues_jobs}).followers)
    of_jobs = {"PriorityClasses", "QueueUnitWriter", "QueueWriter", "JobController"}
    assert of_jobs & set(watched) == (of_jobs if queues_jobs else set())
    assert "Provisioner" in watched
