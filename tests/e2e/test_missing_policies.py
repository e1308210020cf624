"""The leader says which policies of the release are in force, with the rights of the chart."""

import pytest

import metrics
import policies
from installation import CONTROLLER, Installation
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

OURS = "app.kubernetes.io/part-of=elastic-quota-operator"
VALIDATING = ("ValidatingAdmissionPolicy", policies.BINDING)
GATE = (policies.BINDING, "elastic-quota-gate")


def missing(product: Installation) -> dict[tuple[str, str], float]:
    """The gauge by kind and name, as the leader exposes it."""
    return {
        (labels["kind"], labels["name"]): value
        for pod in product.pods(CONTROLLER).values()
        for labels, value in metrics.of(pod, "elasticquota_policy_missing")
    }


def test_each_policy_and_binding_of_the_release_is_in_force(
    product: Installation, admin: User
) -> None:
    stored = {
        (kind, found["metadata"]["name"])
        for kind in VALIDATING
        for found in admin.list(kind, labelSelector=OURS)
    }
    assert GATE in stored
    eventually(
        lambda: {each for each in missing(product) if each[0] in VALIDATING}, stored, within=70
    )
    # A policy that mutates is among them where the API server holds the pods.
    assert set(missing(product).values()) == {0.0}


@pytest.mark.long
def test_a_binding_that_is_gone_is_missing_until_it_is_back(
    product: Installation, admin: User
) -> None:
    eventually(lambda: missing(product).get(GATE), 0.0, within=70)
    with policies.unbound(admin, "gate"):
        eventually(lambda: missing(product).get(GATE), 1.0, within=70)
    eventually(lambda: missing(product).get(GATE), 0.0, within=70)
