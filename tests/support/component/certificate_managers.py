"""Replicas that keep certificates against a double of the API, with one manual clock for all."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from cryptography import x509

from api_double import ApiDouble
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_webhooks.certificates import authority, handshake, serving_certificate, timing
from elasticquota_webhooks.certificates.authority_store import AuthorityStore
from elasticquota_webhooks.certificates.ca_bundle import Publisher
from elasticquota_webhooks.certificates.manager import CertificateManager
from elasticquota_webhooks.certificates.self_signed import OwnCertificates
from elasticquota_webhooks.certificates.serving_certificate import Certificate, Leaf
from elasticquota_webhooks.certificates.source import CertificateSource
from elasticquota_webhooks.server.webhook_paths import WebhookPaths


NAMESPACE: Final = "elastic-quota-system"
SECRET: Final = "elastic-quota-webhook-ca"
NAME: Final = "elastic-quota-webhook"
CONFIGURATIONS: Final = (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS)
HOSTS: Final = serving_certificate.service_names(NAME, NAMESPACE)
HOST: Final = f"{NAME}.{NAMESPACE}.svc"
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
MARGIN: Final = timedelta(seconds=timing.NORMAL.margin)
FOREIGN: Final = authority.create(START)
"""An authority that is not ours."""
LINGER: Final = timedelta(seconds=timing.NORMAL.linger)


class ManualClock:
    """A clock that only a test moves; ``step`` changes the wall time, but no time passes."""

    def __init__(self) -> None:
        self._passed = timedelta()
        self._stepped = timedelta()

    def wait(self, time: timedelta) -> None:
        self._passed += time

    def step(self, time: timedelta) -> None:
        self._stepped += time

    def now(self) -> datetime:
        return START + self._passed + self._stepped

    async def ask(self) -> datetime:
        return self.now()

    def monotonic(self) -> float:
        return self._passed.total_seconds()


class Replica:
    """One certificate manager; in mode self unless it gets another source."""

    def __init__(
        self,
        api: Api,
        clock: ManualClock,
        source: CertificateSource | None = None,
        *,
        publishes_path: bool = True,
    ) -> None:
        self.certificate = Certificate()
        self.paths = WebhookPaths(timing.NORMAL.linger)
        self.manager = CertificateManager(
            source or OwnCertificates(AuthorityStore(api, NAMESPACE, SECRET), HOSTS),
            Publisher(
                api,
                NAME,
                paths_taken=self.paths,
                publishes_path=publishes_path,
                monotonic=clock.monotonic,
            ),
            self.certificate,
            clock,
            HOST,
        )

    @property
    def leaf(self) -> Leaf:
        assert self.certificate.leaf is not None
        return self.certificate.leaf

    def is_accepted(self, double: ApiDouble) -> bool:
        """Whether an API server would accept its certificate, whichever webhook it calls."""
        return all(
            not handshake.refusal(self.leaf.pair, frozenset(pems(bundle)), HOST)
            for bundle in bundles(double)
        )


def configure(double: ApiDouble) -> None:
    """Create the chart's configurations, without any bundle."""
    double.put(paths.NAMESPACES, {"metadata": {"name": NAMESPACE}})
    for resource, webhooks in zip(CONFIGURATIONS, (("quota", "pod"), ("quota",)), strict=True):
        entries = [
            {
                "name": f"{webhook}.elasticquota.dev",
                "clientConfig": {"service": {"name": NAME, "namespace": NAMESPACE}},
            }
            for webhook in webhooks
        ]
        double.put(resource, {"metadata": {"name": NAME}, "webhooks": entries})


def inject(double: ApiDouble, bundle: bytes) -> None:
    """Write a bundle into every webhook, as another controller would."""

    def write(configuration: dict[str, Any]) -> None:
        for webhook in configuration["webhooks"]:
            webhook["clientConfig"]["caBundle"] = base64.b64encode(bundle).decode()

    for resource in CONFIGURATIONS:
        double.edit(resource, "", NAME, write)


def called(double: ApiDouble) -> list[str]:
    """The path of every webhook; empty where there is none."""
    return [
        webhook["clientConfig"]["service"].get("path", "")
        for resource in CONFIGURATIONS
        for webhook in double.object(resource, "", NAME)["webhooks"]
    ]


def call(double: ApiDouble, path: str) -> None:
    """Write a path into every webhook, as a user would."""

    def write(configuration: dict[str, Any]) -> None:
        for webhook in configuration["webhooks"]:
            webhook["clientConfig"]["service"]["path"] = path

    for resource in CONFIGURATIONS:
        double.edit(resource, "", NAME, write)


def bundles(double: ApiDouble) -> list[bytes]:
    """The bundle that every webhook trusts."""
    return [
        base64.b64decode(webhook["clientConfig"].get("caBundle", ""))
        for resource in CONFIGURATIONS
        for webhook in double.object(resource, "", NAME)["webhooks"]
    ]


def trusted(double: ApiDouble) -> list[x509.Certificate]:
    """The certificates that all webhooks trust, the youngest first; fails when they differ."""
    (bundle,) = set(bundles(double))
    return pems(bundle)


def secret(double: ApiDouble) -> dict[str, bytes]:
    """The content of the Secret of the authorities."""
    data: dict[str, str] = double.object(paths.SECRETS, NAMESPACE, SECRET)["data"]
    return {key: base64.b64decode(value) for key, value in data.items()}


def authority_of(double: ApiDouble, entry: str = "ca") -> x509.Certificate:
    """The current authority in the Secret, or the ``coming`` or ``former`` one."""
    return x509.load_pem_x509_certificate(secret(double)[f"{entry}.crt"])


def signed(leaf: Leaf, by: x509.Certificate) -> bool:
    """Whether the authority signed the leaf."""
    try:
        leaf.certificate.verify_directly_issued_by(by)
    except Exception:  # noqa: BLE001 - any error means no
        return False
    return True


def pems(bundle: bytes) -> list[x509.Certificate]:
    """The certificates of a bundle; none if it is not a bundle."""
    return x509.load_pem_x509_certificates(bundle) if b"BEGIN CERTIFICATE" in bundle else []


def edit_secret(double: ApiDouble, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
    """Change the data of the Secret; values are as in the API, base64."""
    double.edit(
        paths.SECRETS,
        NAMESPACE,
        SECRET,
        lambda stored: stored.update(data=change(stored["data"])),
    )


async def reconcile(*replicas: Replica) -> None:
    """Let each of them check once, one after the other."""
    for each in replicas:
        await each.manager.reconcile()
