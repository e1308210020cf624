"""Koordinator's switches as values: runtime off, min not scaled, refusal at creation."""

from functools import partial
from typing import Any

import pytest

from installation import Installation
from scenes import PREFIX, Pool, refusal
from users import Document
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.long]


@pytest.fixture(scope="module")
def values() -> Document:
    return {
        "config": {
            "sharing": {"runtime": False, "scaleMin": False},
            "admission": {"refuseAtCreation": True},
        }
    }


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
    assert (
        f"quota '{pool.name('team')}' accepts no more pods: this one needs 1 cpu" in refused.message
    )
    change = {"metadata": {"annotations": {f"{PREFIX}admission": '{"cpu":"3"}'}}}
    pool.admin.patch("ElasticQuota", pool.name("team"), pool.namespace, change=change)
    eventually(lambda: pool.pod("late", "team")["metadata"]["name"], "late")
    eventually(lambda: "late" in pool.gated("team"), True)


def _sharing(**switches: bool) -> dict[str, Any]:
    return {"config": {"sharing": switches}}


def test_mins_beyond_the_nodes_stay_whole_without_scaling_and_with_it_are_cut_in_proportion(
    product: Installation, pool: Pool
) -> None:
    """Two mins of 12 on 16 cpu: who comes first uses its own, or each is entitled to 8.

    A quota that holds its min returns nothing in either case, and takes no more in the second.
    """
    with product.upgraded(_sharing(runtime=True, scaleMin=False)):
        for team, pods in (("team-a", 12), ("team-b", 12)):
            pool.quota(team, min=12, max=16)
            pool.pods(team, pods)
            eventually(partial(_running, pool, team), 12 if team == "team-a" else 4, within=60)
        for team in ("team-a", "team-b"):
            eventually(partial(_runtime, pool, team), "12")
        stays(lambda: (_running(pool, "team-a"), _running(pool, "team-b")), (12, 4), seconds=8)
        with product.upgraded(_sharing(runtime=True, scaleMin=True)):
            for team in ("team-a", "team-b"):
                eventually(partial(_runtime, pool, team), "8")
            stays(lambda: (_running(pool, "team-a"), _running(pool, "team-b")), (12, 4), seconds=8)
            pool.delete_pods(*(f"team-a-{number}" for number in range(4)))
            pool.pods("team-a", 4, prefix="again")
            eventually(partial(_running, pool, "team-b"), 8, within=60)
            stays(lambda: (_running(pool, "team-a"), _running(pool, "team-b")), (8, 8))


def _running(pool: Pool, team: str) -> int:
    return len(pool.running(team))


def _runtime(pool: Pool, team: str) -> str:
    return str(pool.status(team)["runtime"]["cpu"])
