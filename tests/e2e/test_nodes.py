"""A tree's total follows its nodes: 2 s is the promise, 10 s is what a busy machine gets."""

import json
from collections.abc import Callable

import pytest

from scenes import PREFIX, Pool, condition
from waiting import eventually, seconds_until


pytestmark = pytest.mark.cluster

GENEROUS = 10.0


def published(pool: Pool, annotation: str) -> Callable[[], str]:
    """The cpus that the root quota states."""
    key = f"{PREFIX}{annotation}"
    return lambda: str(
        json.loads(pool.root_quota()["metadata"]["annotations"][key]).get("cpu", "0")
    )


def test_an_added_and_a_removed_node_change_the_total_and_the_min_of_the_root(
    pool: Pool, measured: dict[str, float]
) -> None:
    total = published(pool, "total-resource")
    eventually(total, "16")
    added = pool.add_node(cpu=8)
    measured["root quota follows an added node"] = seconds_until(total, "24", GENEROUS)
    assert pool.root_quota()["spec"]["min"]["cpu"] == "24"
    pool.remove_node(added)
    measured["root quota follows a removed node"] = seconds_until(total, "16", GENEROUS)
    assert pool.root_quota()["spec"]["min"]["cpu"] == "16"


def test_a_cordoned_node_stays_in_the_total_and_is_listed_as_unschedulable(
    pool: Pool, measured: dict[str, float]
) -> None:
    unschedulable = published(pool, "unschedulable-resource")
    eventually(unschedulable, "0")  # once the new nodes are Ready
    pool.cordon(min(pool.nodes()))
    measured["root quota follows a cordoned node"] = seconds_until(unschedulable, "8", GENEROUS)
    assert published(pool, "total-resource")() == "16"


def test_waiting_pods_are_released_when_a_node_comes(pool: Pool) -> None:
    pool.quota("team", min=8, max=64)
    pool.pods("team", 20)
    eventually(lambda: len(pool.running("team")), 16)
    pool.add_node(cpu=8)
    eventually(lambda: (len(pool.running("team")), pool.gated("team")), (20, set()))


def test_use_beyond_a_shrunken_pool_is_shown(pool: Pool) -> None:
    pool.quota("team", min=8, max=64)
    pool.pods("team", 16)
    eventually(lambda: len(pool.running("team")), 16)
    pool.remove_node(min(pool.nodes()))
    eventually(lambda: condition(pool.get("team"), "Overused")["status"], "True")
