"""The forecaster follows the cycles of a controller and adds estimates to the statuses."""

from dataclasses import dataclass, field

import pytest

from elasticquota.forecast import queue_estimates
from elasticquota.forecast.forecaster import Forecaster
from elasticquota.model import moments
from elasticquota.model.clocks import InFlightEviction
from elasticquota.model.decision import Decisions, QuotaStatus
from elasticquota.model.group import Group
from elasticquota.model.pod import Pod
from elasticquota.model.wait_estimate import Turnover, WaitEstimate
from elasticquota.structs import replace
from worlds import ROOT, World


SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


@dataclass
class Followed:
    """A world of 40 cpu whose cycles a forecaster follows; ``now`` is the wall clock, too."""

    world: World = field(default_factory=World)
    forecaster: Forecaster = field(default_factory=Forecaster)
    now: int = (moments.read("2026-01-02T00:00:00Z") or 0) + 0

    def __post_init__(self) -> None:
        self.world.ledger.on_gone = self.forecaster.ended

    def cycle(self, passed: int = MINUTE) -> Decisions:
        self.now += passed
        self.world.ledger.set_time(self.now)
        clocks = self.world.ledger.clocks
        decisions = self.world.decide(self.now)
        self.world.ledger.clocks, kept = clocks, self.world.ledger.clocks
        found = self.forecaster.follow(self.world.ledger, decisions, self.now)
        self.world.ledger.clocks = kept
        return found

    def status(self, quota: str, passed: int = MINUTE) -> QuotaStatus:
        return next(each for each in self.cycle(passed).statuses if each.key.name == quota)

    def estimate(self, quota: str, passed: int = MINUTE) -> WaitEstimate:
        found = self.status(quota, passed).wait_estimate
        assert found is not None
        return found

    def start(self, quota: str, count: int = 1, cpu: int = 1) -> list[Pod]:
        """Add pods that start now."""
        found = []
        for pod in self.world.pods(quota, count, cpu):
            started = replace(pod, started=moments.text(self.now))
            self.world.ledger.upsert_pod(started)
            found.append(started)
        return found

    def end(self, pods: list[Pod]) -> None:
        for pod in pods:
            self.world.ledger.delete_pod(pod.key)


def full(*, ended: int = 10) -> Followed:
    """Team ``a`` may use 8 cpu, and does; ``ended`` of its pods ran for 10 minutes before."""
    found = Followed()
    found.world.quota("a", min=8, max=8)
    found.cycle()
    past = found.start("a", ended)
    found.cycle(10 * MINUTE)
    found.end(past)
    found.start("a", 8)
    found.cycle()
    return found


def test_a_quota_in_which_nothing_waits_has_no_estimate() -> None:
    assert full().status("a").wait_estimate is None


def test_a_quota_whose_queue_empties_has_no_estimate_any_more() -> None:
    found = full()
    (waiting,) = found.world.pods("a", waiting=True)
    assert found.status("a").wait_estimate is not None
    found.world.ledger.delete_pod(waiting.key)
    assert found.status("a").wait_estimate is None


def point(estimate: WaitEstimate, position: int = 1) -> int:
    """The estimated seconds of a position; before there are errors, high is five times of it."""
    (found,) = [each for each in estimate.positions if each.position == position]
    return (found.high or 0) // 5


def test_a_queue_waits_for_the_room_ahead_at_the_rate_at_which_room_came_free() -> None:
    found = full()  # 10 pods of 1 cpu ended in 12 minutes, since it is observed
    seen = 12 * MINUTE // SECOND
    found.world.pods("a", 4, waiting=True)
    made = found.estimate("a")
    assert made.made_at == found.now
    assert made.message == "the share of a is in use; 10 of its pods ended in the last day"
    assert [each.position for each in made.positions] == [1, 2, 4]
    assert point(made, 1) == seen // 10
    assert point(made, 4) == 4 * seen // 10


def test_what_is_free_already_need_not_come_free() -> None:
    found = full()
    (running, *_) = found.world.ledger.snapshot.account("a").running
    found.world.ledger.delete_pod(running.key)
    found.world.pods("a", cpu=3, waiting=True)
    # 11 cpu came free in 12 minutes, and 2 more than the one that is free are needed.
    assert point(found.estimate("a")) == 2 * 12 * 60 // 11


