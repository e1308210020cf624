"""Indivisible pods that borrow are reclaimed like any other."""

from collections.abc import Callable

import pytest

from scenes import HIGH, Pool
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

SOON = 60


def test_one_pod_as_large_as_the_tree_is_reclaimed_for_the_mins_of_others(
    new_pool: Callable[..., Pool],
) -> None:
    """The tenant's min is a part of the pod's size, and its priority is high."""
    pool = new_pool(nodes=1, cpu=8)
    pool.quota("own", min=7)
    pool.quota("tenant", min=1)
    pool.deployment("whole", "tenant", replicas=1, cpu=8, priority=HIGH)
    eventually(lambda: len(pool.running("tenant")), 1, within=SOON)
    pool.pods("own", 7)
    eventually(lambda: len(pool.running("own")), 7, within=SOON)
    eventually(lambda: len(pool.gated("tenant")), 1, within=SOON)
    stays(lambda: pool.running("tenant"), set())
