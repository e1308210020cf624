"""A proxy is used where client-go would use it."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import kopf_watch
from api_double import ApiDouble
from api_double.waiting import until
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import credentials, proxy
from elasticquota_kube.client.credentials.login import CredentialsError, Login
from local_cluster import certificates, kubeconfig


HERE = "http://proxy:3128"


@pytest.mark.parametrize(
    ("server", "exempt", "used"),
    [
        ("https://api.example:6443", "", True),
        ("https://10.96.0.1:443", "10.0.0.0/8", False),
        ("https://11.96.0.1:443", "10.0.0.0/8", True),
        ("https://10.96.0.1:443", "10.96.0.1", False),
        ("https://10.96.0.1:443", "10.96.0.1:443", False),
        ("https://10.96.0.1:443", "10.96.0.1:6443", True),
        ("https://[fd00::1]:443", "fd00::/8", False),
        ("https://[fd00::1]:443", "[fd00::1]:443", False),
        ("https://[fd00::1]:443", "fd00::1", False),
        ("https://api.example:6443", "example", False),
        ("https://api.example:6443", ".example", False),
        ("https://api.example:6443", "*.example", False),
        ("https://example:6443", "example", False),
        ("https://example:6443", ".example", True),
        ("https://notexample:6443", "example", True),
        ("https://API.example:6443", "other, API.Example:6443", False),
        ("https://api.example:6443", "api.example:443", True),
        ("https://api.example:6443", "*", False),
        ("https://api.example:6443", ",,10.0.0.0/99,[", True),
        ("https://localhost:6443", "", False),
        ("https://127.3.2.1:6443", "", False),
        ("https://[::1]:6443", "", False),
    ],
)
def test_no_proxy_is_read_as_by_client_go(server: str, exempt: str, used: bool) -> None:
    found = proxy.of(server, {"HTTPS_PROXY": HERE, "NO_PROXY": exempt})
    assert found == (HERE if used else None)


def test_each_scheme_has_its_proxy_variable_in_either_case() -> None:
    said = {"https_proxy": "secure:1", "HTTP_PROXY": "http://plain:2"}
    assert proxy.of("https://api.example", said) == "http://secure:1"
    assert proxy.of("http://api.example", said) == "http://plain:2"
    assert proxy.of("https://api.example", {}) is None


def test_the_kubeconfig_overrides_the_environment() -> None:
    said = {"HTTPS_PROXY": HERE, "NO_PROXY": "*"}
    assert proxy.of("https://api.example", said, "https://other:1") == "https://other:1"


def test_a_proxy_of_another_kind_is_refused_with_a_sentence_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://ann:secret@proxy:1080")
    token = tmp_path / "token"
    token.write_text("any")
    authority = certificates.Authority(tmp_path).certificate
    path = kubeconfig.for_token_file(
        tmp_path / "kubeconfig",
        api="https://api.example",
        authority=authority,
        token=token,
        namespace="default",
    )
    with pytest.raises(CredentialsError, match="only http:// and https:// can") as caught:
        credentials.load(Login(path))
    assert "secret" not in str(caught.value)


class Proxy:
    """Connects every CONNECT to one port of this machine, whatever the host name."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.asked: list[bytes] = []
        self.url = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Proxy"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://ann:secret@127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.append(await reader.readuntil(b"\r\n\r\n"))
        there, onward = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(_pump(reader, onward), _pump(there, writer))


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    except OSError:
        pass
    finally:
        sink.close()


async def test_both_clients_go_through_the_proxy_and_trust_the_cluster_only(
    double: ApiDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = certificates.Authority(tmp_path)
    double.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    double.tls.load_cert_chain(*authority.server("apiserver", ["api.example"]))
    await double.refuse()
    await double.accept()
    token = tmp_path / "token"
    token.write_text("any")
    path = kubeconfig.for_token_file(
        tmp_path / "kubeconfig",
        api="https://api.example:6443",
        authority=authority.certificate,
        token=token,
        namespace="default",
    )
    port = int(double.url.rpartition(":")[2])
    async with Proxy(port).running() as way:
        monkeypatch.setenv("HTTPS_PROXY", way.url)
        who = credentials.load(Login(path))
        async with Api(who) as api:
            await api.get(paths.NAMESPACES, None, "default")
        assert len(way.asked) == 1
        assert way.asked[0].startswith(b"CONNECT api.example:6443 HTTP/1.1\r\n")
        login = base64.b64encode(b"ann:secret")
        assert b"Proxy-Authorization: Basic " + login in way.asked[0]
        assert b"Bearer" not in way.asked[0]
        async with kopf_watch.quotas(who) as seen:
            double.put(paths.QUOTAS, {"metadata": {"namespace": "team", "name": "a"}})
            await until(lambda: "a" in seen, within=30)
        assert len(way.asked) > 1
