"""Every object that is rendered is one that Kubernetes knows, field by field, in each version.

The newest, the oldest and one between. Kinds of other systems have no schema there.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import schema_check


Helm = Callable[..., "subprocess.CompletedProcess[str]"]

CHART = Path(__file__).parents[2] / "charts" / "elastic-quota-operator"
FILES = sorted((CHART / "ci").glob("*-values.yaml"))
ELSEWHERE = ("Certificate", "Issuer", "PodMonitor", "PrometheusRule", "ServiceMonitor")
VERSIONS = ("1.30.0", "1.33.0", "1.36.0")
POLICY_SINCE = "1.36.0"
BEFORE = ("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding")
EVERYTHING = (
    'commonLabels={"team": "platform"}',
    'global={"imagePullSecrets": [{"name": "registry"}]}',
    'dialects={"ack": true, "capacity": true, "jobs": true, "yunikorn": true, '
    '"createQueueNamespace": true}',
    'crds.dialects={"ack": true, "capacity": true, "jobs": true}',
    "flowSchema.enabled=true",
    "metrics.dashboards.enabled=true",
    'service={"ipFamilyPolicy": "PreferDualStack", "ipFamilies": ["IPv6", "IPv4"]}',
    'networkPolicy.egress=[{"ports": [{"port": 6443, "protocol": "TCP"}]}]',
    'webhook={"hostNetwork": true, "dnsConfig": {"searches": ["a"]}, "extraArgs": ["--x"], '
    '"extraVolumes": [{"name": "v", "emptyDir": {}}], "deploymentAnnotations": {"a": "b"}, '
    '"extraVolumeMounts": [{"name": "v", "mountPath": "/v"}], '
    '"extraEnvFrom": [{"configMapRef": {"name": "c"}}], '
    '"podDisruptionBudget": {"maxUnavailable": "50%"}, "strategy": {"type": "Recreate"}, '
    '"tolerations": [{"operator": "Exists"}], "nodeSelector": {"a": "b"}}',
)

SETTINGS = (
    *(("-f", str(path)) for path in FILES),
    tuple(word for value in EVERYTHING for word in ("--set-json", value)),
)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_rendered_is_known(helm: Helm, version: str) -> None:
    """With each file of values, and with all values together."""
    rendered = []
    for settings in SETTINGS:
        done = helm("template", "eq", str(CHART), "--kube-version", version, *settings)
        assert done.returncode == 0, done.stderr
        rendered.append(done.stdout)
    without = ELSEWHERE if version == POLICY_SINCE else (*ELSEWHERE, *BEFORE)
    assert schema_check.check("\n---\n".join(rendered), version, without) == []


def test_a_field_that_does_not_exist_is_found() -> None:
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{nam: a}]}}"
    (wrong,) = schema_check.check(pod, "1.33.0")
    assert wrong.startswith("Pod a: ")
    assert "nam" in wrong
