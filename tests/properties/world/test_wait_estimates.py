"""Laws of what is published about waits, whatever users, machines and crashes do to a cluster."""

import itertools
import random

from hypothesis import given

import effort
import law_content
import levels
from elasticquota.forecast import estimator
from elasticquota.model.decision import Decisions, QuotaStatus
from elasticquota.model.wait_estimate import WaitEstimate
from virtual_cluster import departments, random_week
from virtual_cluster.controller import ApiFaults
from virtual_cluster.disturbances import Disturbances
from virtual_cluster.timeline import MINUTE, SECOND
from worlds import ROOT


FAULTS = ApiFaults(watch_delay=300, call_delay=300, refused=5, failed=5, lost=5)


def disturbed(dice: random.Random) -> Disturbances:
    """A department that few nodes make wait, with Jobs of up to half an hour."""
    found = departments.disturbances(3, seed=dice.randrange(100), faults=FAULTS, endless=10)
    found.scene.play(MINUTE)
    return found


def in_order(estimate: WaitEstimate) -> bool:
    positions = estimate.positions
    return all(each.high is None or 0 <= each.low <= each.high for each in positions) and all(
        before.position < after.position
        and before.low <= after.low
        and (after.high is None or (before.high is not None and before.high <= after.high))
        for before, after in itertools.pairwise(positions)
    )


@law_content.about(waits=1 / 2)
@effort.one_in(4)
@given(levels.DICE)
def test_a_range_has_its_ends_in_order_and_something_to_go_by(dice: random.Random) -> None:
    found = disturbed(dice)

    def check(decisions: Decisions) -> None:
        by_name = {status.key.name: status for status in decisions.statuses}
        for status in decisions.statuses:
            estimate = status.wait_estimate
            if estimate is None:
                continue
            assert status.pods_gated
            assert estimate.message
            assert in_order(estimate)
            assert not estimate.positions or has_ground(status, by_name[ROOT], estimate)

    found.scene.controller.on_round.append(check)
    random_week.play(found, dice, pause=2 * MINUTE, length=40 * MINUTE)


def has_ground(status: QuotaStatus, root: QuotaStatus, estimate: WaitEstimate) -> bool:
    """Whether pods of the quota or of its tree ended, or it has waited for reclaim before."""
    if "within its min" in estimate.message:
        return True
    ends = [each.turnover.pods_last_day for each in (status, root) if each.turnover is not None]
    return max(ends, default=0) >= estimator.LEAST


@law_content.about(waits=1 / 2)
@effort.one_in(4)
@given(levels.DICE)
def test_after_a_restart_a_queue_that_had_a_range_has_one_again(dice: random.Random) -> None:
    found = disturbed(dice)
    scene = found.scene
    random_week.play(found, dice, pause=2 * MINUTE, length=40 * MINUTE)
    scene.play(20 * SECOND)
    before = with_range(scene.controller.published)
    turnovers = {name: each.turnover for name, each in scene.controller.published.items()}
    scene.controller.restart()
    scene.play(20 * SECOND)
    after = scene.controller.published
    for name in before:
        made = after[name].wait_estimate
        if made is not None and "within its min" not in made.message:
            assert made.positions
        if turnovers[name] is not None:
            assert after[name].turnover is not None


def with_range(statuses: dict[str, QuotaStatus]) -> set[str]:
    return {
        name
        for name, status in statuses.items()
        if status.wait_estimate is not None
        and status.wait_estimate.positions
        and "within its min" not in status.wait_estimate.message
    }
