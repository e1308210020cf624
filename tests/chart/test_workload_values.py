"""What the values say of the image, the pods and the Deployments reaches both processes."""

import json
from collections.abc import Callable
from typing import Any

import pytest


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

DIGEST = f"sha256:{'a' * 64}"

both = pytest.mark.parametrize("component", ["controller", "webhook"])


def _deployment(render: Render, component: str, *values: str) -> Document:
    document: Document = render(*values)["Deployment", f"elastic-quota-{component}"]
    return document


def _pod(render: Render, component: str, *values: str) -> Document:
    template = _deployment(render, component, *values)["spec"]["template"]
    spec: Document = template["spec"]
    return spec


def _container(render: Render, component: str, *values: str) -> Document:
    (container,) = _pod(render, component, *values)["containers"]
    found: Document = container
    return found


def _set(component: str, **values: object) -> list[str]:
    return [f"{component}.{key}={json.dumps(value)}" for key, value in values.items()]


@both
@pytest.mark.parametrize(
    ("values", "image"),
    [
        ([], "elastic-quota-operator:0.1.0"),
        (['image.tag="1.2"'], "elastic-quota-operator:1.2"),
        (
            ['image.registry="r.io:5000"', 'image.repository="team/eq"'],
            "r.io:5000/team/eq:0.1.0",
        ),
        (
            ['image.registry="r.io"', 'image.tag="1.2"', f'image.digest="{DIGEST}"'],
            f"r.io/elastic-quota-operator@{DIGEST}",
        ),
        (
            ['image.registry="r.io"', 'global.imageRegistry="mirror/all"'],
            "mirror/all/elastic-quota-operator:0.1.0",
        ),
    ],
)
def test_the_image_is_named_by_its_parts(
    render: Render, component: str, values: list[str], image: str
) -> None:
    assert _container(render, component, *values)["image"] == image
    assert render(*values)["Pod", "elastic-quota-test"]["spec"]["containers"][0]["image"] == image


@both
def test_pull_secrets_of_the_parent_chart_and_of_ours_are_used_once_each(
    render: Render, component: str
) -> None:
    pod = _pod(
        render,
        component,
        'global.imagePullSecrets=[{"name": "all"}, {"name": "both"}]',
        'image.pullSecrets=[{"name": "both"}, {"name": "mine"}]',
    )
    assert [each["name"] for each in pod["imagePullSecrets"]] == ["all", "both", "mine"]


def test_common_labels_are_on_all_objects_and_pods_and_in_no_selector(render: Render) -> None:
    for (kind, name), document in render('commonLabels={"team": "platform"}').items():
        if kind == "CustomResourceDefinition":
            continue
        assert document["metadata"]["labels"]["team"] == "platform", name
        if kind == "Deployment":
            labels = document["spec"]["template"]["metadata"]["labels"]
            assert labels["team"] == "platform"
            assert "team" not in document["spec"]["selector"]["matchLabels"]


@both
def test_labels_of_pods_come_before_common_ones(render: Render, component: str) -> None:
    values = ['commonLabels={"team": "all"}', f'{component}.podLabels={{"team": "mine"}}']
    template = _deployment(render, component, *values)["spec"]["template"]
    assert template["metadata"]["labels"]["team"] == "mine"


@both
def test_another_name_is_in_labels_and_selectors_and_part_of_stays(
    render: Render, component: str
) -> None:
    label, whole = "app.kubernetes.io/name", "app.kubernetes.io/part-of"
    for (kind, _), document in render('nameOverride="quotas"').items():
        if kind != "CustomResourceDefinition":
            labels = document["metadata"]["labels"]
            assert (labels[label], labels[whole]) == ("quotas", "elastic-quota-operator")
    spec = _deployment(render, component, 'nameOverride="quotas"')["spec"]
    assert spec["selector"]["matchLabels"][label] == "quotas"
    assert spec["template"]["metadata"]["labels"][label] == "quotas"


