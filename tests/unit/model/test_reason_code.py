"""The code at the end of a message."""

import pytest

from elasticquota.model import reason_code, wait_reason


def test_a_code_that_was_written_is_read() -> None:
    said = reason_code.closed_by(
        "parent 'x' takes none [EQ1113]. More: explain", "QuotaNotAccepted"
    )
    assert reason_code.at_end(said) == "QuotaNotAccepted"
    assert wait_reason.of(said) == "QuotaNotAccepted"


@pytest.mark.parametrize("text", ["", "no code", "[Early] no code", "quota a: QuotaExhausted: x"])
def test_a_message_without_a_code_has_none(text: str) -> None:
    assert reason_code.at_end(text) == ""


def test_a_code_of_another_controller_is_no_reason_of_a_wait() -> None:
    assert wait_reason.of("0/3 nodes are available [Unschedulable]") == ""
