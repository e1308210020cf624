"""Which authorities of a cluster are believed: a bare one too, another's never."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from elasticquota_kube import credentials, paths
from elasticquota_kube.api import Api, ApiError
from local_cluster import certificates, kubeconfig


@asynccontextmanager
async def server(
    pki: Path, authority: certificates.Authority, host: str = "127.0.0.1"
) -> AsyncIterator[str]:
    """A server of one namespace, with a certificate for ``host``; its address."""

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({"metadata": {"name": "default"}})

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(*authority.server("apiserver", [host]))
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    try:
        yield f"https://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def kubeconfig_of(folder: Path, url: str, trusted: Path) -> Path:
    token = folder / "token"
    token.write_text("any")
    return kubeconfig.for_token_file(
        folder / "kubeconfig", api=url, authority=trusted, token=token, namespace="default"
    )


async def ask(path: Path) -> str:
    async with Api(credentials.load(path)) as api:
        return str((await api.get(paths.NAMESPACES, None, "default"))["metadata"]["name"])


@pytest.mark.parametrize("bare", [True, False], ids=["bare", "complete"])
async def test_a_server_of_the_clusters_authority_is_believed(tmp_path: Path, bare: bool) -> None:
    authority = certificates.Authority(tmp_path, bare=bare)
    async with server(tmp_path, authority) as url:
        assert await ask(kubeconfig_of(tmp_path, url, authority.certificate)) == "default"


async def test_a_server_of_another_authority_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    authority = certificates.Authority(tmp_path, bare=True)
    other = certificates.Authority(tmp_path / "other", bare=True)
    async with server(tmp_path, authority) as url:
        with pytest.raises(ApiError, match="certificate verify failed"):
            await ask(kubeconfig_of(tmp_path, url, other.certificate))


async def test_a_server_with_a_certificate_for_another_host_is_refused(tmp_path: Path) -> None:
    authority = certificates.Authority(tmp_path, bare=True)
    async with server(tmp_path, authority, host="127.0.0.9") as url:
        with pytest.raises(ApiError, match="IP address mismatch"):
            await ask(kubeconfig_of(tmp_path, url, authority.certificate))
