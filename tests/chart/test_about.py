"""What the chart says of itself to Helm and Artifact Hub."""

import base64
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml


@pytest.fixture(name="about")
def _about(chart: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((chart / "Chart.yaml").read_text())
    return document


def test_the_icon_is_a_picture_that_needs_no_address(about: dict[str, Any]) -> None:
    kind, _, data = about["icon"].partition(";base64,")
    assert kind == "data:image/svg+xml"
    assert ET.fromstring(base64.b64decode(data)).tag.endswith("svg")


def test_artifact_hub_reads_the_images_of_this_version(about: dict[str, Any]) -> None:
    (image,) = yaml.safe_load(about["annotations"]["artifacthub.io/images"])
    assert image["image"] == f"elastic-quota-operator:{about['appVersion']}"


def test_artifact_hub_reads_the_definitions_that_are_installed(
    about: dict[str, Any], chart: Path
) -> None:
    carried = [yaml.safe_load(path.read_text()) for path in (chart / "files/crds").iterdir()]
    said = yaml.safe_load(about["annotations"]["artifacthub.io/crds"])
    assert {each["name"]: (each["kind"], each["version"]) for each in said} == {
        each["metadata"]["name"]: (
            each["spec"]["names"]["kind"],
            each["spec"]["versions"][0]["name"],
        )
        for each in carried
    }
    examples = yaml.safe_load(about["annotations"]["artifacthub.io/crdsExamples"])
    assert sorted(each["kind"] for each in examples) == sorted(each["kind"] for each in said)


def test_artifact_hub_knows_the_kinds_of_changes(about: dict[str, Any]) -> None:
    kinds = {"added", "changed", "deprecated", "removed", "fixed", "security"}
    changes = yaml.safe_load(about["annotations"]["artifacthub.io/changes"])
    assert changes
    assert {each["kind"] for each in changes} <= kinds
    assert all(re.fullmatch(r"[A-Z].*[^.]", each["description"]) for each in changes)


def test_every_annotation_is_text_and_the_levels_are_those_of_artifact_hub(
    about: dict[str, Any],
) -> None:
    annotations = about["annotations"]
    assert all(isinstance(value, str) for value in annotations.values())
    assert annotations["artifacthub.io/operatorCapabilities"] in {
        "Basic Install",
        "Seamless Upgrades",
        "Full Lifecycle",
        "Deep Insights",
        "Auto Pilot",
    }
