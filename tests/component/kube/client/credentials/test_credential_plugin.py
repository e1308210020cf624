"""A credential plugin is run as client-go runs it, and each of its faults is one sentence."""

import base64
import json
import ssl
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

import answering
from api_double import ApiDouble
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.credentials import credential_plugin, credentials
from elasticquota_kube.client.credentials.credential_plugin import Plugin
from elasticquota_kube.client.credentials.kubeconfig import (
    Exec,
    KubeconfigCluster,
    KubeconfigEntry,
    Variable,
)
from elasticquota_kube.client.credentials.login import CredentialsError, Login
from local_cluster import certificates


V1 = "client.authentication.k8s.io/v1"
V1BETA1 = "client.authentication.k8s.io/v1beta1"


def script(folder: Path, body: str) -> Path:
    """A program in the folder; each run adds a line to the file ``runs``."""
    path = folder / "login"
    path.write_text(f"#!/bin/sh\necho \"$KUBERNETES_EXEC_INFO\" >> '{folder}/runs'\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def runs(folder: Path) -> list[dict[str, Any]]:
    """What each run was given as ``KUBERNETES_EXEC_INFO``."""
    file = folder / "runs"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def printing(token: str = "secret", *, version: str = V1, **more: str) -> str:
    """The body of a script that prints credentials."""
    status = {"token": token, **more}
    answer = {"kind": "ExecCredential", "apiVersion": version, "status": status}
    return f"cat <<'END'\n{json.dumps(answer)}\nEND"


def plugin(program: Path, cluster: KubeconfigCluster | None = None, **more: Any) -> Plugin:
    values = {"api_version": V1, "interactive_mode": "Never", **more}
    entry = KubeconfigEntry(Exec(command=str(program), **values), program.parent)
    return Plugin(
        entry, KubeconfigEntry(cluster or KubeconfigCluster(), program.parent), clock=lambda: 0.0
    )


@pytest.mark.parametrize("version", [V1, V1BETA1])
def test_the_token_that_a_plugin_prints_is_used_and_kept(tmp_path: Path, version: str) -> None:
    found = plugin(script(tmp_path, printing(version=version)), api_version=version)
    assert runs(tmp_path) == []
    assert [found.current(), found.current()] == ["secret", "secret"]
    assert found.pair() is None
    assert runs(tmp_path) == [
        {"kind": "ExecCredential", "apiVersion": version, "spec": {"interactive": False}}
    ]


def test_a_token_that_has_expired_or_was_refused_is_asked_for_again(tmp_path: Path) -> None:
    past = printing(expirationTimestamp="1969-12-31T23:59:59Z")
    found = plugin(script(tmp_path, past))
    found.current()
    found.current()
    assert len(runs(tmp_path)) == 2
    future = printing(expirationTimestamp="1970-01-01T00:00:01+00:00")
    found = plugin(script(tmp_path, future))
    found.current()
    found.current()
    assert len(runs(tmp_path)) == 3
    assert found.forget()
    found.current()
    assert len(runs(tmp_path)) == 4


def test_a_plugin_gets_its_arguments_its_environment_and_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "ours")
    program = script(tmp_path, f'echo "$1 $MINE $OURS" > {tmp_path}/said\n{printing()}')
    plugin(program, args=["first"], env=[Variable("MINE", "mine")]).current()
    assert (tmp_path / "said").read_text() == "first mine ours\n"


