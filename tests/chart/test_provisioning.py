"""Asking an autoscaler for nodes is off; switched on it brings the rights to ask, no more."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from elasticquota import names
from elasticquota_config import model


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

CONTROLLER = ("ClusterRole", "elastic-quota-controller")
CHECK = 'config.provisioning.className="check-capacity.autoscaling.x-k8s.io"'


def test_a_class_brings_the_rights_to_ask_and_no_other(render: Render) -> None:
    before = render()[CONTROLLER]["rules"]
    added = [rule for rule in render(CHECK)[CONTROLLER]["rules"] if rule not in before]
    assert added == [
        {
            "apiGroups": ["autoscaling.x-k8s.io"],
            "resources": ["provisioningrequests"],
            "verbs": ["list", "watch", "create", "delete"],
        },
        {"apiGroups": [""], "resources": ["podtemplates"], "verbs": ["get", "create", "delete"]},
    ]


def test_the_values_arrive_in_the_configuration(render: Render) -> None:
    settings = (
        CHECK,
        "config.provisioning.timeoutSeconds=5",
        'config.provisioning.parameters.a="b"',
    )
    (configuration,) = (
        found["data"]["config.yaml"]
        for (kind, _), found in render(*settings).items()
        if kind == "ConfigMap" and "config.yaml" in found.get("data", {})
    )
    terms = model.parse(configuration).provisioning.terms()
    assert terms is not None
    assert (terms.timeout, terms.parameters) == (5000, (("a", "b"),))


@pytest.mark.parametrize(
    "setting",
    ['className="Not_A_Class"', "timeoutSeconds=0", 'classNames="x"', "backoffSeconds=9999"],
)
def test_a_wrong_value_is_refused(render: Render, setting: str) -> None:
    with pytest.raises(AssertionError, match="provisioning"):
        render(f"config.provisioning.{setting}")


POLICY = ("ValidatingAdmissionPolicy", "elastic-quota-controller-pods")


def test_the_controller_may_write_the_annotations_of_a_booking_and_no_others(
    render: Render,
) -> None:
    def rules(*settings: str) -> dict[str, str]:
        found = render(*settings)[POLICY]["spec"]["validations"]
        return {each["message"]: each["expression"] for each in found}

    (closed,) = (text for text in rules() if "annotation" in text)
    assert closed == "the controller writes no annotations of a pod"
    assert "key in []" in rules()[closed]
    assert "provisioning" not in str(render()[POLICY])
    (opened,) = (text for text in rules(CHECK) if "annotation" in text)
    assert "but those that name the ProvisioningRequest" in opened
    written = {*names.CONSUME_PROVISIONING, *names.PROVISIONING_CLASS}
    (keys,) = set(re.findall(r"key in (\[.+?\])", rules(CHECK)[opened]))
    assert set(yaml.safe_load(keys)) == written