def test_a_name_that_reads_as_a_number_stays_text(render: Render) -> None:
    values = ('nameOverride="7"', 'fullnameOverride="8"', "metrics.podMonitor.enabled=true")
    objects = render(*values)
    for (kind, name), document in objects.items():
        assert isinstance(name, str)
        if kind != "CustomResourceDefinition":
            assert document["metadata"]["labels"]["app.kubernetes.io/name"] == "7"
    assert ("PodMonitor", "8") in objects


@both
def test_a_security_context_is_replaced_key_by_key_and_null_leaves_a_key_out(
    render: Render, component: str
) -> None:
    values = _set(component, podSecurityContext={"runAsUser": None, "fsGroup": 7})
    assert _pod(render, component, *values)["securityContext"] == {
        "runAsNonRoot": True,
        "runAsGroup": 65532,
        "fsGroup": 7,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    values = _set(component, securityContext={"capabilities": None})
    assert _container(render, component, *values)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
    }


@both
def test_on_the_network_of_the_node_cluster_names_are_still_resolved(
    render: Render, component: str
) -> None:
    pod = _pod(render, component)
    assert "hostNetwork" not in pod
    assert pod["dnsPolicy"] == "ClusterFirst"
    pod = _pod(render, component, *_set(component, hostNetwork=True))
    assert (pod["hostNetwork"], pod["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")
    servers = {"nameservers": ["10.0.0.10"]}
    pod = _pod(render, component, *_set(component, dnsPolicy="None", dnsConfig=servers))
    assert (pod["dnsPolicy"], pod["dnsConfig"]) == ("None", servers)


@both
def test_a_spread_without_selector_gets_that_of_the_deployment(
    render: Render, component: str
) -> None:
    by_rack = {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}
    by_node = {
        "maxSkew": 2,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"team": "a"}},
    }
    values = _set(component, topologySpreadConstraints=[by_rack, by_node])
    spec = _deployment(render, component, *values)["spec"]
    assert spec["template"]["spec"]["topologySpreadConstraints"] == [
        {**by_rack, "labelSelector": spec["selector"]},
        {
            **by_node,
            "labelSelector": {"matchLabels": {"team": "a"} | spec["selector"]["matchLabels"]},
        },
    ]


@both
def test_a_deployment_is_replaced_and_remembered_as_the_values_say(
    render: Render, component: str
) -> None:
    surge = {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}}
    values = _set(component, strategy=surge, revisionHistoryLimit=3)
    values += _set(component, deploymentAnnotations={"reload": "yes"})
    deployment = _deployment(render, component, *values)
    assert deployment["spec"]["strategy"] == {"type": "RollingUpdate", **surge}
    assert deployment["spec"]["revisionHistoryLimit"] == 3
    assert deployment["metadata"]["annotations"] == {"reload": "yes"}
    again = _deployment(render, component, *_set(component, strategy={"type": "Recreate"}))
    assert again["spec"]["strategy"] == {"type": "Recreate"}


@both
def test_extras_are_added_behind_what_the_chart_has(render: Render, component: str) -> None:
    volume = {"name": "ca", "secret": {"secretName": "ca"}}
    values = _set(
        component,
        extraArgs=["--verbose"],
        extraEnvFrom=[{"secretRef": {"name": "proxy"}}],
        extraVolumes=[volume],
        extraVolumeMounts=[{"name": "ca", "mountPath": "/ca"}],
    )
    container = _container(render, component, *values)
    assert container["args"][-2:] == ["/etc/elastic-quota/config.yaml", "--verbose"]
    assert container["envFrom"] == [{"secretRef": {"name": "proxy"}}]
    assert container["volumeMounts"][-1] == {"name": "ca", "mountPath": "/ca"}
    assert _pod(render, component, *values)["volumes"][-1] == volume


@both
def test_probes_are_changed_key_by_key(render: Render, component: str) -> None:
    values = _set(
        component, startupProbe={"failureThreshold": 5}, livenessProbe={"periodSeconds": 30}
    )
    container = _container(render, component, *values)
    assert container["startupProbe"]["failureThreshold"] == 5
    assert container["startupProbe"]["httpGet"]["path"] == "/healthz"
    assert container["livenessProbe"]["periodSeconds"] == 30
    assert container["livenessProbe"]["failureThreshold"] == 3


