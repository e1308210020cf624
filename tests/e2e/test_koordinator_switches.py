"""Koordinator's switches as values: runtime off, min not scaled, refusal at creation."""

from collections.abc import Iterator

import pytest

from installation import Installation
from scenes import PREFIX, Pool, refusal
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.long]

_VALUES = {
    "config": {
        "sharing": {"runtime": False, "scaleMin": False},
        "admission": {"refuseAtCreation": True},
    }
}


@pytest.fixture(scope="module", autouse=True)
def switched(product: Installation) -> Iterator[None]:
    with product.upgraded(_VALUES):
        yield


def test_with_runtime_off_a_quota_uses_its_max_and_nothing_it_uses_is_reclaimed(
    pool: Pool,
) -> None:
    """16 cpu: without the switch, team-b would get back the 8 that are its min."""
    pool.quota("team-a", min=0, max=16)
    pool.quota("team-b", min=8, max=16)
    eventually(lambda: pool.status("team-a")["runtime"]["cpu"], "16")
    pool.pods("team-a", 16)
    eventually(lambda: len(pool.running("team-a")), 16)
    pool.pods("team-b", 2)
    eventually(lambda: len(pool.gated("team-b")), 2)
    stays(lambda: len(pool.running("team-a")), 16, seconds=6)
    assert pool.status("team-a")["runtime"]["cpu"] == "16"


def test_a_pod_beyond_max_is_refused_when_it_is_created(pool: Pool) -> None:
    pool.quota("team", min=2, max=2)
    pool.pods("team", 2)
    eventually(lambda: pool.status("team")["request"].get("cpu"), "2")
    refused = refusal(lambda: pool.pod("late", "team"))
    assert refused.code == 403
    assert f"quota '{pool.name('team')}' takes no more pods: 1 cpu asked" in refused.message
    change = {"metadata": {"annotations": {f"{PREFIX}admission": '{"cpu":"3"}'}}}
    pool.admin.patch("ElasticQuota", pool.name("team"), pool.namespace, change=change)
    eventually(lambda: pool.pod("late", "team")["metadata"]["name"], "late")
    eventually(lambda: "late" in pool.gated("team"), True)
