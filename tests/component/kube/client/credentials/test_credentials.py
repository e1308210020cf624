"""Where credentials come from, how they are renewed, and the errors when there are none."""

import base64
import json
import ssl
from pathlib import Path
from typing import Any

import pytest

from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.credentials import Token
from elasticquota_kube.client.credentials.login import CredentialsError, Login
from local_cluster import certificates


def kubeconfig(path: Path, user: dict[str, Any], cluster: dict[str, Any] | None = None) -> Path:
    document = {
        "clusters": [{"name": "c", "cluster": cluster or {"server": "http://127.0.0.1:1/"}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "ns"}}],
        "current-context": "x",
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_the_file_named_by_kubeconfig_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = kubeconfig(tmp_path / "config", {"token": "secret"})
    monkeypatch.setenv("KUBECONFIG", str(path))
    found = credentials.load()
    assert (found.server, found.namespace, found.tls) == ("http://127.0.0.1:1", "ns", None)
    assert found.token.current() == "secret"


def test_a_pod_uses_the_files_of_its_service_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    folder = tmp_path / "serviceaccount"
    folder.mkdir()
    (folder / "token").write_text("first\n")
    (folder / "namespace").write_text("elastic-quota-system")
    certificates.Authority(folder)  # ca.crt
    found = credentials.load()
    assert (found.server, found.namespace) == ("https://10.0.0.1:443", "elastic-quota-system")
    assert found.token.current() == "first"
    assert found.tls is not None
    assert found.tls.current().cert_store_stats()["x509"] == 1
    assert found.tls.current().verify_mode is ssl.CERT_REQUIRED


def test_the_home_folder_is_the_last_resort(tmp_path: Path) -> None:
    folder = tmp_path / "home/.kube"
    folder.mkdir(parents=True)
    kubeconfig(folder / "config", {"token": "of-home"})
    assert credentials.load().token.current() == "of-home"


def test_without_any_credentials_the_error_lists_the_searched_places() -> None:
    with pytest.raises(CredentialsError, match="KUBECONFIG is not set") as caught:
        credentials.load()
    assert "set KUBECONFIG to a kubeconfig file" in str(caught.value)


def test_a_client_certificate_given_inline_is_loaded(tmp_path: Path) -> None:
    authority = certificates.Authority(tmp_path)
    files = (*authority.client("me", "me"), authority.certificate)
    signed, key, trusted = (base64.b64encode(file.read_bytes()).decode() for file in files)
    user = {"client-certificate-data": signed, "client-key-data": key}
    cluster = {"server": "https://127.0.0.1:1", "certificate-authority-data": trusted}
    found = credentials.load(Login(kubeconfig(tmp_path / "config", user, cluster)))
    assert found.tls is not None
    assert found.token.current() is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: [", "is not YAML"),
        ("[]", "no context is set"),
        ("{}", "choose one with --context NAME"),
        ("a", "is not a kubeconfig: Expected `object`, got `str`"),
        ("current-context: 3", "is not a kubeconfig: Expected `str`, got `int`"),
        ("current-context: x\ncontexts: [{name: y}]", "there is no context 'x'"),
        ("current-context: x\ncontexts: [{name: x}]", "there is no cluster ''"),
        ("users: [{name: u}, {name: v}, {name: u}]", "has 2 users named 'u': remove all but one"),
    ],
)
def test_a_broken_kubeconfig_is_refused_with_a_sentence(
    tmp_path: Path, content: str, words: str
) -> None:
    path = tmp_path / "config"
    path.write_text(content)
    with pytest.raises(CredentialsError) as caught:
        credentials.load(Login(path))
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_kubeconfig_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(CredentialsError, match="none cannot be read: No such file"):
        credentials.load(Login(tmp_path / "none"))


def test_a_controller_starts_no_credential_plugin(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", {"exec": {"command": "touch", "args": [str(tmp_path)]}})
    with pytest.raises(CredentialsError, match="use a token, a tokenFile or a client certificate"):
        credentials.load(Login(path))


def test_an_auth_provider_is_refused_with_what_took_its_place(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", {"auth-provider": {"name": "gcp"}})
    with pytest.raises(CredentialsError, match=r"removed in 1\.26; use a credential plugin"):
        credentials.load(Login(path))


def test_a_renewed_token_file_is_seen_within_a_minute(tmp_path: Path) -> None:
    now = [0.0]
    path = tmp_path / "token"
    path.write_text("first")
    token = Token(path=path, clock=lambda: now[0])
    assert token.current() == "first"
    path.write_text("second")
    now[0] = 59.9
    assert token.current() == "first"
    now[0] = 60.0
    assert token.current() == "second"


def test_a_refused_token_is_read_again_at_once(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("first")
    token = Token(path=path)
    token.current()
    path.write_text("second")
    assert token.forget()
    assert token.current() == "second"


def test_a_fixed_token_cannot_be_renewed() -> None:
    assert not Token(value="fixed").forget()


def test_a_token_file_that_vanishes_leaves_the_last_token_in_use(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("first")
    token = Token(path=path)
    token.current()
    path.unlink()
    token.forget()
    assert token.current() == "first"


def test_a_token_file_is_found_next_to_the_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-file")
    path = kubeconfig(tmp_path / "config", {"tokenFile": "token", "token": "old"})
    assert credentials.load(Login(path)).token.current() == "from-file"
