"""Every value is explained, bounded by the schema, and a key that does not exist is refused."""

import json
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml


Template = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def schema(chart: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((chart / "values.schema.json").read_text())
    return document


@pytest.fixture(scope="module")
def values(chart: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((chart / "values.yaml").read_text())
    return document


def _sections(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if "properties" in schema:
        yield path, schema
        for key, part in schema["properties"].items():
            yield from _sections(part, f"{path}.{key}".removeprefix("."))


def test_every_value_has_a_comment_above_it(chart: Path) -> None:
    lines = (chart / "values.yaml").read_text().splitlines()
    silent = [
        line.strip()
        for above, line in zip(["", *lines], lines, strict=False)
        if re.match(r" *\w+:", line)
        and not above.strip().startswith("#")
        # A section speaks through its keys, the parts of `resources` through its own comment.
        and not line.endswith(":")
        and not re.match(r" +(requests|limits):", line)
    ]
    assert silent == []


def test_no_section_of_the_schema_takes_unknown_keys(schema: dict[str, Any]) -> None:
    assert [path for path, part in _sections(schema) if part["additionalProperties"]] == []


def test_the_schema_knows_exactly_the_keys_of_the_values(
    schema: dict[str, Any], values: dict[str, Any]
) -> None:
    for path, part in _sections(schema):
        section: Any = values
        for key in filter(None, path.split(".")):
            section = section[key]
        assert part["properties"].keys() - {"global"} == section.keys(), path
        assert set(part["required"]) == section.keys(), path


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("webhok={}", "at '': additional properties 'webhok' not allowed"),
        (
            "webhook.service.prot=443",
            "at '/webhook/service': additional properties 'prot' not allowed",
        ),
        (
            'webhook.pods.failurePolicy="Maybe"',
            "at '/webhook/pods/failurePolicy': value must be one of 'Ignore', 'Fail'",
        ),
        (
            'podAdmission="Policy"',
            "at '/podAdmission': value must be one of 'auto', 'webhook', 'policy'",
        ),
        ("webhook.port=0", "at '/webhook/port': minimum: got 0, want 1"),
        ("config.reclaim.paused=1", "at '/config/reclaim/paused': got number, want boolean"),
        (
            'config.accounting.ignoreTerminating="always"',
            "at '/config/accounting/ignoreTerminating': value must be one of 'never', "
            "'afterGrace', 'atOnce'",
        ),
        ("controller.replicas=-1", "at '/controller/replicas': minimum: got -1, want 0"),
        (
            'policy.breakGlassGroups=["it\'s"]',
            "at '/policy/breakGlassGroups/0': 'it\\'s' does not match pattern",
        ),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(
    template: Template, value: str, complaint: str
) -> None:
    done = template(value)
    assert done.returncode != 0
    assert complaint in done.stderr


def test_an_external_service_without_a_name_is_refused(template: Template) -> None:
    done = template('webhook.service.type="ExternalName"')
    assert done.returncode != 0
    assert (
        "webhook.service.externalName must be set when webhook.service.type is ExternalName"
        in done.stderr
    )


def test_an_api_server_without_gates_and_policies_is_refused(template: Template) -> None:
    done = template(flags=["--kube-version", "1.29.9"])
    assert done.returncode != 0
    assert "requires kubeVersion: >=1.30.0-0" in done.stderr
    assert template(flags=["--kube-version", "1.30.0-gke.100"]).returncode == 0


def test_the_chart_installs_the_version_it_lies_beside(chart: Path) -> None:
    about = yaml.safe_load((chart / "Chart.yaml").read_text())
    project = tomllib.loads((chart.parents[1] / "pyproject.toml").read_text())["project"]
    assert about["appVersion"] == about["version"] == project["version"]
    assert about["name"] == project["name"]
