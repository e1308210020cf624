"""A message says when the pod may start; to compare messages, that is left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elasticquota.forecast import expectation
from elasticquota.model import moments
from elasticquota.model.decision import Wait
from elasticquota.model.key import Key
from elasticquota.model.wait_estimate import PositionRange, WaitEstimate


NOON = moments.read("2026-11-20T12:00:00Z") or 0
MADE = WaitEstimate(NOON, "", (PositionRange(1, 600, 2400), PositionRange(2, 1200, None)))
SAID = " Expected to start in 10 to 40 min, as of 12:00 UTC."


def test_the_sentence_has_the_range_and_its_time() -> None:
    assert expectation.sentence(MADE, 1, NOON) == SAID


def test_what_has_passed_since_the_estimate_is_taken_off() -> None:
    found = expectation.sentence(MADE, 1, NOON + 300_000)
    assert found == " Expected to start in 5 to 35 min, as of 12:05 UTC."


@pytest.mark.parametrize(
    ("estimate", "position", "now"),
    [
        pytest.param(None, 1, NOON, id="no estimate"),
        pytest.param(WaitEstimate(NOON, "no pod ended"), 1, NOON, id="no range"),
        pytest.param(MADE, 0, NOON, id="in no queue"),
        pytest.param(MADE, 2, NOON, id="no upper end"),
        pytest.param(MADE, 1, NOON + 2_400_000, id="passed in vain"),
    ],
)
def test_without_an_expectation_there_is_no_sentence(
    estimate: WaitEstimate | None, position: int, now: int
) -> None:
    assert expectation.sentence(estimate, position, now) == ""


def wait(text: str, explained: str = "") -> Wait:
    return Wait(Key("a", "x"), "uid", "a", "QuotaExhausted", text, explained=explained)


def test_the_sentence_comes_before_where_to_read_more_and_the_reason_code() -> None:
    short = wait("Waiting for quota a: needs 4 cpu.")
    found = expectation.message(short, SAID)
    assert found == f"Waiting for quota a: needs 4 cpu.{SAID} [QuotaExhausted]"
    more = " More: kubectl elastic-quota explain pod a/x [QuotaExhausted]"
    assert expectation.message(wait("Needs 4 cpu.", "pod a/x"), SAID) == f"Needs 4 cpu.{SAID}{more}"
    assert expectation.message(short, "") == short.message


def test_a_message_says_the_same_whatever_start_it_expects() -> None:
    short, later = wait("Needs 4 cpu.", "pod a/x"), " Expected to start in 2 h, as of 13:00 UTC."
    for said in ("", SAID, later):
        assert expectation.is_said(short, expectation.message(short, said))


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param("", id="none"),
        pytest.param("Needs 5 cpu. [QuotaExhausted]", id="another text"),
        pytest.param("Needs 4 cpu. [NodeLost]", id="another reason"),
        pytest.param("Needs 4 cpu. And 1 gpu. [QuotaExhausted]", id="more"),
        pytest.param(f"Needs 4 cpu.{SAID}", id="no reason"),
    ],
)
def test_another_message_says_something_else(stored: str) -> None:
    assert not expectation.is_said(wait("Needs 4 cpu."), stored)


@given(st.text("ab .:[]", max_size=30), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_message_with_a_sentence_is_the_message(text: str, low: int, width: int) -> None:
    made = WaitEstimate(NOON, "", (PositionRange(1, low, low + width),))
    said = expectation.sentence(made, 1, NOON)
    assert expectation.is_said(wait(text), expectation.message(wait(text), said))
