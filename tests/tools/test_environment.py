"""A container's variables come from its pod, and none from our own environment."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from local_cluster.process_node import environment, mounts, refusal, sources


POD: dict[str, Any] = {
    "metadata": {
        "name": "web-1",
        "namespace": "shop",
        "uid": "u-1",
        "labels": {"app": "web", "app.kubernetes.io/part-of": "shop"},
    },
    "spec": {"nodeName": "process-node", "serviceAccountName": "robot"},
}


class Known(sources.Sources):
    """ConfigMaps and Secrets of a test."""

    def __init__(self, **objects: sources.Data) -> None:
        self._objects = objects

    async def config_map(self, namespace: str, name: str, *, optional: bool) -> sources.Data:
        assert namespace == "shop"
        if name not in self._objects and not optional:
            raise refusal.config(f'configmap "{name}" not found')
        return self._objects.get(name, {})

    secret = config_map


async def variables(container: dict[str, Any], **objects: sources.Data) -> dict[str, str]:
    return await environment.build(
        POD,
        container,
        base={"HOME": "/home"},
        known=Known(**objects),
        mounted=mounts.Mounts({"/etc/app": Path("/pods/1/config")}),
        pod_ip="127.1.2.3",
        host_ip="127.1.2.1",
    )


def field(path: str) -> dict[str, Any]:
    return {"name": "V", "valueFrom": {"fieldRef": {"fieldPath": path}}}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.name", "web-1"),
        ("metadata.namespace", "shop"),
        ("metadata.uid", "u-1"),
        ("metadata.labels['app.kubernetes.io/part-of']", "shop"),
        ("metadata.annotations['none']", ""),
        ("metadata.labels", 'app="web"\napp.kubernetes.io/part-of="shop"'),
        ("spec.nodeName", "process-node"),
        ("spec.serviceAccountName", "robot"),
        ("status.podIP", "127.1.2.3"),
        ("status.hostIP", "127.1.2.1"),
    ],
)
async def test_a_field_of_the_pod_is_a_value(path: str, value: str) -> None:
    assert (await variables({"env": [field(path)]}))["V"] == value


async def test_an_unknown_field_is_refused_with_its_name() -> None:
    with pytest.raises(refusal.RefusalError) as refused:
        await variables({"env": [field("spec.tolerations")]})
    assert str(refused.value) == "the process node does not know the field spec.tolerations"


async def test_a_value_may_refer_to_earlier_variables_and_mount_paths() -> None:
    env = [
        {"name": "PORT", "value": "80"},
        {"name": "URL", "value": "http://x:$(PORT)"},
        {"name": "FILE", "value": "/etc/app/config.yaml"},
    ]
    seen = await variables({"env": env})
    assert seen == {
        "HOME": "/home",
        "PORT": "80",
        "URL": "http://x:80",
        "FILE": "/pods/1/config/config.yaml",
    }


async def test_env_overrides_env_from_and_keys_get_their_prefix() -> None:
    container = {
        "envFrom": [{"configMapRef": {"name": "settings"}, "prefix": "APP_"}],
        "env": [{"name": "APP_MODE", "value": "test"}],
    }
    seen = await variables(container, settings={"MODE": b"live", "LEVEL": b"info"})
    assert (seen["APP_MODE"], seen["APP_LEVEL"]) == ("test", "info")


async def test_a_missing_key_is_refused_unless_it_is_optional() -> None:
    reference = {"name": "login", "key": "password"}
    entry = {"name": "P", "valueFrom": {"secretKeyRef": reference}}
    with pytest.raises(refusal.RefusalError) as refused:
        await variables({"env": [entry]}, login={})
    assert str(refused.value) == '"login" has no key "password"'
    optional = {**reference, "optional": True}
    seen = await variables({"env": [{"name": "P", "valueFrom": {"secretKeyRef": optional}}]})
    assert "P" not in seen


async def test_a_value_that_is_not_text_is_refused_with_its_key() -> None:
    container = {"envFrom": [{"secretRef": {"name": "binary"}}]}
    with pytest.raises(refusal.RefusalError) as refused:
        await variables(container, binary={"KEY": b"\xff"})
    assert str(refused.value) == 'the value of key "KEY" is no text'


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
