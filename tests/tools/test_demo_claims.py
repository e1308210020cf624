"""A claim of the demo holds when it is seen; a failed one reports what was expected and seen."""

from collections.abc import Callable, Iterator

import pytest

from demo import claims


class Clock:
    """A clock that advances only by pauses."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def one_after_the_other(*views: str) -> Callable[[], str]:
    """Return each view once, then the last one without end."""

    def endless() -> Iterator[str]:
        yield from views
        while True:
            yield views[-1]

    seen = endless()
    return lambda: next(seen)


def test_a_claim_that_is_true_at_once_takes_no_time(clock: Clock) -> None:
    took = claims.await_equal("it runs", "runs", lambda: "runs", 5, pause=clock.pause, clock=clock)
    assert took == 0


def test_a_claim_may_become_true_later_and_meanwhile_is_called(clock: Clock) -> None:
    drawn: list[float] = []
    look = one_after_the_other("waits", "waits", "runs")
    took = claims.await_equal(
        *("it runs", "runs", look, 5),
        meanwhile=lambda: drawn.append(clock()),
        pause=clock.pause,
        clock=clock,
    )
    assert took > 0
    assert len(drawn) == 2


def test_a_claim_that_stays_false_reports_what_was_expected_and_seen(clock: Clock) -> None:
    with pytest.raises(claims.ClaimError) as refuted:
        claims.await_equal(
            "it runs", {"web": "runs"}, lambda: {"web": "waits"}, 5, pause=clock.pause, clock=clock
        )
    assert refuted.value.claim == "it runs within 5 s"
    assert refuted.value.expected == "web: runs"
    assert refuted.value.seen == "web: waits"
    assert clock.now == pytest.approx(105, abs=0.5)


def test_waiting_for_an_event_that_never_comes_ends() -> None:
    with pytest.raises(claims.ClaimError) as refuted:
        claims.await_true("the first pod is evicted", lambda: False, within=0)
    assert refuted.value.claim == "the first pod is evicted within 0 s"


def test_a_fact_that_differs_refutes_its_claim() -> None:
    claims.hold("the command is refused", "refused", "refused")
    with pytest.raises(claims.ClaimError) as refuted:
        claims.hold("the command is refused", "refused", "accepted")
    assert (refuted.value.expected, refuted.value.seen) == ("refused", "accepted")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1, 2]}, "b: 1\na: 1, 2"),
        ({}, "nothing"),
        ([], "nothing"),
        (frozenset({"b", "a"}), "a, b"),
        (None, "None"),
    ],
)
def test_values_are_written_readably(value: object, text: str) -> None:
    assert claims.spelled(value) == text
