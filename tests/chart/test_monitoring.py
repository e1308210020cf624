"""What Prometheus and Grafana are given: Services, monitors, rules and dashboards."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

NAME = "elastic-quota"

both = pytest.mark.parametrize("component", ["controller", "webhook"])


def _selected(monitor: Document, labels: dict[str, str]) -> bool:
    selector = monitor["spec"]["selector"]
    (expression,) = selector["matchExpressions"]
    return (
        selector["matchLabels"].items() <= labels.items()
        and labels.get(expression["key"]) in expression["values"]
    )


@both
def test_a_service_leads_to_the_port_of_the_metrics(render: Render, component: str) -> None:
    objects = render('metrics.service.annotations={"prometheus.io/scrape": "true"}')
    service = objects["Service", f"{NAME}-{component}-metrics"]
    pod = objects["Deployment", f"{NAME}-{component}"]["spec"]["template"]
    assert service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    (port,) = service["spec"]["ports"]
    (container,) = pod["spec"]["containers"]
    assert {"name": port["targetPort"], "containerPort": port["port"]} in container["ports"]
    assert service["metadata"]["annotations"] == {"prometheus.io/scrape": "true"}


def test_a_pod_monitor_reads_the_pods_of_both_processes_and_no_others(render: Render) -> None:
    objects = render("metrics.podMonitor.enabled=true")
    monitor = objects["PodMonitor", NAME]
    for component in ("controller", "webhook"):
        pod = objects["Deployment", f"{NAME}-{component}"]["spec"]["template"]
        assert _selected(monitor, pod["metadata"]["labels"])
        (container,) = pod["spec"]["containers"]
        (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
        assert endpoint["port"] in [port["name"] for port in container["ports"]]
    assert not _selected(monitor, objects["Pod", f"{NAME}-test"]["metadata"]["labels"])


def test_a_service_monitor_reads_the_services_of_the_metrics_only(render: Render) -> None:
    objects = render("metrics.serviceMonitor.enabled=true")
    monitor = objects["ServiceMonitor", NAME]
    (endpoint,) = monitor["spec"]["endpoints"]
    read = {
        name
        for (kind, name), found in objects.items()
        if kind == "Service"
        and _selected(monitor, found["metadata"]["labels"])
        and endpoint["port"] in [port["name"] for port in found["spec"]["ports"]]
    }
    assert read == {f"{NAME}-controller-metrics", f"{NAME}-webhook-metrics"}


@pytest.mark.parametrize(
    ("kind", "endpoints"), [("podMonitor", "podMetricsEndpoints"), ("serviceMonitor", "endpoints")]
)
def test_a_monitor_is_found_and_reads_as_the_values_say(
    render: Render, kind: str, endpoints: str
) -> None:
    drop = {"action": "drop", "regex": "python_.*", "sourceLabels": ["__name__"]}
    values = {
        "enabled": True,
        "namespace": "monitoring",
        "labels": {"release": "prometheus"},
        "interval": "30s",
        "scrapeTimeout": "10s",
        "honorLabels": True,
        "metricRelabelings": [drop],
    }
    monitor = render(f"metrics.{kind}={json.dumps(values)}")[kind[0].upper() + kind[1:], NAME]
    assert monitor["metadata"]["namespace"] == "monitoring"
    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    assert monitor["spec"]["namespaceSelector"] == {"matchNames": ["elastic-quota-system"]}
    assert monitor["spec"][endpoints] == [
        {
            "port": "http" if kind == "podMonitor" else "metrics",
            "path": "/metrics",
            "honorLabels": True,
            "interval": "30s",
            "scrapeTimeout": "10s",
            "metricRelabelings": [drop],
        }
    ]


def test_the_right_to_ask_who_scrapes_is_there_only_where_it_is_asked(render: Render) -> None:
    """The webhook asks who may place quotas."""
    reviews = {"tokenreviews", "subjectaccessreviews"}

    def asking(objects: dict[tuple[str, str], Document]) -> set[str]:
        return {
            name
            for (kind, name), found in objects.items()
            if kind in ("ClusterRole", "Role")
            for rule in found.get("rules") or ()
            if reviews & set(rule.get("resources", ()))
        } - {f"{NAME}-webhook"}

    assert asking(render()) == set()
    secret = {"name": "prometheus-token", "key": "token"}
    objects = render(
        "metrics.authorization.enabled=true",
        f"metrics.authorization.credentials={json.dumps(secret)}",
        "metrics.podMonitor.enabled=true",
    )
    assert asking(objects) == {f"{NAME}-metrics-authorization"}
    rules = objects["ClusterRole", f"{NAME}-metrics-authorization"]["rules"]
    assert [rule["verbs"] for rule in rules] == [["create"], ["create"]]
    bound = objects["ClusterRoleBinding", f"{NAME}-metrics-authorization"]["subjects"]
    assert {each["name"] for each in bound} == {f"{NAME}-controller", f"{NAME}-webhook"}
    reader = objects["ClusterRole", f"{NAME}-metrics-reader"]["rules"]
    assert reader == [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]
    (endpoint,) = objects["PodMonitor", NAME]["spec"]["podMetricsEndpoints"]
    assert endpoint["authorization"] == {"type": "Bearer", "credentials": secret}


def test_nothing_of_the_prometheus_operator_is_there_unless_it_is_asked_for(
    render: Render,
) -> None:
    kinds = {kind for kind, _ in render()}
    assert not kinds & {"PodMonitor", "ServiceMonitor", "PrometheusRule"}


def test_rules_and_dashboards_are_the_files_of_the_chart_as_they_are(
    helm: Callable[..., "subprocess.CompletedProcess[str]"], chart: Path, tmp_path: Path
) -> None:
    copy = tmp_path / chart.name
    shutil.copytree(chart, copy)
    rule = {"alert": "Down", "expr": "up == 0", "annotations": {"summary": "{{ $labels.pod }}"}}
    files = copy / "files"
    for folder in ("alerts", "dashboards"):
        (files / folder).mkdir(exist_ok=True)
    (files / "alerts/one.yaml").write_text(
        yaml.safe_dump({"groups": [{"name": "a", "rules": [rule]}]})
    )
    board = {"title": "Quotas", "panels": [{"legendFormat": "{{quota}}"}]}
    (files / "dashboards/one.json").write_text(json.dumps(board, indent=2))
    groups = (
        'metrics.prometheusRule={"enabled": true, "extraGroups": [{"name": "yours", "rules": []}]}'
    )
    settings = ("--set-json", groups, "--set", "metrics.dashboards.enabled=true")
    done = helm("template", "eq", str(copy), *settings)
    assert done.returncode == 0, done.stderr
    found = {
        (each["kind"], each["metadata"]["name"]): each
        for each in yaml.safe_load_all(done.stdout)
        if each
    }
    rendered = found["PrometheusRule", "eq"]["spec"]["groups"]
    assert {"name": "a", "rules": [rule]} in rendered
    assert rendered[-1] == {"name": "yours", "rules": []}
    dashboard = found["ConfigMap", "eq-dashboard-one"]
    assert json.loads(dashboard["data"]["one.json"]) == board
    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1"
