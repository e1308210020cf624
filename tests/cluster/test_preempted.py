"""What the stock scheduler preempts, and how it comes back."""

from collections.abc import Callable

import pytest

from scenes import HIGH, Pool
from waiting import eventually


pytestmark = pytest.mark.cluster

SOON = 60


def preempted(pool: Pool) -> list[str]:
    """What the scheduler says of the pods that it took the place of."""
    events = pool.admin.list("Event", pool.namespace)
    return [event["message"] for event in events if event["reason"] == "Preempted"]


def test_a_pod_of_no_quota_preempts_as_everywhere_and_its_victim_gets_its_place_back(
    new_pool: Callable[..., Pool],
) -> None:
    """No gate holds it, so the scheduler does as it does without us; the guarantee comes back."""
    pool = new_pool(nodes=1, cpu=4)
    pool.quota("own", min=4)
    pool.deployment("web", "own", replicas=4)
    eventually(lambda: len(pool.running("own")), 4, within=SOON)
    pool.pod("wild", None, cpu=4, priority=HIGH, nodeSelector={"pool": pool.namespace})
    eventually(lambda: len(preempted(pool)), lambda found: found >= 4, within=SOON)
    eventually(lambda: len(pool.running("own")), 4, within=SOON)
    assert "wild" not in pool.running()
