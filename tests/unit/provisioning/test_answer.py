"""Conditions of a ProvisioningRequest as Cluster Autoscaler documents them, and odd ones."""

from typing import Any

import pytest

from elasticquota.provisioning import answer
from elasticquota.provisioning.answer import ProvisioningAnswer


SET = "2026-11-24T10:00:00Z"
SET_AT = 1_795_514_400_000


def condition(kind: str, status: str = "True", **fields: Any) -> dict[str, Any]:
    return {"type": kind, "status": status, "lastTransitionTime": SET, **fields}


def read(*conditions: Any) -> ProvisioningAnswer:
    return answer.read({"status": {"conditions": list(conditions)}})


ACCEPTED = condition("Accepted", reason="Accepted", message="is accepted")
NOT_FOUND = condition("Provisioned", "False", reason="CapacityIsNotFound", message="tried later")
PROVISIONED = condition("Provisioned", reason="CapacityIsFound", message="Capacity is found")


def test_an_accepted_request_waits_and_says_so() -> None:
    assert read(ACCEPTED) == ProvisioningAnswer("waiting", "Accepted: is accepted", SET_AT)


def test_capacity_that_is_not_found_yet_is_no_refusal() -> None:
    found = read(ACCEPTED, NOT_FOUND)
    assert found == ProvisioningAnswer(
        "waiting", "not provisioned: CapacityIsNotFound: tried later", SET_AT
    )


def test_a_provisioned_request_is_provisioned() -> None:
    assert read(ACCEPTED, PROVISIONED).state == "provisioned"


@pytest.mark.parametrize("kind", ["Failed", "BookingExpired", "CapacityRevoked"])
def test_a_final_condition_refuses_even_what_was_provisioned(kind: str) -> None:
    found = read(ACCEPTED, PROVISIONED, condition(kind, reason="OutOfStock", message="no\nnodes"))
    assert found == ProvisioningAnswer("refused", f"{kind}: OutOfStock: no nodes", SET_AT)


@pytest.mark.parametrize("kind", ["Failed", "Provisioned", "BookingExpired"])
def test_a_condition_that_is_false_or_unknown_decides_nothing(kind: str) -> None:
    assert read(condition(kind, "Unknown"), ACCEPTED).state == "waiting"


def test_no_condition_at_all_is_silence() -> None:
    assert answer.read({}) == ProvisioningAnswer()
    assert read() == ProvisioningAnswer()


def test_a_condition_of_another_kind_shows_that_an_autoscaler_is_there() -> None:
    assert read(condition("Seen")) == ProvisioningAnswer("waiting")


@pytest.mark.parametrize(
    "status",
    [None, 1, "x", [], {"conditions": None}, {"conditions": {"type": "Provisioned"}}],
)
def test_a_status_of_a_wrong_shape_says_nothing(status: Any) -> None:
    assert answer.read({"status": status}) == ProvisioningAnswer()


def test_conditions_with_wrong_values_are_read_as_far_as_they_can_be() -> None:
    found = read(None, 3, {"type": 4}, {"type": "Failed", "status": "True", "message": ["x"]})
    assert found == ProvisioningAnswer("refused", "Failed", None)


def test_a_message_of_any_length_is_one_short_line() -> None:
    found = read(condition("Failed", reason="Long", message="word " * 10_000))
    assert len(found.text) == 300
    assert "\n" not in found.text
