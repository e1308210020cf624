"""Devices are read, never written; switched off, the controller has no rights to them."""

from collections.abc import Callable
from typing import Any

import pytest

from elasticquota_config import model


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

CONTROLLER = ("ClusterRole", "elastic-quota-controller")


def _rules(objects: dict[tuple[str, str], Document]) -> list[Document]:
    return [each for each in objects[CONTROLLER]["rules"] if "resource.k8s.io" in each["apiGroups"]]


def test_the_controller_may_list_and_watch_claims_and_devices(render: Render) -> None:
    (rule,) = _rules(render())
    assert rule["verbs"] == ["list", "watch"]
    assert sorted(rule["resources"]) == [
        "deviceclasses",
        "resourceclaims",
        "resourceclaimtemplates",
        "resourceslices",
    ]


@pytest.mark.parametrize("value", ['"off"', "false"])
def test_switched_off_there_are_no_rights_and_the_file_says_so(render: Render, value: str) -> None:
    objects = render(f"config.dra={value}")
    assert _rules(objects) == []
    (text,) = (
        found["data"]["config.yaml"]
        for (kind, _), found in objects.items()
        if kind == "ConfigMap" and "config.yaml" in found.get("data", {})
    )
    assert model.parse(text).dra == "off"