def test_what_ends_in_other_quotas_counts_where_the_nodes_are_short() -> None:
    found = full()
    for name in ("b", "c"):
        found.world.quota(name)
    found.start("c", 32)
    found.world.pods("b", waiting=True)
    assert found.estimate("b").message == (
        f"the nodes of {ROOT} are in use; 10 pods of tree {ROOT} ended in the last day"
    )


def test_what_ends_in_other_quotas_does_not_count_where_the_own_share_is_short() -> None:
    alone, beside = full(), full()
    beside.world.quota("b")
    ending = beside.start("b", 10)
    for each in (alone, beside):
        each.cycle()
    beside.end(ending)
    for each in (alone, beside):
        each.world.pods("a", waiting=True)
    assert alone.estimate("a") == beside.estimate("a")


def test_an_evicted_pod_is_no_room_that_came_free() -> None:
    found = full()
    (running, *_) = found.world.ledger.snapshot.account("a").running
    clocks = found.world.ledger.clocks
    evicted = {running.uid: InFlightEviction(running.key, "a", "b", running.request)}
    found.world.ledger.clocks = replace(clocks, in_flight=evicted)
    found.world.ledger.delete_pod(running.key)
    assert (found.status("a").turnover or Turnover(0, 0)).pods_last_day == 10


def test_where_nothing_of_what_is_short_came_free_there_is_no_range() -> None:
    found = Followed()
    found.world.quota("a", max=8)
    found.cycle()
    past = found.start("a", 5, cpu=0)
    found.cycle(10 * MINUTE)
    found.end(past)
    found.start("a", 8)
    found.world.pods("a", waiting=True)
    made = found.estimate("a")
    assert made.positions == ()
    assert made.message == "no pod of a that ended in the last day held what is short"


@pytest.mark.parametrize(
    ("ended", "message"),
    [
        (0, "no pod of a ended in the last day"),
        (2, "only 2 pods of a ended in the last day, fewer than 3"),
    ],
)
def test_with_too_few_ends_in_the_last_day_there_is_no_range(ended: int, message: str) -> None:
    found = full(ended=ended)
    found.world.pods("a", waiting=True)
    assert (found.estimate("a").positions, found.estimate("a").message) == ((), message)


def test_a_position_further_back_never_starts_earlier() -> None:
    found = full()
    found.world.pods("a", 20, waiting=True)
    positions = found.estimate("a").positions
    assert [each.position for each in positions] == [1, 2, 4, 8, 16]
    lows, highs = [each.low for each in positions], [each.high or 0 for each in positions]
    assert lows == sorted(lows)
    assert highs == sorted(highs)
    assert highs[-1] > highs[0]


def test_a_gang_has_one_position() -> None:
    found = full()
    found.world.pods("a", 4, waiting=True, group=Group("gang", 4))
    found.world.pods("a", 1, waiting=True)
    assert [each.position for each in found.estimate("a").positions] == [1, 2]


def test_an_estimate_stays_while_nothing_changes() -> None:
    found = full()
    found.world.pods("a", waiting=True)
    made = found.estimate("a")
    assert found.estimate("a", SECOND) is made


def test_an_estimate_is_made_again_when_its_upper_end_passed_in_vain() -> None:
    found = full()
    found.world.pods("a", waiting=True)
    first = found.estimate("a")
    high = first.positions[0].high
    assert high is not None
    second = found.estimate("a", high * SECOND)
    assert second.made_at > first.made_at
    assert found.estimate("a", MINUTE) is second


def test_a_queue_that_stands_for_days_is_estimated_a_few_times() -> None:
    found = full()
    found.world.pods("a", waiting=True)
    made = {found.estimate("a", 10 * MINUTE).made_at for _ in range(500)}
    assert len(made) <= 12


def test_changes_within_ten_seconds_make_one_estimate() -> None:
    found = full()
    found.world.pods("a", waiting=True)
    made = found.estimate("a")
    found.world.pods("a", waiting=True)
    decisions = found.cycle(SECOND)
    assert next(s for s in decisions.statuses if s.key.name == "a").wait_estimate is made
    assert decisions.wake_at is not None
    assert decisions.wake_at <= made.made_at + queue_estimates.INTERVAL
    assert found.estimate("a", 9 * SECOND).made_at > made.made_at


