"""Laws of a week: pods of one size come and go in a tree that is never large enough.

Nodes are lost, quotas edited, releases refused, answers lost, and the controller is restarted; the
guarantees fit what is left. The thorough profile runs many weeks, and busier ones.
"""

from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import settings

from virtual_cluster import departments, random_week, settled, wait_observer
from virtual_cluster.controller import ApiFaults
from virtual_cluster.disturbances import Disturbances
from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE, SECOND
from virtual_cluster.wait_observer import WaitLimit


GRACE = 5 * SECOND
DELAY = 2 * MINUTE
TERMINATION = 20 * SECOND
ANSWERS = 5 * SECOND
"""The longest time until events are seen and calls are repeated."""

_EXAMPLES = settings().max_examples
_WEEKS = range(max(1, _EXAMPLES // 40))
_PAUSE = 15 * MINUTE if _EXAMPLES <= 40 else 4 * MINUTE


@dataclass
class Week:
    disturbances: Disturbances
    owners_waiting: WaitLimit
    takers_from_owners: WaitLimit
    takers_of_shares: WaitLimit

    @property
    def scene(self) -> Scene:
        return self.disturbances.scene


@pytest.fixture(scope="module", params=_WEEKS)
def week(request: pytest.FixtureRequest) -> Week:
    """A week, run once for all laws."""
    faults = ApiFaults(watch_delay=300, call_delay=300, refused=5, failed=5, lost=5)
    disturbances = departments.even(seed=request.param, faults=faults, grace=TERMINATION)
    disturbances.scene.play(MINUTE)
    played = Week(
        disturbances,
        WaitLimit(wait_observer.owners_waiting, GRACE + TERMINATION + ANSWERS),
        WaitLimit(wait_observer.takers_from_owners, GRACE),
        WaitLimit(wait_observer.takers_of_shares, DELAY),
    )
    wait_observer.watch(
        disturbances.scene,
        played.owners_waiting,
        played.takers_from_owners,
        played.takers_of_shares,
    )
    random_week.play(disturbances, Random(request.param), pause=_PAUSE)
    return played


def test_no_pod_within_min_waits_for_longer_than_grace_and_terminations(week: Week) -> None:
    assert week.owners_waiting.faults == []
    assert week.owners_waiting.longest > GRACE


def test_no_quota_keeps_what_an_owner_needs_for_longer_than_the_grace(week: Week) -> None:
    assert week.takers_from_owners.faults == []
    assert week.takers_from_owners.longest > 0


def test_no_quota_keeps_a_pod_of_anothers_share_for_longer_than_the_delay(week: Week) -> None:
    assert week.takers_of_shares.faults == []
    assert week.takers_of_shares.longest > GRACE


def test_fewer_pods_are_evicted_than_created(week: Week) -> None:
    """The bound of evictions is in docs/reclaim.md."""
    assert 50 < len(week.scene.evictions) < week.disturbances.pods


def test_the_week_comes_to_rest_without_faults(week: Week) -> None:
    week.scene.settle()
    assert settled.faults(week.scene) == []