def test_a_plugin_that_asks_for_it_gets_the_cluster(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_bytes(b"authority")
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a"}}
    said = {"server": "https://c", "certificate-authority": "ca.crt", "tls-server-name": "n"}
    cluster = msgspec.convert({**said, "extensions": [extension]}, KubeconfigCluster)
    plugin(script(tmp_path, printing()), cluster, provide_cluster_info=True).current()
    assert runs(tmp_path)[0]["spec"]["cluster"] == {
        "server": "https://c",
        "tls-server-name": "n",
        "certificate-authority-data": base64.b64encode(b"authority").decode(),
        "config": {"audience": "a"},
    }


def test_what_a_plugin_says_on_standard_error_is_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plugin(script(tmp_path, f"echo open https://login >&2\n{printing()}")).current()
    assert capfd.readouterr().err == "open https://login\n"


def test_a_relative_path_starts_at_the_kubeconfig(tmp_path: Path) -> None:
    script(tmp_path, printing())
    entry = KubeconfigEntry(
        Exec(command="./login", api_version=V1, interactive_mode="Never"), tmp_path
    )
    assert Plugin(entry, KubeconfigEntry(KubeconfigCluster(), tmp_path)).current() == "secret"


def test_a_plugin_that_is_not_installed_gives_the_hint_of_the_kubeconfig(tmp_path: Path) -> None:
    found = plugin(tmp_path / "none", install_hint="Install it:\n  get it")
    with pytest.raises(CredentialsError) as refused:
        found.current()
    assert str(refused.value) == (
        f"the credential plugin '{tmp_path}/none' cannot be started (No such file or directory): "
        "Install it: get it"
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", "failed with exit code 3"),
        ("echo no", "printed no ExecCredential: Input data"),
        (printing(version=V1BETA1), f"printed ExecCredential {V1BETA1} instead of"),
        ("echo '{}'", "printed no kind without apiVersion instead of ExecCredential"),
        (printing(token=""), "printed neither a token nor a client certificate"),
        (printing(clientKeyData="x"), "only one of clientCertificateData and clientKeyData"),
        (printing(expirationTimestamp="soon"), "printed no ExecCredential: Invalid RFC3339"),
    ],
)
def test_a_bad_answer_is_refused_in_one_sentence(tmp_path: Path, body: str, words: str) -> None:
    with pytest.raises(CredentialsError) as refused:
        plugin(script(tmp_path, body)).current()
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_plugin_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credential_plugin, "SECONDS", 0.2)
    with pytest.raises(CredentialsError, match="has printed nothing"):
        plugin(script(tmp_path, "sleep 60")).current()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"api_version": "client.authentication.k8s.io/v1alpha1"}, "it must be one of: client"),
        ({"interactive_mode": ""}, "it must be Never, IfAvailable or Always"),
        ({"interactive_mode": "Sometimes"}, "it must be Never, IfAvailable or Always"),
    ],
)
def test_a_wrong_entry_is_refused_before_anything_runs(
    tmp_path: Path, values: dict[str, Any], words: str
) -> None:
    with pytest.raises(CredentialsError, match=words):
        plugin(script(tmp_path, printing()), **values)
    assert runs(tmp_path) == []


def test_a_plugin_that_must_ask_something_needs_a_terminal(tmp_path: Path) -> None:
    found = plugin(script(tmp_path, printing()), interactive_mode="Always")
    with pytest.raises(CredentialsError, match="needs a terminal"):
        found.current()
    assert runs(tmp_path) == []


async def test_a_refused_token_runs_the_plugin_once_more(tmp_path: Path, double: ApiDouble) -> None:
    program = script(tmp_path, printing("wrong"))
    double.token = "right"
    path = kubeconfig_of(program, {"server": double.url})
    async with Api(credentials.load(Login(path, plugins=True))) as api:
        with pytest.raises(ApiError) as refused:
            await api.list(paths.NODES)
        assert refused.value.is_unauthorized
        assert len(runs(tmp_path)) == 2
        script(tmp_path, printing("right"))
        await api.list(paths.NODES)


async def test_the_client_certificate_that_a_plugin_prints_is_shown_to_the_server(
    tmp_path: Path,
) -> None:
    authority = certificates.Authority(tmp_path)
    signed, key = authority.client("jane", "jane", ["dev"])
    body = printing("", clientCertificateData=signed.read_text(), clientKeyData=key.read_text())
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=authority.certificate)
    tls.load_cert_chain(*authority.server("apiserver", ["127.0.0.1"]))
    tls.verify_mode = ssl.CERT_REQUIRED
    names: list[Any] = []

    async def answer(request: web.Request) -> web.Response:
        names.append(request.get_extra_info("peercert")["subject"])
        return web.json_response({"metadata": {"name": "default"}})

    async with answering.serving(answer, tls) as server:
        cluster = {"server": server, "certificate-authority": str(authority.certificate)}
        file = kubeconfig_of(script(tmp_path, body), cluster)
        async with Api(credentials.load(Login(file, plugins=True))) as api:
            await api.get(paths.NAMESPACES, None, "default")
    assert (("commonName", "jane"),) in names[0]
    assert len(runs(tmp_path)) == 1


def kubeconfig_of(program: Path, cluster: dict[str, Any]) -> Path:
    """A kubeconfig with one context, whose user logs in by the program."""
    user = {"exec": {"command": str(program), "apiVersion": V1, "interactiveMode": "Never"}}
    document = {
        "current-context": "x",
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
    }
    path = program.parent / "config"
    path.write_text(json.dumps(document))
    return path
