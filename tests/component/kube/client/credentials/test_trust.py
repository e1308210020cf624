"""Which certificate authorities are trusted: also a bare one, a new one soon, and no others."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

import answering
import kopf_watch
from api_double import ApiDouble
from api_double.waiting import until
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.client.credentials.trust import Trust
from elasticquota_kube.informer.reflector import ObjectKey, Reflector
from elasticquota_webhooks.server.contact import Contact
from local_cluster import certificates, kubeconfig


@asynccontextmanager
async def server(authority: certificates.Authority, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """A server of one namespace with a certificate for ``host``; yields its address."""

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({"metadata": {"name": "default"}})

    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(*authority.server("apiserver", [host]))
    async with answering.serving(answer, tls) as url:
        yield url


def two_authorities(folder: Path) -> tuple[certificates.Authority, certificates.Authority]:
    (folder / "other").mkdir()
    return (
        certificates.Authority(folder, bare=True),
        certificates.Authority(folder / "other", bare=True),
    )


def kubeconfig_of(folder: Path, url: str, trusted: Path) -> Path:
    token = folder / "token"
    token.write_text("any")
    return kubeconfig.for_token_file(
        folder / "kubeconfig", api=url, authority=trusted, token=token, namespace="default"
    )


async def ask(path: Path, *, brief: bool = False) -> str:
    async with Api(credentials.load(Login(path)), brief=brief) as api:
        return str((await api.get(paths.NAMESPACES, None, "default"))["metadata"]["name"])


@pytest.mark.parametrize("brief", [False, True], ids=["stays", "brief"])
@pytest.mark.parametrize("bare", [True, False], ids=["bare", "complete"])
async def test_a_server_of_the_clusters_authority_is_trusted(
    tmp_path: Path, brief: bool, bare: bool
) -> None:
    authority = certificates.Authority(tmp_path, bare=bare)
    async with server(authority) as url:
        assert (
            await ask(kubeconfig_of(tmp_path, url, authority.certificate), brief=brief) == "default"
        )


@pytest.mark.parametrize("brief", [False, True], ids=["stays", "brief"])
@pytest.mark.parametrize(
    ("is_ours", "host", "words"),
    [
        (False, "127.0.0.1", "certificate verify failed"),
        (True, "127.0.0.9", "IP address mismatch"),
    ],
    ids=["of another authority", "of another host"],
)
async def test_a_server_with_another_certificate_is_refused(
    tmp_path: Path, is_ours: bool, host: str, words: str, brief: bool
) -> None:
    authority, other = two_authorities(tmp_path)
    trusted = authority if is_ours else other
    async with server(authority, host) as url:
        with pytest.raises(ApiError, match=words):
            await ask(kubeconfig_of(tmp_path, url, trusted.certificate), brief=brief)


async def test_a_write_is_sent_to_a_server_of_the_clusters_authority_only(tmp_path: Path) -> None:
    authority, other = two_authorities(tmp_path)
    async with server(authority) as url:
        for trusted, expected in ((authority, ""), (other, "Untrusted")):
            path = kubeconfig_of(tmp_path, url, trusted.certificate)
            async with Api(credentials.load(Login(path))) as api:
                try:
                    await api.patch(paths.NAMESPACES, None, "default", {})
                    found = ""
                except ApiError as error:
                    found = error.reason
            assert found == expected


async def test_a_kept_connection_is_not_used_when_its_authority_is_not_trusted_any_more(
    tmp_path: Path,
) -> None:
    authority, other = two_authorities(tmp_path)
    trusted = tmp_path / "trusted.crt"
    trusted.write_bytes(authority.certificate.read_bytes())
    async with server(authority) as url:
        who = credentials.load(Login(kubeconfig_of(tmp_path, url, trusted)))
        assert who.tls is not None
        async with Api(who) as api:
            await api.patch(paths.NAMESPACES, None, "default", {})
            trusted.write_bytes(other.certificate.read_bytes())
            who.tls.forget()
            with pytest.raises(ApiError) as refused:
                await api.patch(paths.NAMESPACES, None, "default", {})
    assert refused.value.reason == "Untrusted"


async def test_a_write_under_a_new_authority_uses_no_connection_of_the_old_one(
    change: "Change",
) -> None:
    async with Api(change.credentials()) as api:
        await api.patch(paths.NAMESPACES, None, "default", {"metadata": {"labels": {"a": "1"}}})
        await change.to("second", told=False)
        with pytest.raises(ApiError) as refused:
            await api.patch(paths.NAMESPACES, None, "default", {"metadata": {"labels": {"a": "2"}}})
        assert refused.value.reason == "Untrusted"
        change.tell("second")
        await api.patch(paths.NAMESPACES, None, "default", {"metadata": {"labels": {"a": "3"}}})


class Copy:
    """Names of the objects that a reflector reports."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def upsert(self, obj: NamespaceManifest, /) -> None:
        self.names.add(obj.metadata.name)

    def delete(self, key: ObjectKey, /) -> None:
        self.names.discard(key.name)

    def synced(self) -> None:
        """Do nothing."""