@both
def test_a_budget_by_what_may_be_missing_names_no_minimum(render: Render, component: str) -> None:
    objects = render(f'{component}.podDisruptionBudget.maxUnavailable="50%"')
    spec = objects["PodDisruptionBudget", f"elastic-quota-{component}"]["spec"]
    assert spec["maxUnavailable"] == "50%"
    assert "minAvailable" not in spec


def test_objects_of_yours_are_installed_too_whole_or_as_a_template(render: Render) -> None:
    whole = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "whole"}}
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-text'}\n"
    objects = render(f"extraObjects={json.dumps([whole, text])}")
    assert objects["ConfigMap", "whole"] == whole
    assert ("ConfigMap", "elastic-quota-text") in objects


def test_the_families_of_addresses_are_those_of_all_services(render: Render) -> None:
    values = ['service.ipFamilyPolicy="PreferDualStack"', 'service.ipFamilies=["IPv6", "IPv4"]']
    services = [found for (kind, _), found in render(*values).items() if kind == "Service"]
    assert len(services) == 3
    for found in services:
        assert found["spec"]["ipFamilyPolicy"] == "PreferDualStack"
        assert found["spec"]["ipFamilies"] == ["IPv6", "IPv4"]


@both
def test_what_pods_reach_is_open_unless_the_values_say_it(render: Render, component: str) -> None:
    policy = ("NetworkPolicy", f"elastic-quota-{component}")
    assert "egress" not in render()[policy]["spec"]
    rule = {"ports": [{"port": 6443, "protocol": "TCP"}]}
    spec = render(f"networkPolicy.egress={json.dumps([rule])}")[policy]["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    assert spec["egress"] == [rule]


@both
def test_nodes_of_the_parent_chart_are_asked_for_too_and_our_own_come_first(
    render: Render, component: str
) -> None:
    assert _pod(render, component)["nodeSelector"] == {"kubernetes.io/os": "linux"}
    values = (
        'global.nodeSelector={"pool": "all", "zone": "a"}',
        f'{component}.nodeSelector={{"pool": "mine"}}',
    )
    wanted = {"kubernetes.io/os": "linux", "pool": "mine", "zone": "a"}
    assert _pod(render, component, *values)["nodeSelector"] == wanted
    if component == "controller":
        assert render(*values)["Pod", "elastic-quota-test"]["spec"]["nodeSelector"] == wanted


def test_the_service_of_the_webhook_has_annotations_and_labels_of_yours(render: Render) -> None:
    values = ('webhook.service={"annotations": {"a": "b"}, "labels": {"team": "platform"}}',)
    metadata = render(*values)["Service", "elastic-quota-webhook"]["metadata"]
    assert metadata["annotations"] == {"a": "b"}
    assert metadata["labels"]["team"] == "platform"
    assert "annotations" not in render()["Service", "elastic-quota-webhook"]["metadata"]


@pytest.mark.parametrize("kind", ["Mutating", "Validating"])
def test_webhook_configurations_have_annotations_of_yours_beside_that_of_cert_manager(
    render: Render, kind: str
) -> None:
    def annotations(*values: str) -> object:
        key = (f"{kind}WebhookConfiguration", "elastic-quota-webhook")
        return render(*values)[key]["metadata"].get("annotations")

    mode = 'webhook.certificates.mode="certManager"'
    injected = {"cert-manager.io/inject-ca-from": "elastic-quota-system/elastic-quota-webhook"}
    disabled = {"admissions.enforcer/disabled": "true"}
    given = f"webhook.configurationAnnotations={json.dumps(disabled)}"
    assert annotations() is None
    assert annotations(mode) == injected
    assert annotations(given) == disabled
    assert annotations(mode, given) == {**injected, **disabled}
