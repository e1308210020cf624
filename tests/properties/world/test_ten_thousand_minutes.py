"""Laws of a week: pods of one size come and go in a tree that is never large enough.

Nodes are lost, quotas edited, releases refused, answers lost, and the controller is started anew;
the guarantees fit what is left. The thorough profile lives through many weeks, and busier ones.
"""

from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import settings

from virtual_cluster import departments, random_week, settled, wait_observer
from virtual_cluster.controller import Troubles
from virtual_cluster.disturbances import Weather
from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE, SECOND
from virtual_cluster.wait_observer import Patience


GRACE = 5 * SECOND
DELAY = 2 * MINUTE
TERMINATION = 20 * SECOND
ANSWERS = 5 * SECOND
"""As long as it takes at most that events are seen and calls are made again."""

_EXAMPLES = settings().max_examples
_WEEKS = range(max(1, _EXAMPLES // 40))
_PAUSE = 15 * MINUTE if _EXAMPLES <= 40 else 4 * MINUTE


@dataclass
class Week:
    weather: Weather
    owners_waiting: Patience
    takers_from_owners: Patience
    takers_of_shares: Patience

    @property
    def scene(self) -> Scene:
        return self.weather.scene


@pytest.fixture(scope="module", params=_WEEKS)
def week(request: pytest.FixtureRequest) -> Week:
    """Played once for all laws."""
    troubles = Troubles(watch_delay=300, call_delay=300, refused=5, failed=5, lost=5)
    weather = departments.even(seed=request.param, troubles=troubles, grace=TERMINATION)
    weather.scene.play(MINUTE)
    played = Week(
        weather,
        Patience(wait_observer.owners_waiting, GRACE + TERMINATION + ANSWERS),
        Patience(wait_observer.takers_from_owners, GRACE),
        Patience(wait_observer.takers_of_shares, DELAY),
    )
    wait_observer.watch(
        weather.scene, played.owners_waiting, played.takers_from_owners, played.takers_of_shares
    )
    random_week.play(weather, Random(request.param), pause=_PAUSE)
    return played


def test_nobody_below_min_waits_for_longer_than_grace_and_terminations(week: Week) -> None:
    assert week.owners_waiting.faults == []
    assert week.owners_waiting.longest > GRACE


def test_no_quota_keeps_what_an_owner_needs_for_longer_than_the_grace(week: Week) -> None:
    assert week.takers_from_owners.faults == []
    assert week.takers_from_owners.longest > 0


def test_no_quota_keeps_a_pod_of_anothers_share_for_longer_than_the_delay(week: Week) -> None:
    assert week.takers_of_shares.faults == []
    assert week.takers_of_shares.longest > GRACE


def test_fewer_pods_are_evicted_than_come(week: Week) -> None:
    """What may be evicted at all is bounded in docs/no-ping-pong.md."""
    assert 50 < len(week.scene.evictions) < week.weather.pods


def test_it_comes_to_rest_and_all_is_right(week: Week) -> None:
    week.scene.settle()
    assert settled.faults(week.scene) == []