class Change:
    """An API server whose authority is replaced together with the CA file."""

    def __init__(self, double: ApiDouble, folder: Path) -> None:
        self._double = double
        self._folder = folder
        self.trusted = folder / "ca.crt"

    async def to(self, name: str, *, told: bool = True) -> None:
        """Switch the server to another authority; ``told``: update the CA file, too."""
        pki = self._folder / name
        pki.mkdir()
        authority = certificates.Authority(pki, bare=True, name=name)
        self._double.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._double.tls.load_cert_chain(*authority.server("apiserver", ["127.0.0.1"]))
        await self._double.refuse()
        await self._double.accept()
        if told:
            self.tell(name)

    def tell(self, name: str) -> None:
        self.trusted.write_bytes((self._folder / name / "ca.crt").read_bytes())

    def credentials(self) -> Credentials:
        return credentials.load(Login(kubeconfig_of(self._folder, self._double.url, self.trusted)))


@pytest.fixture
async def change(double: ApiDouble, tmp_path: Path) -> Change:
    found = Change(double, tmp_path)
    await found.to("first")
    return found


async def test_a_new_authority_is_trusted_as_soon_as_it_is_in_the_file(change: Change) -> None:
    async with Api(change.credentials()) as api:
        await api.get(paths.NAMESPACES, None, "default")
        await change.to("second", told=False)
        for _ in range(2):
            with pytest.raises(ApiError) as refused:
                await api.get(paths.NAMESPACES, None, "default")
            assert refused.value.reason == "Untrusted"
        change.tell("second")
        await api.get(paths.NAMESPACES, None, "default")


async def test_a_watch_goes_on_under_a_new_authority(change: Change, double: ApiDouble) -> None:
    copy = Copy()
    async with Api(change.credentials()) as api:
        reflector = Reflector(api, paths.NAMESPACES, NamespaceManifest, copy, wait=lambda _: 0.05)
        following = asyncio.create_task(reflector.run())
        await until(lambda: "default" in copy.names)
        await change.to("second", told=False)
        change.tell("second")
        double.put(paths.NAMESPACES, {"metadata": {"name": "later"}})
        await until(lambda: "later" in copy.names, within=30)
        following.cancel()


async def test_kopf_goes_on_under_a_new_authority(change: Change, double: ApiDouble) -> None:
    async with kopf_watch.quotas(change.credentials()) as seen:
        double.put(paths.QUOTAS, {"metadata": {"namespace": "team", "name": "a"}})
        await until(lambda: "a" in seen, within=30)
        await change.to("second", told=False)
        double.put(paths.QUOTAS, {"metadata": {"namespace": "team", "name": "b"}})
        change.tell("second")
        await until(lambda: "b" in seen, within=30)


async def test_a_replica_of_the_webhook_is_ready_again_under_a_new_authority(
    change: Change, double: ApiDouble
) -> None:
    now = 0.0
    async with Api(change.credentials()) as api:
        contact = Contact(api, "default", lambda: now)
        await change.to("second", told=False)
        now = 40.0
        await contact.ask()
        assert contact.missing() != ""
        change.tell("second")
        await contact.ask()
        assert contact.missing() == ""


def test_a_replaced_authority_is_no_longer_trusted(tmp_path: Path) -> None:
    now = [0.0]
    pems = {}
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        pems[name] = certificates.Authority(tmp_path / name).certificate.read_bytes()
    said = [pems["old"]]
    trust = Trust(lambda: said[0], clock=lambda: now[0])
    first = trust.current()
    said[0] = pems["new"]
    assert trust.current() is first
    now[0] = 60.0
    assert trust.current() is not first
    assert trust.current().get_ca_certs() != first.get_ca_certs()
    assert len(trust.current().get_ca_certs()) == 1


@pytest.mark.parametrize("content", [b"", b"\n", b"half of a certif", b"\xff\xfe"])
def test_an_unusable_file_leaves_the_last_authority(tmp_path: Path, content: bytes) -> None:
    said = [certificates.Authority(tmp_path).certificate.read_bytes()]
    trust = Trust(lambda: said[0])
    first = trust.current()
    said[0] = content
    trust.forget()
    assert trust.current() is first


def test_an_empty_authority_never_means_those_of_the_system() -> None:
    with pytest.raises(ValueError, match="is empty"):
        Trust(lambda: b"")


def test_a_renewed_client_certificate_makes_a_new_context(tmp_path: Path) -> None:
    authority = certificates.Authority(tmp_path)
    pairs = [
        b"\n".join(path.read_bytes() for path in authority.client(name, name))
        for name in ("first", "second")
    ]
    shown = [pairs[0]]
    trust = Trust(authority.certificate.read_bytes, lambda: shown[0])
    first = trust.current()
    trust.forget()
    assert trust.current() is first
    shown[0] = pairs[1]
    trust.forget()
    assert trust.current() is not first