def test_a_cycle_makes_few_estimates_and_the_next_ones_make_the_rest() -> None:
    found = Followed(World(nodes=20))
    for number in range(20):
        found.world.quota(f"q{number}", min=1, max=1)
        found.world.pods(f"q{number}", 1)
        found.world.pods(f"q{number}", 1, waiting=True)
    made = []
    for _ in range(3):
        statuses = found.cycle(SECOND).statuses
        made.append(sum(each.wait_estimate is not None for each in statuses))
    assert made == [8, 16, 20]


def test_what_ended_is_published_with_what_it_returned_also_of_the_whole_tree() -> None:
    found = full()
    turnover, of_tree = found.status("a").turnover, found.status(ROOT).turnover
    assert turnover is not None
    assert (turnover.pods_last_hour, turnover.pods_last_day) == (10, 10)
    assert turnover.freed_last_hour == {"cpu": 10_000, "pods": 10}
    assert of_tree is not None
    assert of_tree.pods_last_day == 10


def test_a_start_is_compared_with_what_was_said() -> None:
    found = full()
    found.world.pods("a", waiting=True)
    found.estimate("a")
    running = [p for p in found.world.ledger.snapshot.account("a").running if isinstance(p, Pod)]
    found.end(running[:1])
    decisions = found.cycle(5 * MINUTE)
    assert len(decisions.releases) == 1
    turnover = next(each for each in decisions.statuses if each.key.name == "a").turnover
    assert turnover is not None
    assert (turnover.starts, turnover.starts_in_range) == (1, 1)


def test_a_pod_that_is_deleted_while_it_waits_is_not_compared_and_makes_place() -> None:
    found = full()
    waiting = found.world.pods("a", 70, waiting=True)
    for _ in range(10):
        waiting += found.world.pods("a", waiting=True)
        found.estimate("a", 6 * MINUTE)
    assert held(found) == 64
    for pod in waiting:
        found.world.ledger.delete_pod(pod.key)
    found.world.pods("a", waiting=True)
    turnover = found.status("a").turnover
    assert held(found) == 1
    assert turnover is not None
    assert turnover.starts == 0


def held(found: Followed) -> int:
    """How many promises to workloads of quota ``a`` are kept."""
    promises = found.forecaster._queues._queues["a"].promises
    return sum(map(len, promises.values()))


def test_a_new_process_gives_a_range_at_once_from_what_was_published() -> None:
    before = full()
    before.world.pods("a", waiting=True)
    status = before.status("a")
    assert status.turnover is not None
    after = Followed(before.world, now=before.now)
    after.forecaster.restore("a", status.turnover, after.now)
    made = after.estimate("a")
    assert made.positions
    assert after.status("a").turnover == status.turnover


def test_what_is_observed_is_not_replaced_by_what_was_published() -> None:
    found = full()
    turnover = found.status("a").turnover
    assert turnover is not None
    found.forecaster.restore("a", replace(turnover, freed_last_day={"pods": 10**6}), found.now)
    assert found.status("a").turnover == turnover


def test_of_a_quota_that_is_gone_nothing_stays() -> None:
    found = full()
    found.world.pods("a", waiting=True)
    found.cycle()
    (key,) = [key for key in found.world.ledger.quotas if key.name == "a"]
    found.world.ledger.delete_quota(key)
    found.cycle()
    held = found.forecaster
    assert "a" not in held._queues.quotas()
    assert "a" not in held._turnovers
    assert all(each.key != key for each in held._statuses._after)


def test_a_tree_that_only_observes_gets_no_estimate() -> None:
    found = full()
    found.world.pods("a", waiting=True)
    found.world.observe()
    assert found.status("a").wait_estimate is None


def test_a_quota_within_its_min_learns_from_earlier_waits_for_reclaim() -> None:
    found = Followed()
    found.world.quota("lender", min=20)
    found.world.quota("borrower")
    found.world.pods("borrower", 40)
    said = []
    for _ in range(4):
        found.world.pods("lender", 1, waiting=True)
        found.cycle(SECOND)
        said.append(found.estimate("lender", 40 * SECOND))
        victim = next(iter(found.world.ledger.snapshot.account("borrower").running))
        found.world.ledger.delete_pod(victim.key)
        found.world.carry_out_releases(found.cycle(SECOND))
    *unknown, known = said
    for each in unknown:
        assert each.positions == ()
        assert each.message == "lender is within its min, and no 3 such waits have ended yet"
    assert known.message == "lender is within its min; its last such waits took as long"
    assert known.positions[0].low <= 40 <= (known.positions[0].high or 0)
