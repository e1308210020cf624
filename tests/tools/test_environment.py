"""A container's variables come from its pod, and none from our own environment."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from local_cluster.process_node import environment, mounts, refusal


POD: dict[str, Any] = {
    "metadata": {"name": "web-1", "namespace": "shop"},
}


def variables(container: dict[str, Any]) -> dict[str, str]:
    return environment.build(
        POD,
        container,
        base={"HOME": "/home"},
        mounted=mounts.Mounts({"/etc/app": Path("/pods/1/config")}),
        pod_ip="127.1.2.3",
    )


def field(path: str) -> dict[str, Any]:
    return {"name": "V", "valueFrom": {"fieldRef": {"fieldPath": path}}}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.name", "web-1"),
        ("metadata.namespace", "shop"),
        ("status.podIP", "127.1.2.3"),
    ],
)
def test_a_field_of_the_pod_is_a_value(path: str, value: str) -> None:
    assert variables({"env": [field(path)]})["V"] == value


@pytest.mark.parametrize(
    ("container", "why"),
    [
        (
            {"env": [field("spec.tolerations")]},
            "the process node does not know the field spec.tolerations",
        ),
        (
            {"env": [{"name": "P", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]},
            "the process node knows no env from secretKeyRef",
        ),
        ({"envFrom": [{"secretRef": {"name": "s"}}]}, "the process node knows no envFrom"),
    ],
)
def test_what_no_pod_of_the_chart_has_is_refused(container: dict[str, Any], why: str) -> None:
    with pytest.raises(refusal.RefusalError) as refused:
        variables(container)
    assert str(refused.value) == why


def test_a_value_may_be_a_mount_path() -> None:
    env = [{"name": "PORT", "value": "80"}, {"name": "FILE", "value": "/etc/app/config.yaml"}]
    assert variables({"env": env}) == {
        "HOME": "/home",
        "PORT": "80",
        "FILE": "/pods/1/config/config.yaml",
    }


def test_the_search_path_begins_with_the_interpreters_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "x")
    seen = environment.base(POD, "https://127.0.0.1:6443", tmp_path, mounts.Mounts({}))
    assert seen["PATH"].split(":")[0] == str(Path(sys.executable).parent)
    assert (seen["KUBERNETES_SERVICE_HOST"], seen["KUBERNETES_SERVICE_PORT"]) == (
        "127.0.0.1",
        "6443",
    )
    assert "SECRET_OF_OURS" not in seen


def test_the_modules_are_those_of_the_checkout_and_not_those_that_are_installed(
    tmp_path: Path,
) -> None:
    found = environment.base(POD, "https://127.0.0.1:6443", tmp_path, mounts.Mounts({}))
    checkout = Path(__file__).parents[2]
    ours = f"{checkout / 'operator'}:{checkout / 'webhooks'}"
    assert found["PYTHONPATH"] == f"{ours}:{tmp_path / 'hidden'}"


def test_the_controller_loads_no_package_of_development(tmp_path: Path) -> None:
    """Kopf looks for clients of Kubernetes, and structlog for rich."""
    found = environment.base(POD, "https://127.0.0.1:6443", tmp_path, mounts.Mounts({}))
    code = (
        "import sys, elasticquota_operator.handlers\n"
        "print(*{'kubernetes', 'pykube', 'rich', 'pydantic', 'requests'} & sys.modules.keys())"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], env=found, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "\n"
