"""Asking for nodes is off unless a class is set; what cannot be a class is refused."""

import pytest

from elasticquota.provisioning.step import ProvisioningTerms
from elasticquota_config import model


CHECK = "check-capacity.autoscaling.x-k8s.io"


def test_no_autoscaler_is_asked_unless_a_class_is_set() -> None:
    assert model.parse("").provisioning.terms() is None
    assert model.parse("provisioning: {timeoutSeconds: 5}").provisioning.terms() is None


def test_the_section_becomes_the_value_of_the_core_in_milliseconds() -> None:
    text = (
        f"provisioning: {{className: {CHECK}, parameters: {{b: '2', a: '1'}}, "
        "timeoutSeconds: 5, backoffSeconds: 7}"
    )
    assert model.parse(text).provisioning.terms() == ProvisioningTerms(
        CHECK, (("a", "1"), ("b", "2")), timeout=5000, first_backoff=7000
    )


@pytest.mark.parametrize(
    ("section", "fault"),
    [
        ("{className: Check Capacity}", "provisioning.className"),
        ("{timeoutSeconds: 0}", "provisioning.timeoutSeconds"),
        ("{backoffSeconds: 4000}", "provisioning.backoffSeconds"),
        ("{parameters: {a: 1}}", "provisioning.parameters.a"),
        ("{classname: x}", "className"),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(section: str, fault: str) -> None:
    with pytest.raises(model.ConfigurationError, match=fault):
        model.parse(f"provisioning: {section}")
