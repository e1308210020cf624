"""The Prometheus Operator knows every field of our monitors and rules, and makes use of them."""

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import prometheus_operator_program
import prometheus_program
from helm_program import Helm
from installation import NAMESPACE, Installation, Kubectl
from local_cluster import cluster as local
from local_cluster import product as chart
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(600)]

KINDS = ("PodMonitor", "ServiceMonitor", "PrometheusRule")
_RELABELING = {"action": "replace", "targetLabel": "cluster", "replacement": "tests"}
_EACH: Document = {
    "enabled": True,
    "labels": {"release": "prometheus"},
    "annotations": {"a": "b"},
    "interval": "30s",
    "scrapeTimeout": "10s",
    "honorLabels": True,
    "relabelings": [_RELABELING],
    "metricRelabelings": [{"action": "drop", "regex": "python_.*", "sourceLabels": ["__name__"]}],
}
_RULE: Document = {
    "enabled": True,
    "labels": {"release": "prometheus"},
    "annotations": {"a": "b"},
    "extraGroups": [{"name": "yours", "rules": [{"record": "a:b", "expr": "vector(1)"}]}],
}
MONITORS = ("podMonitor", "serviceMonitor")


def values(monitor: str) -> Document:
    """Every value of the chart that such an object shows; the chart refuses two monitors."""
    secret = {"name": "scraper", "key": "token"}
    authorization = {"enabled": True, "credentials": secret}
    return {"metrics": {"authorization": authorization, monitor: _EACH, "prometheusRule": _RULE}}


@pytest.fixture(scope="module")
def definitions(kubectl: Kubectl) -> Iterator[None]:
    with prometheus_operator_program.defined(kubectl):
        yield


@pytest.fixture
def rendered(definitions: None, product: Installation, cluster: local.Cluster) -> list[Document]:
    """Our objects of its kinds, with every value."""
    found: dict[str, Document] = {}
    for monitor in MONITORS:
        written = Helm(cluster)(
            *("template", chart.RELEASE, str(chart.CHART), "-n", NAMESPACE, "-f", "-"),
            stdin=json.dumps(values(monitor)),
        )
        documents = [each for each in yaml.safe_load_all(written) if each]
        found |= {each["kind"]: each for each in documents if each["kind"] in KINDS}
    return list(found.values())


def strictly(kubectl: Kubectl, document: Document) -> str:
    """What the API server says when it may store no unknown field; empty: it would store all."""
    words = ("apply", "--dry-run=server", "--validate=strict", "-f", "-")
    return kubectl.attempt(*words, stdin=json.dumps(document)).stderr


def test_no_field_of_our_objects_is_unknown_to_the_definitions(
    rendered: list[Document], kubectl: Kubectl
) -> None:
    assert {each["kind"] for each in rendered} == set(KINDS)
    assert [strictly(kubectl, each) for each in rendered] == ["", "", ""]
    for each in rendered:
        changed = {**each, "spec": {**each["spec"], "noField": 1}}
        assert 'unknown field "spec.noField"' in strictly(kubectl, changed)


def prometheus() -> Document:
    """A Prometheus that takes every monitor and rule with the label of the values."""
    label: dict[str, Any] = {"matchLabels": {"release": "prometheus"}}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "Prometheus",
        "metadata": {"name": "tests", "namespace": NAMESPACE},
        "spec": {
            "replicas": 0,
            "podMonitorSelector": label,
            "serviceMonitorSelector": label,
            "ruleSelector": label,
        },
    }


@pytest.mark.parametrize("monitor", MONITORS)
def test_the_operator_makes_targets_and_rules_of_our_objects(
    monitor: str,
    definitions: None,
    product: Installation,
    cluster: local.Cluster,
    admin: User,
    kubectl: Kubectl,
    tmp_path: Path,
) -> None:
    token = {"apiVersion": "v1", "kind": "Secret", "stringData": {"token": "secret"}}
    admin.create({**token, "metadata": {"name": "scraper", "namespace": NAMESPACE}})

    def written() -> Document:
        data = admin.get("Secret", "prometheus-tests", NAMESPACE)["data"]["prometheus.yaml.gz"]
        found: Document = yaml.safe_load(gzip.decompress(base64.b64decode(data)))
        return found

    def jobs() -> set[str]:
        return {each["job_name"] for each in written().get("scrape_configs") or ()}

    with (
        product.upgraded(values(monitor)),
        prometheus_operator_program.running(cluster, kubectl, tmp_path) as log,
    ):
        kubectl("apply", "-f", "-", stdin=json.dumps(prometheus()))
        eventually(jobs, {f"{monitor}/{NAMESPACE}/{chart.RELEASE}/0"}, within=60)
        maps = eventually(
            lambda: [
                each["data"]
                for each in admin.list("ConfigMap", NAMESPACE)
                if each["metadata"]["name"].startswith("prometheus-tests-rulefiles")
            ],
            bool,
            within=30,
        )
        configuration = written()
        # Before it is stopped: what it reads then it skips.
        refusals = [line for line in log.read_text().splitlines() if "skipping" in line.lower()]
        kubectl("delete", "prometheus", "tests", "-n", NAMESPACE)
    admin.delete("Secret", "scraper", NAMESPACE)
    (rules,) = [text for data in maps for text in data.values()]
    wanted = [each["alert"] for each in prometheus_program.rules()["groups"][0]["rules"]]
    groups = {group["name"]: group["rules"] for group in yaml.safe_load(rules)["groups"]}
    assert [each["alert"] for each in groups["elastic-quota"]] == wanted
    assert groups["yours"] == [{"record": "a:b", "expr": "vector(1)"}]
    for job in configuration["scrape_configs"]:
        assert job["authorization"] == {"type": "Bearer", "credentials": "secret"}
        assert (job["scrape_interval"], job["scrape_timeout"]) == ("30s", "10s")
    done = prometheus_operator_program.check(yaml.safe_dump(configuration), rules, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(wanted) + 1} rules found" in done.stdout
    assert refusals == []
