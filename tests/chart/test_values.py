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

from reference_pages import chart_schema
from reference_pages import values as value_tables


Refusal = Callable[..., str]
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


def test_every_value_is_described(schema: dict[str, Any]) -> None:
    silent = [
        f"{path}.{key}"
        for path, part in _sections(schema)
        for key, found in part["properties"].items()
        if "default" in found and not found.get("description")
    ]
    assert silent == []


def test_the_schema_and_the_readme_have_the_descriptions_and_defaults_of_the_values(
    chart: Path, values: dict[str, Any]
) -> None:
    schema = chart_schema.SCHEMA.read_text()
    assert schema == chart_schema.written(schema), "run: make reference"
    readme = (chart / "README.md").read_text()
    assert readme == value_tables.readme(readme), "run: make reference"
    rows = re.findall(r"^\| `([\w.]+)` \| ", readme, re.MULTILINE)
    assert set(values) <= {row.partition(".")[0] for row in rows}


def test_no_section_of_the_schema_takes_unknown_keys(schema: dict[str, Any]) -> None:
    """Except what a parent chart hands down, which is for all of its parts."""
    open_to_all = [path for path, part in _sections(schema) if part.get("additionalProperties", 1)]
    assert open_to_all == ["global"]


def test_the_schema_knows_exactly_the_keys_of_the_values(
    schema: dict[str, Any], values: dict[str, Any]
) -> None:
    for path, part in _sections(schema):
        section: Any = values
        for key in filter(None, path.split(".")):
            section = section[key]
        assert part["properties"].keys() == section.keys(), path
        assert set(part.get("required", section)) == section.keys() - {"global"}, path


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
        ('image.digest="sha256:1"', "at '/image/digest': 'sha256:1' does not match pattern"),
        ('image.registry="https://r.io"', "at '/image/registry': 'https://r.io' does not match"),
        ('image.pullSecrets=["mine"]', "at '/image/pullSecrets/0': got string, want object"),
        (
            'controller.resources={"request": {"cpu": 1}}',
            "at '/controller/resources': additional properties 'request' not allowed",
        ),
        (
            "webhook.podSecurityContext.runasuser=1",
            "at '/webhook/podSecurityContext': additional properties 'runasuser' not allowed",
        ),
        (
            "controller.serviceAccount.create=false",
            "at '/controller/serviceAccount/name': minLength: got 0, want 1",
        ),
        (
            'controller.serviceAccount.name="it\'s"',
            "at '/controller/serviceAccount/name': 'it\\'s' does not match pattern",
        ),
        ('commonLabels.team="a b"', "at '/commonLabels/team': 'a b' does not match pattern"),
        (
            'webhook.podDisruptionBudget.minAvailable="half"',
            "at '/webhook/podDisruptionBudget/minAvailable': 'half' does not match pattern",
        ),
        ('service.ipFamilies=["ipv4"]', "at '/service/ipFamilies/0': value must be one of 'IPv4'"),
        ('metrics.podMonitor.interval="30"', "at '/metrics/podMonitor/interval': '30' does not"),
        (
            'controller.topologySpreadConstraints=[{"topologyKey": "zone"}]',
            "at '/controller/topologySpreadConstraints/0': missing properties 'maxSkew'",
        ),
        (
            'policy.breakGlassGroups=["it\'s"]',
            "at '/policy/breakGlassGroups/0': 'it\\'s' does not match pattern",
        ),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(
    refusal: Refusal, value: str, complaint: str
) -> None:
    assert complaint in refusal(value)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (
            ['commonLabels={"app.kubernetes.io/name": "mine"}'],
            "commonLabels: app.kubernetes.io/name is a label of the chart; leave it out, or set "
            "nameOverride",
        ),
        (
            ['webhook.podLabels={"app.kubernetes.io/component": "x"}'],
            "webhook.podLabels: app.kubernetes.io/component is a label of the chart; leave it out",
        ),
        (
            ["webhook.podDisruptionBudget.minAvailable=2"],
            "webhook.podDisruptionBudget.minAvailable is 2 of webhook.replicas 2: no node with a "
            "replica could be drained; set fewer, or maxUnavailable: 1",
        ),
        (
            ["controller.podDisruptionBudget.maxUnavailable=0"],
            "controller.podDisruptionBudget.maxUnavailable is 0: no node with a replica could be "
            "drained; allow 1 or more, or set enabled: false",
        ),
        (
            ['webhook.dnsPolicy="None"'],
            "webhook.dnsPolicy is None, which needs webhook.dnsConfig.nameservers: name at least",
        ),
        (
            ['controller.extraVolumes=[{"name": "config", "emptyDir": {}}]'],
            "controller.extraVolumes: config is a volume of the chart; give yours another name",
        ),
        (
            ["controller.port=9000", "controller.livenessPort=9000"],
            "controller.port and controller.livenessPort are both 9000: set two ports",
        ),
        (["webhook.port=8081"], "webhook.port and webhook.healthPort are both 8081: set two ports"),
        (
            ["webhook.replicas=0"],
            "webhook.replicas is 0 and webhook.quotas.failurePolicy Fail: every change of a quota "
            "would be refused; set webhook.quotas.failurePolicy to Ignore",
        ),
        (
            ["metrics.podMonitor.enabled=true", "metrics.serviceMonitor.enabled=true"],
            "metrics.podMonitor.enabled and metrics.serviceMonitor.enabled are both true: every "
            "pod would be read twice; set one of them to false",
        ),
        (
            ["metrics.serviceMonitor.enabled=true", "metrics.service.enabled=false"],
            "metrics.serviceMonitor.enabled is true and metrics.service.enabled false: a "
            "ServiceMonitor reads Services; set metrics.service.enabled to true, or use "
            "metrics.podMonitor",
        ),
    ],
)
def test_values_that_contradict_each_other_are_refused_with_what_to_do(
    refusal: Refusal, values: list[str], complaint: str
) -> None:
    assert complaint in refusal(*values)


def test_an_external_service_without_a_name_is_refused(refusal: Refusal) -> None:
    complaint = "webhook.service.externalName must be set when webhook.service.type is ExternalName"
    assert complaint in refusal('webhook.service.type="ExternalName"')


def test_an_api_server_without_gates_and_policies_is_refused(
    refusal: Refusal, template: Template
) -> None:
    complaint = "requires kubeVersion: >=1.30.0-0"
    assert complaint in refusal(flags=["--kube-version", "1.29.9"])
    assert template(flags=["--kube-version", "1.30.0-gke.100"]).returncode == 0


def test_the_chart_installs_the_version_it_lies_beside(chart: Path) -> None:
    about = yaml.safe_load((chart / "Chart.yaml").read_text())
    project = tomllib.loads((chart.parents[1] / "pyproject.toml").read_text())["project"]
    assert about["appVersion"] == about["version"] == project["version"]
    assert about["name"] == project["name"]
