"""Laws of the parts of a wait estimate, for any amounts, errors and needs."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from elasticquota.forecast import accuracy, positions
from elasticquota.forecast.accuracy import Accuracy, Prediction
from elasticquota.forecast.turnover import Freed, QuotaTurnover
from elasticquota.model.wait_estimate import PositionRange, Turnover, WaitEstimate
from elasticquota.wire.quota import wait_estimates


SECONDS = st.integers(0, accuracy.LONGEST)


AMOUNTS = st.dictionaries(st.sampled_from(("cpu", "memory")), st.integers(1, 2**62), min_size=1)


@given(AMOUNTS, st.integers(1000, 86_400_000), AMOUNTS, st.integers(0, 2**62))
def test_more_room_never_comes_free_sooner(
    freed: dict[str, int], milliseconds: int, wanted: dict[str, int], more: int
) -> None:
    rate = Freed(freed, milliseconds)
    wanted = {key: amount for key, amount in wanted.items() if key in freed}
    larger = {key: amount + more for key, amount in wanted.items()}
    assert 1 <= rate.seconds(wanted) <= rate.seconds(larger)


@given(AMOUNTS, st.integers(1000, 86_400_000), st.integers(1, 2**40))
def test_a_rate_frees_what_it_freed_in_the_time_in_which_it_did(
    freed: dict[str, int], milliseconds: int, factor: int
) -> None:
    rate = Freed(freed, milliseconds)
    assert rate.seconds(freed) == milliseconds // 1000
    assert rate.seconds({key: each * factor for key, each in freed.items()}) == (
        milliseconds * factor // 1000
    )


@given(st.lists(st.tuples(SECONDS, SECONDS), max_size=60), SECONDS, SECONDS)
def test_a_range_has_its_ends_in_order_whatever_the_errors_were(
    waits: list[tuple[int, int]], point: int, later: int
) -> None:
    own = Accuracy()
    for estimated, waited in waits:
        own.note(Prediction(0, "own", estimated, None), waited)
    bounds = accuracy.bounds(own, own, "own")
    found, behind = (accuracy.around(each, bounds) for each in sorted((point, later)))
    for each in (found, behind):
        assert each.high is not None
        assert 0 <= each.low <= each.high <= accuracy.LONGEST
    assert found.low <= behind.low
    assert (found.high or 0) <= (behind.high or 0)


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
    st.tuples(st.integers(0, 50 * 3600).map(lambda s: s * 1000), st.integers(1, 7)),
    min_size=1,
    max_size=40,
)


def turnover(ends: list[tuple[int, int]]) -> QuotaTurnover:
    found = QuotaTurnover(0)
    for at, cpu in ends:
        found.ended(at, {"cpu": cpu, "pods": 1})
    return found


@given(ENDS, st.randoms(use_true_random=False))
def test_the_order_in_which_pods_end_does_not_matter(
    ends: list[tuple[int, int]], dice: object
) -> None:
    shuffled = list(ends)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]
    assert turnover(ends).published() == turnover(shuffled).published()


@given(ENDS, st.integers(0, 3600))
def test_a_restart_keeps_what_came_free_in_the_last_day(
    ends: list[tuple[int, int]], seconds: int
) -> None:
    published = turnover(ends).published()
    assert published is not None
    status = {"turnover": wait_estimates.turnover(published)}
    read: Turnover | None = wait_estimates.read_turnover(status)
    assert read == published
    after = QuotaTurnover(published.at + seconds * 1000)
    after.restore(published)
    assert after.published() == published
    assert after.last_day(published.at).amounts == published.freed_last_day
