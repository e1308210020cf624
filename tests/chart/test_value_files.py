"""The sets of values in ``ci/``, which people start from, lint and render the same bytes twice."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml


Document = dict[str, Any]
Helm = Callable[..., "subprocess.CompletedProcess[str]"]

CHART = Path(__file__).parents[2] / "charts" / "elastic-quota-operator"
FILES = sorted((CHART / "ci").glob("*-values.yaml"))

every_file = pytest.mark.parametrize("file", FILES, ids=[path.stem for path in FILES])


def _rendered(helm: Helm, file: Path, *flags: str) -> str:
    done = helm("template", "eq", str(CHART), "-n", "eq-system", "-f", str(file), *flags)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _objects(helm: Helm, name: str, *flags: str) -> dict[tuple[str, str], Document]:
    text = _rendered(helm, CHART / "ci" / f"{name}-values.yaml", *flags)
    return {
        (each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(text) if each
    }


def test_there_is_a_file_for_each_usual_installation() -> None:
    assert [path.stem.removesuffix("-values") for path in FILES] == [
        "argo",
        "cert-manager",
        "default",
        "ha",
        "minimal",
        "no-webhook",
        "openshift",
    ]


@every_file
def test_it_lints_strictly_and_renders_the_same_bytes_twice(helm: Helm, file: Path) -> None:
    done = helm("lint", "--strict", str(CHART), "-f", str(file))
    assert done.returncode == 0, done.stdout
    assert "[INFO]" not in done.stdout
    assert _rendered(helm, file) == _rendered(helm, file)


def test_nothing_that_is_rendered_depends_on_what_a_cluster_has() -> None:
    """Argo CD renders without a cluster: a lookup finds nothing there."""
    looking = [
        path.name
        for path in (CHART / "templates").rglob("*")
        if path.is_file() and re.search(r"\blookup\b", path.read_text())
    ]
    assert looking == ["one-release.yaml"]
    # It only refuses: outside of comments and actions it has no text.
    text = (CHART / "templates" / "one-release.yaml").read_text()
    assert re.sub(r"\{\{.*?\}\}", "", text, flags=re.DOTALL).strip() == ""


def test_on_openshift_no_pod_names_an_id(helm: Helm) -> None:
    objects = _objects(helm, "openshift")
    for (kind, _), document in objects.items():
        if kind == "Deployment":
            context = document["spec"]["template"]["spec"]["securityContext"]
            assert context == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}


def test_without_a_webhook_no_call_of_ours_can_fail_a_request(helm: Helm) -> None:
    objects = _objects(helm, "no-webhook")
    assert objects["Deployment", "eq-webhook"]["spec"]["replicas"] == 0
    assert ("MutatingAdmissionPolicy", "eq-gate") in objects
    for (kind, _), document in objects.items():
        if kind.endswith("WebhookConfiguration"):
            assert {each["failurePolicy"] for each in document["webhooks"]} == {"Ignore"}


def test_for_argo_the_api_versions_of_the_cluster_change_nothing(helm: Helm) -> None:
    newest = "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"
    file = CHART / "ci" / "argo-values.yaml"
    assert _rendered(helm, file) == _rendered(helm, file, "--api-versions", newest)


def test_cert_manager_fills_in_the_bundle_and_the_webhook_writes_nothing(helm: Helm) -> None:
    objects = _objects(helm, "cert-manager")
    assert ("Certificate", "eq-webhook") in objects
    assert ("Secret", "eq-webhook-ca") not in objects
    configuration = objects["ValidatingWebhookConfiguration", "eq-webhook"]
    assert configuration["metadata"]["annotations"] == {
        "cert-manager.io/inject-ca-from": "eq-system/eq-webhook"
    }


def test_with_high_availability_replicas_keep_to_zones_and_nodes_of_their_own(helm: Helm) -> None:
    objects = _objects(helm, "ha")
    for component in ("controller", "webhook"):
        spec = objects["Deployment", f"eq-{component}"]["spec"]
        assert spec["replicas"] == 3
        spreads = spec["template"]["spec"]["topologySpreadConstraints"]
        assert {each["whenUnsatisfiable"] for each in spreads} == {"DoNotSchedule"}
        assert all(each["labelSelector"] == spec["selector"] for each in spreads)


def test_the_least_is_one_replica_each_that_holds_no_pod(helm: Helm) -> None:
    objects = _objects(helm, "minimal")
    assert "mode: observe" in objects["ConfigMap", "eq-config"]["data"]["config.yaml"]
    kinds = {kind for kind, _ in objects}
    assert not kinds & {"PodDisruptionBudget", "NetworkPolicy", "Pod"}
