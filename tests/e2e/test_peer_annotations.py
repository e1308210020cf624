"""The annotations of the peer follow the figures of a quota, past the real webhook."""

import json
from collections.abc import Callable

import pytest

from elasticquota import names
from scenes import Pool
from waiting import eventually


pytestmark = pytest.mark.cluster


def cpu_in(pool: Pool, annotation: str) -> Callable[[], str]:
    def read() -> str:
        written = (pool.get("team-a")["metadata"].get("annotations") or {}).get(annotation, "{}")
        return str(json.loads(written).get("cpu", ""))

    return read


def test_annotations_follow_what_a_quota_asks_for_and_may_use(pool: Pool) -> None:
    pool.quota("team-a", min=8, max=16)
    pool.pods("team-a", 3)
    for annotation in (names.RUNTIME, names.REQUEST, names.CHILD_REQUEST):
        eventually(cpu_in(pool, annotation), "3")
    pool.pods("team-a", 2, prefix="more")
    eventually(cpu_in(pool, names.RUNTIME), "5")
    assert pool.status("team-a")["conditions"][0]["reason"] == "Accepted"
