"""Both pods pass the restricted Pod Security Standard and are probed where they listen."""

from collections.abc import Callable
from typing import Any

import pytest


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

both = pytest.mark.parametrize("component", ["controller", "webhook"])


def _deployment(render: Render, component: str, *values: str) -> Document:
    document: Document = render(*values)["Deployment", f"elastic-quota-{component}"]["spec"]
    return document


def _container(render: Render, component: str, *values: str) -> Document:
    (container,) = _deployment(render, component, *values)["template"]["spec"]["containers"]
    found: Document = container
    return found


@both
def test_the_selector_selects_the_pods_of_this_process_only(render: Render, component: str) -> None:
    spec = _deployment(render, component)
    selector = spec["selector"]["matchLabels"]
    assert selector.items() <= spec["template"]["metadata"]["labels"].items()
    assert selector["app.kubernetes.io/component"] == component
    for (kind, _), document in render().items():
        match kind:
            case "Service":
                selects = document["spec"]["selector"]
            case "PodDisruptionBudget":
                selects = document["spec"]["selector"]["matchLabels"]
            case _:
                continue
        labels = document["metadata"]["labels"]
        assert (selects == selector) == (labels["app.kubernetes.io/component"] == component)


@both
def test_the_pod_is_restricted(render: Render, component: str) -> None:
    pod = _deployment(render, component)["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == 65532
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not pod.keys() & {"hostNetwork", "hostPID", "hostIPC", "initContainers"}
    assert [volume.keys() for volume in pod["volumes"]] == [{"name", "configMap"}]
    assert _container(render, component)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


@both
def test_no_pod_of_a_tenant_preempts_it_unless_the_values_let_it(
    render: Render, component: str
) -> None:
    pod = _deployment(render, component)["template"]["spec"]
    assert pod["priorityClassName"] == "system-cluster-critical"
    usual = _deployment(render, component, f'{component}.priorityClassName=""')
    assert "priorityClassName" not in usual["template"]["spec"]


@both
def test_the_pod_says_what_it_needs(render: Render, component: str) -> None:
    resources = _container(render, component)["resources"]
    assert resources["requests"].keys() == {"cpu", "memory"}
    assert resources["limits"].keys() == {"memory"}


@both
def test_every_probe_asks_a_port_of_the_container(render: Render, component: str) -> None:
    container = _container(render, component)
    ports = {port["name"] for port in container["ports"]}
    probes = {key: container[key]["httpGet"] for key in container if key.endswith("Probe")}
    assert {key: probe["path"] for key, probe in probes.items()} == {
        "startupProbe": "/healthz",
        "readinessProbe": "/readyz",
        "livenessProbe": "/healthz",
    }
    assert all(probe["port"] in ports for probe in probes.values())


def test_the_service_calls_a_port_of_the_webhook(render: Render) -> None:
    (port,) = render()["Service", "elastic-quota-webhook"]["spec"]["ports"]
    ports = _container(render, "webhook")["ports"]
    assert {"name": port["targetPort"], "containerPort": 9443} in ports


@both
def test_the_process_is_started_with_its_configuration(render: Render, component: str) -> None:
    container = _container(render, component)
    assert container["image"] == "elastic-quota-operator:0.1.0"
    assert container["command"] == ["elastic-quota"]
    assert container["args"] == ["run", component, "--config", "/etc/elastic-quota/config.yaml"]
    assert {
        item["name"]: item["valueFrom"]["fieldRef"]["fieldPath"] for item in container["env"]
    } == {
        "POD_NAME": "metadata.name",
        "POD_NAMESPACE": "metadata.namespace",
        **({"LIVENESS_IP": "status.podIP"} if component == "controller" else {}),
    }
    assert container["volumeMounts"] == [
        {"name": "config", "mountPath": "/etc/elastic-quota", "readOnly": True}
    ]


@both
def test_a_changed_configuration_rolls_the_pods(render: Render, component: str) -> None:
    def checksum(*values: str) -> str:
        metadata = _deployment(render, component, *values)["template"]["metadata"]
        return str(metadata["annotations"]["checksum/config"])

    assert checksum() == checksum("webhook.replicas=3")
    assert checksum() != checksum("config.reclaim.paused=true")


@both
def test_a_rollout_never_takes_away_the_last_replica(render: Render, component: str) -> None:
    spec = _deployment(render, component)
    assert spec["replicas"] == 2
    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


@both
def test_placement_follows_the_values(render: Render, component: str) -> None:
    pod = _deployment(
        render,
        component,
        f'{component}.nodeSelector={{"pool": "system"}}',
        f'{component}.tolerations=[{{"operator": "Exists"}}]',
        f'{component}.affinity={{"nodeAffinity": {{}}}}',
        f'{component}.priorityClassName="high"',
        f'{component}.extraEnv=[{{"name": "TZ", "value": "UTC"}}]',
        f'{component}.podAnnotations={{"note": "x"}}',
    )["template"]
    assert pod["spec"]["nodeSelector"] == {"kubernetes.io/os": "linux", "pool": "system"}
    assert pod["spec"]["tolerations"] == [{"operator": "Exists"}]
    assert pod["spec"]["affinity"] == {"nodeAffinity": {}}
    assert pod["spec"]["priorityClassName"] == "high"
    assert {"name": "TZ", "value": "UTC"} in pod["spec"]["containers"][0]["env"]
    assert pod["metadata"]["annotations"]["note"] == "x"


@both
def test_replicas_prefer_different_nodes_and_zones(render: Render, component: str) -> None:
    spec = _deployment(render, component)
    (term,) = spec["template"]["spec"]["affinity"]["podAntiAffinity"][
        "preferredDuringSchedulingIgnoredDuringExecution"
    ]
    (spread,) = spec["template"]["spec"]["topologySpreadConstraints"]
    assert term["podAffinityTerm"]["topologyKey"] == "kubernetes.io/hostname"
    assert spread["topologyKey"] == "topology.kubernetes.io/zone"
    assert term["podAffinityTerm"]["labelSelector"] == spread["labelSelector"] == spec["selector"]
