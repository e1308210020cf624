"""Several kubeconfig files count as one, as in client-go; options choose among their entries."""

import ssl
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

import answering
from api_double import ApiDouble
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import CredentialsError, Login
from local_cluster import certificates


def written(file: Path, **parts: Any) -> Path:
    """A kubeconfig whose entries are given by name; ``current`` is the current context."""
    document: dict[str, Any] = {"current-context": parts.pop("current", None)}
    for plural, entries in parts.items():
        kind = plural.removesuffix("s")
        document[plural] = [{"name": name, kind: value} for name, value in entries.items()]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    return file


def two_files(tmp_path: Path) -> tuple[Path, Path]:
    """A first file with a cluster and no context, a second with another cluster and both users."""
    first = written(
        tmp_path / "one/config",
        clusters={"c": {"server": "http://first"}},
        users={"u": {"tokenFile": "token"}},
    )
    (tmp_path / "one/token").write_text("of-first")
    second = written(
        tmp_path / "two/config",
        current="x",
        clusters={"c": {"server": "http://second"}, "d": {"server": "http://other"}},
        users={"u": {"token": "of-second"}, "v": {"token": "of-v"}},
        contexts={
            "x": {"cluster": "c", "user": "u", "namespace": "ns"},
            "y": {"cluster": "d", "user": "v"},
        },
    )
    return first, second


def test_the_first_file_that_has_an_entry_wins_with_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two_files(tmp_path)
    monkeypatch.setenv("KUBECONFIG", f"{first}:/no/such/file::{second}:{first}")
    found = credentials.load()
    assert (found.server, found.namespace) == ("http://first", "ns")
    assert found.token.current() == "of-first"
    monkeypatch.setenv("KUBECONFIG", f"{second}:{first}")
    found = credentials.load()
    assert (found.server, found.token.current()) == ("http://second", "of-second")


def test_options_choose_context_cluster_user_and_namespace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", ":".join(map(str, two_files(tmp_path))))
    found = credentials.load(Login(context="y", namespace="mine"))
    assert (found.server, found.token.current()) == ("http://other", "of-v")
    assert found.namespace == "mine"
    mixed = credentials.load(Login(cluster="d", user="u"))
    assert (mixed.server, mixed.token.current()) == ("http://other", "of-first")
    assert mixed.namespace == "default"


@pytest.mark.parametrize(
    ("kind", "names"), [("context", "x, y"), ("cluster", "c, d"), ("user", "u, v")]
)
def test_an_unknown_choice_is_refused_with_the_names_that_are_there(
    tmp_path: Path, kind: str, names: str
) -> None:
    _, second = two_files(tmp_path)
    with pytest.raises(CredentialsError) as refused:
        credentials.load(
            Login(
                second,
                context="zz" if kind == "context" else "",
                cluster="zz" if kind == "cluster" else "",
                user="zz" if kind == "user" else "",
            )
        )
    assert str(refused.value) == f"there is no {kind} 'zz' in {second}; there: {names}"


def test_files_that_are_not_there_are_passed_over_unless_all_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/a:/b")
    with pytest.raises(CredentialsError, match="names no file that exists: /a:/b"):
        credentials.load()


def test_a_kubeconfig_in_the_home_folder_goes_before_a_service_account(tmp_path: Path) -> None:
    (tmp_path / "serviceaccount").mkdir()
    (tmp_path / "serviceaccount/token").write_text("of-pod")
    _, second = two_files(tmp_path)
    home = tmp_path / "home/.kube/config"
    home.parent.mkdir(parents=True)
    home.write_bytes(second.read_bytes())
    assert credentials.load().token.current() == "of-second"


async def test_a_server_with_another_name_in_its_certificate_is_trusted_by_tls_server_name(
    tmp_path: Path,
) -> None:
    authority = certificates.Authority(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(*authority.server("apiserver", ["the.cluster"]))

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({"metadata": {"name": "default"}})

    async with answering.serving(answer, tls) as server:
        cluster = {
            "server": server,
            "certificate-authority": str(authority.certificate),
            "tls-server-name": "the.cluster",
        }
        file = written(tmp_path / "config", clusters={"c": cluster}, users={"u": {"token": "t"}})
        async with Api(credentials.load(Login(file, cluster="c", user="u"))) as api:
            assert (await api.get(paths.NAMESPACES, None, "default"))["metadata"]


@pytest.mark.parametrize("by_option", [True, False])
async def test_impersonation_is_sent_with_each_request(
    tmp_path: Path, double: ApiDouble, by_option: bool
) -> None:
    user = {"as": "jane", "as-groups": ["dev", "ops"], "as-user-extra": {"a/b": ["1"]}}
    file = written(
        tmp_path / "config",
        current="x",
        clusters={"c": {"server": double.url}},
        users={"u": {} if by_option else user},
        contexts={"x": {"cluster": "c", "user": "u"}},
    )
    login = Login(file, impersonate="jane", groups=("dev", "ops")) if by_option else Login(file)
    sent = credentials.load(login).headers
    assert ("Impersonate-User", "jane") in sent
    assert [value for name, value in sent if name == "Impersonate-Group"] == ["dev", "ops"]
    assert (("Impersonate-Extra-a%2Fb", "1") in sent) is not by_option


def test_groups_without_a_user_to_act_as_are_refused(tmp_path: Path) -> None:
    _, second = two_files(tmp_path)
    with pytest.raises(CredentialsError, match="takes a user to act as"):
        credentials.load(Login(second, groups=("dev",)))
