"""What becomes of an admitted workload, given the answer to its request and the time."""

import pytest

from elasticquota.provisioning import step
from elasticquota.provisioning.answer import ProvisioningAnswer
from elasticquota.provisioning.step import ProvisioningStep, ProvisioningTerms, Verdict


TERMS = ProvisioningTerms(
    "check-capacity.autoscaling.x-k8s.io", timeout=600_000, first_backoff=60_000
)
ASKED = 1_000_000
END = ASKED + 600_000


def after(
    found: ProvisioningAnswer | None, milliseconds: int, attempt: int = 1
) -> ProvisioningStep:
    return step.step("train-1", found, ASKED, attempt, TERMS, ASKED + milliseconds)


def test_a_workload_holds_its_room_while_the_autoscaler_is_at_work() -> None:
    found = after(ProvisioningAnswer("waiting", "Accepted: soon"), 599_999)
    assert (found.verdict, found.due) == ("hold", END)
    assert found.text == (
        "admitted, and holds its room until the autoscaler has nodes for it; "
        "ProvisioningRequest train-1: Accepted: soon; at most 600 s"
    )


def test_the_text_says_that_no_answer_came_yet() -> None:
    assert (
        "ProvisioningRequest train-1: no answer yet; at most 600 s"
        in after(ProvisioningAnswer(), 1).text
    )
    assert "ProvisioningRequest train-1: is being made" in after(None, 1).text


PROVISIONED = ProvisioningAnswer("provisioned", "Provisioned: CapacityIsFound")
NOT_FOUND = ProvisioningAnswer("waiting", "not provisioned: CapacityIsNotFound")


@pytest.mark.parametrize(
    ("found", "milliseconds", "verdict", "text"),
    [
        (PROVISIONED, 0, "start", "Provisioned: CapacityIsFound"),
        (PROVISIONED, 10_000_000, "start", "Provisioned: CapacityIsFound"),
        (NOT_FOUND, 600_000, "back", "not provisioned: CapacityIsNotFound, after 600 s"),
        (None, 600_000, "back", "does not exist, after 600 s"),
        (ProvisioningAnswer(), 600_000, "start", "no autoscaler answered in 600 s"),
    ],
)
def test_a_workload_starts_once_it_is_provisioned_and_goes_back_after_the_time(
    found: ProvisioningAnswer | None, milliseconds: int, verdict: Verdict, text: str
) -> None:
    """Without any answer in time it starts, too."""
    due = ASKED + milliseconds + (60_000 if verdict == "back" else 0)
    expected = ProvisioningStep(verdict, f"ProvisioningRequest train-1: {text}", due)
    assert after(found, milliseconds) == expected


def test_a_refused_workload_goes_back_with_the_message_and_a_growing_back_off() -> None:
    refused = ProvisioningAnswer("refused", "Failed: OutOfStock: no nodes", ASKED + 500)
    for attempt, wait in ((1, 60_000), (2, 120_000), (4, 480_000), (99, 3_600_000)):
        found = after(refused, 1000, attempt)
        assert found == ProvisioningStep(
            "back",
            "ProvisioningRequest train-1: Failed: OutOfStock: no nodes",
            ASKED + 500 + wait,
        )


def test_a_refusal_of_the_future_does_not_lengthen_the_back_off() -> None:
    refused = ProvisioningAnswer("refused", "Failed", ASKED + 10**12)
    assert after(refused, 1000).due == ASKED + 1000 + 60_000
