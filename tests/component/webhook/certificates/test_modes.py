"""The configuration decides where certificates come from; metrics report their state."""

import asyncio
import socket
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest

import certificate_managers as managers
from api_double import ApiDouble
from certificate_managers import HOSTS, NAMESPACE
from elasticquota_config import model
from elasticquota_config.model import ConfigurationError
from elasticquota_kube.client.api import Api
from elasticquota_webhooks import main
from elasticquota_webhooks.certificates import authority, modes, serving_certificate


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "webhook: {certificates: {mode: helm}}",
            "webhook.certificates.mode: must be one of 'self', 'certManager' or 'secret', "
            "got 'helm'",
        ),
        (
            "webhook: {certificates: {publishBundle: false}}",
            "webhook.certificates: must have publishBundle: true with mode self, only the "
            "webhook knows the CA",
        ),
        (
            "webhook: {certificates: {mode: certManager}}",
            "webhook.certificates: must have publishBundle: false with mode certManager, which "
            "publishes itself",
        ),
    ],
)
def test_a_mode_that_cannot_work_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        model.parse(text)
    assert str(caught.value) == fault


@pytest.mark.parametrize("publishes", ["true", "false"])
def test_a_secret_may_be_published_by_either_side(publishes: str) -> None:
    read = model.parse(f"webhook: {{certificates: {{mode: secret, publishBundle: {publishes}}}}}")
    assert read.webhook.certificates.publish_bundle == (publishes == "true")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_the_process_serves_a_mounted_secret_and_reports_its_state(
    api: Api, double: ApiDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    managers.configure(double)
    monkeypatch.setenv(modes.FOLDER_VARIABLE, str(tmp_path))
    port, health_port = free_port(), free_port()
    settings = model.parse(
        f"webhook: {{port: {port}, healthPort: {health_port}, certificates: {{mode: secret}}}}"
    )
    stop = asyncio.Event()
    task = asyncio.create_task(main.serve(settings, api, NAMESPACE, ["127.0.0.1"], stop, 0))
    async with aiohttp.ClientSession(f"http://127.0.0.1:{health_port}") as client:

        async def page(path: str, wanted: str) -> None:
            text = ""
            async with asyncio.timeout(10):
                while wanted not in text:
                    await asyncio.sleep(0.02)
                    try:
                        async with client.get(path) as answer:
                            text = await answer.text()
                    except aiohttp.ClientConnectorError:
                        continue

        await page("/readyz", "tls.crt cannot be read")
        await page("/metrics", "elasticquota_webhook_certificate_problem 1.0")
        signer = authority.create(datetime.now(UTC))
        leaf = serving_certificate.issue(signer, HOSTS, datetime.now(UTC))
        for name, content in (("tls.key", leaf.pair), ("ca.crt", signer.bundle)):
            (tmp_path / name).write_bytes(content)
        (tmp_path / "tls.crt").write_bytes(leaf.pair)
        await page("/readyz", "ok")
        await page("/metrics", "elasticquota_webhook_certificate_problem 0.0")
        await page("/metrics", "elasticquota_webhook_certificate_changes_total 1.0")
    assert managers.trusted(double) == [signer.certificate]
    stop.set()
    await task
