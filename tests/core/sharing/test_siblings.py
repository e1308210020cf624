"""Siblings share anew only where a change can move a share; the arithmetic is ``test_level``."""

from elasticquota.sharing import weight
from elasticquota.sharing.siblings import Siblings
from elasticquota.sharing.weight import Wish


def siblings(total: int, *requests: int, keeps: bool = False, weigh: int | None = None) -> Siblings:
    """Children with min 5, max 40 and weight 1 (or a capped one), settled at ``total``."""
    wish = Wish(1, capped=False) if weigh is None else Wish(weigh, capped=True)
    count = len(requests)
    found = Siblings(
        "p",
        mins=[5] * count,
        caps=[40] * count,
        wishes=[wish] * count,
        keeps=[keeps] * count,
        requests=requests,
        holdings=[0] * count,
    )
    found.refill(total)
    found.divide()
    return found


def queued(found: Siblings) -> bool:
    """Whether they wait to share anew; they wait once."""
    assert len(found.queue) == found.stale
    return found.stale


def test_siblings_begin_with_nothing_and_in_no_queue() -> None:
    found = Siblings("p", [5], [40], [Wish(1, capped=False)], [False], [7], [0])
    assert (found.stale, found.queue, found.shares) == (True, [], [0])
    assert found.divide() == [0]
    assert found.stale is False


def test_they_share_what_there_is() -> None:
    assert siblings(30, 40, 10).shares == [20, 10]
    assert siblings(99, 70, 10).shares == [40, 10]


def test_an_only_one_who_asks_takes_what_there_is_up_to_its_request() -> None:
    assert siblings(30, 0, 40).shares == [0, 30]
    assert siblings(30, 0, 12).shares == [0, 12]


def test_the_same_total_moves_nobody() -> None:
    found = siblings(30, 40, 10)
    found.refill(30)
    assert not queued(found)
    found.refill(31)
    assert queued(found)
    found.refill(32)
    assert queued(found)


def test_a_request_that_the_max_cuts_to_the_same_reaches_nobody() -> None:
    found = siblings(30, 50, 10)
    assert found.ask(0, 60) is False
    assert found.requests == [60, 10]
    assert not queued(found)


def test_more_unmet_demand_goes_up_but_moves_nobody() -> None:
    found = siblings(30, 30, 30)
    assert found.ask(0, 35) is True
    assert found.hi_sum == 65
    assert not queued(found)


def test_a_request_that_was_met_and_grows_shares_anew() -> None:
    found = siblings(30, 10, 30)
    assert found.ask(0, 11) is True
    assert queued(found)
    assert found.divide() == [11, 19]


def test_a_request_that_falls_to_the_share_shares_anew() -> None:
    found = siblings(30, 30, 30)
    assert found.ask(0, 15) is True
    assert queued(found)


def test_a_guarantee_that_is_asked_for_shares_anew() -> None:
    found = siblings(4, 3, 40)
    assert found.ask(0, 4) is True
    assert queued(found)


def test_a_request_below_min_is_min_where_lending_is_off() -> None:
    found = siblings(30, 1, 2, keeps=True)
    assert (found.requests, found.hi_sum) == ([5, 5], 10)
    assert found.ask(0, 5) is False
    assert found.ask(0, 6) is True
    assert found.ask(0, 0) is True
    assert found.requests == [5, 5]


def test_what_runs_below_min_changes_no_floor() -> None:
    found = siblings(30, 40, 10)
    assert found.hold(0, 5) is False
    assert not queued(found)
    assert found.hold(0, 25) is True
    assert queued(found)
    assert found.divide() == [25, 5]


def test_what_runs_counts_only_as_far_as_it_is_asked_for() -> None:
    found = siblings(30, 8, 30)
    assert found.hold(0, 25) is True
    assert (found.floors, found.lo) == ([25, 5], [8, 5])


def test_a_cap_on_weights_that_does_not_bite_moves_nobody() -> None:
    found = siblings(30, 40, 10, weigh=20)
    for available, before in ((20, 90), (90, 20), (20, 20)):
        found.weigh(available, before)
        assert not queued(found)


def test_a_cap_on_weights_that_bites_or_ends_shares_anew() -> None:
    found = siblings(30, 40, 10, weigh=20)
    found.weigh(19, 90)
    assert queued(found)
    assert found.weights == [19, 19]
    found.divide()
    found.queue.clear()
    found.weigh(90, 19)
    assert queued(found)
    assert found.weights == [20, 20]


def test_chosen_weights_are_never_capped() -> None:
    found = siblings(30, 40, 10)
    found.weigh(0, 0)
    assert found.weights == [1, 1]
    assert not queued(found)


def test_unlimited_is_more_than_anything_that_can_be_written() -> None:
    assert weight.UNLIMITED == 2**512
