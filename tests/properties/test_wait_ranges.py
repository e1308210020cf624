"""Laws of the parts of a wait estimate, for any run times, ages and needs."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from elasticquota.forecast import accuracy, log_buckets, positions, supply
from elasticquota.forecast.accuracy import Accuracy, Prediction
from elasticquota.forecast.supply import Holding
from elasticquota.forecast.survival import ONE, Survival
from elasticquota.forecast.turnover import QuotaTurnover
from elasticquota.model.wait_estimate import PositionRange, Turnover, WaitEstimate
from elasticquota.wire.quota import wait_estimates


BUCKETS = st.integers(0, log_buckets.COUNT - 1)
COUNTS = st.dictionaries(BUCKETS, st.integers(0, 10**6), max_size=8)
HOLDINGS = st.lists(
    st.builds(
        Holding,
        BUCKETS,
        st.integers(0, 2**62),
        st.none() | st.integers(0, 2**63),
    ),
    max_size=8,
)
SECONDS = st.integers(0, log_buckets.LONGEST)


@given(COUNTS, COUNTS)
def test_the_part_that_still_runs_never_grows(
    ended: dict[int, int], outlived: dict[int, int]
) -> None:
    found = Survival(ended, outlived).by_level
    assert found[0] == ONE
    assert all(later <= earlier for earlier, later in itertools.pairwise(found))
    assert found[-1] >= 0


@given(COUNTS, HOLDINGS, st.lists(st.integers(-(2**62), 2**66), min_size=1, max_size=6))
def test_more_room_never_comes_free_sooner(
    ended: dict[int, int], holdings: list[Holding], needs: list[int]
) -> None:
    freed = supply.freed(holdings, Survival(ended, {}))
    assert list(freed) == sorted(freed)
    times = [supply.time_to(freed, need) for need in sorted(needs)]
    known = [at for at in times if at is not None]
    assert known == sorted(known)
    assert times[: len(known)] == known  # once out of reach, always out of reach


@given(HOLDINGS, st.integers(1, 2**40), st.integers(0, 2**20))
def test_a_nearer_deadline_never_frees_room_later(
    holdings: list[Holding], need: int, ends_in: int
) -> None:
    runs = Survival({log_buckets.index(600): 5}, {})
    later = supply.time_to(
        supply.freed([each._replace(ends_in=None) for each in holdings], runs), need
    )
    sooner = supply.time_to(
        supply.freed([each._replace(ends_in=ends_in) for each in holdings], runs), need
    )
    # What starts in the room that came free earlier holds it for a while again.
    assert later is None or sooner is not None


@given(st.lists(st.tuples(SECONDS, SECONDS), max_size=60), st.integers(1, 2000), SECONDS)
def test_a_range_has_its_ends_in_order_whatever_the_errors_were(
    waits: list[tuple[int, int]], position: int, point: int
) -> None:
    own = Accuracy()
    for estimated, waited in waits:
        own.note(Prediction(0, "own", position, estimated, None), waited)
    found = accuracy.of_point(own, own, "own", position, point)
    assert found.high is not None
    assert 1 <= found.low <= found.high <= log_buckets.LONGEST


@st.composite
def estimates(draw: st.DrawFn) -> WaitEstimate:
    """Any that a status may hold."""
    places = sorted(draw(st.sets(st.integers(1, 5000), max_size=8)))
    lows = sorted(draw(st.lists(SECONDS, min_size=len(places), max_size=len(places))))
    widths = draw(st.lists(SECONDS, min_size=len(places), max_size=len(places)))
    found, high = [], 0
    for place, low, width in zip(places, lows, widths, strict=True):
        high = max(high, low + width)
        found.append(PositionRange(place, low, high))
    return WaitEstimate(0, "", tuple(found))


@given(estimates(), st.lists(st.integers(1, 10_000), min_size=2, max_size=6))
def test_ranges_of_later_positions_are_never_earlier(
    estimate: WaitEstimate, asked: list[int]
) -> None:
    found = [positions.of_position(estimate, each) for each in sorted(asked)]
    if not estimate.positions:
        assert found == [None] * len(asked)
        return
    ranges = [each for each in found if each is not None]
    assert len(ranges) == len(asked)
    assert all(each.high is not None and each.low <= each.high for each in ranges)
    for earlier, later in itertools.pairwise(ranges):
        assert earlier.low <= later.low
        assert (earlier.high or 0) <= (later.high or 0)


@given(estimates())
def test_a_written_estimate_is_read_back_or_cut_to_what_may_be_written(
    estimate: WaitEstimate,
) -> None:
    status = {"waitEstimate": wait_estimates.estimate(estimate)}
    assert wait_estimates.read_estimate(status) == estimate


ENDS = st.lists(
    st.tuples(st.integers(0, 50 * 3600).map(lambda s: s * 1000), SECONDS), min_size=1, max_size=40
)


def turnover(ends: list[tuple[int, int]]) -> QuotaTurnover:
    found = QuotaTurnover(0)
    for at, ran in ends:
        found.ended(at, ran, {"cpu": 1 + ran % 7})
    return found


@given(ENDS, st.randoms(use_true_random=False))
def test_the_order_in_which_pods_end_does_not_matter(
    ends: list[tuple[int, int]], dice: object
) -> None:
    shuffled = list(ends)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]
    assert turnover(ends).published(0, 0) == turnover(shuffled).published(0, 0)


@given(ENDS, st.integers(0, 3600))
def test_a_restart_keeps_what_ended_in_the_last_day(
    ends: list[tuple[int, int]], seconds: int
) -> None:
    before = turnover(ends)
    published = before.published(0, 0)
    assert published is not None
    status = {"turnover": wait_estimates.turnover(published)}
    read: Turnover | None = wait_estimates.read_turnover(status)
    assert read == published
    now = published.at + seconds * 1000
    after = QuotaTurnover(now)
    after.restore(published)
    assert after.published(0, 0) == published
    assert after.run_times(now)[0].total() == published.pods_last_day
