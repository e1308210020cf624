"""Publishes our authorities in both webhook configurations, so that the API server trusts us.

The chart owns the configurations and leaves ``caBundle`` out. The replicas fill it in and keep it:
when it is emptied, or the chart is installed again, they restore it a moment later. They do the
same for the path, whose token only the API server knows (``webhook_paths``).

Several replicas write, and may want different bundles for a while: one knows a new authority that
another does not know yet, or they run two releases. So a missing certificate is added at once, and
one that this replica does not want is removed only after ``linger`` seconds. The configurations are
read before the Secret or the files that say what is wanted, and written only if they have not
changed since: so an older wish never overwrites a newer one.
"""

import base64
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from http import HTTPStatus
from typing import Final

import structlog
from cryptography import x509
from cryptography.hazmat.primitives import hashes

from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError, Document
from elasticquota_kube.client.paths import Resource
from elasticquota_webhooks.certificates import authority, timing
from elasticquota_webhooks.certificates.timing import Timing
from elasticquota_webhooks.server.webhook_paths import WebhookPaths


Certificates = frozenset[x509.Certificate]

_KINDS: Final = (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS)

log = structlog.get_logger(__name__)


class Publisher:
    """Publishes in both configurations called ``name``; no path where the chart sets it."""

    def __init__(
        self,
        api: Api,
        name: str,
        times: Timing = timing.NORMAL,
        paths_taken: WebhookPaths | None = None,
        *,
        publishes_path: bool = True,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api = api
        self._name = name
        self._times = times
        self._paths = paths_taken or WebhookPaths(times.linger)
        self._publishes_path = publishes_path
        self._monotonic = monotonic
        self._found: list[Document] = []
        self._stood_since: dict[x509.Certificate, float] = {}
        self._unwanted_since: dict[x509.Certificate, float] = {}

    async def read(self) -> None:
        """Read both configurations; raises ``ApiError``, also when one is missing."""
        self._found = [await self._api.get(kind, None, self._name) for kind in _KINDS]
        self._observe()

    def standing(self) -> Certificates:
        """The certificates that every webhook trusted at the last reading."""
        return frozenset(self._stood_since)

    def steady(self) -> Certificates:
        """The certificates trusted by every webhook for so long that all API servers know them."""
        since = self._monotonic() - self._times.margin
        return frozenset(each for each, seen in self._stood_since.items() if seen <= since)

    def path_missing(self) -> bool:
        """Whether a webhook had no path that we answer to at the last reading."""
        return self._paths.missing(self._found)

    async def publish(self, wanted: Iterable[x509.Certificate] | None, now: datetime) -> None:
        """Add ``wanted`` where it is missing, remove what is past its time, and write the paths.

        None leaves the bundle to its other owner. A configuration that changed since it was read is
        left alone until the next pass. Raises ``ApiError``.
        """
        needed = None if wanted is None else frozenset(wanted)
        if needed is not None:
            self._note_unwanted(needed)
        for number, (kind, configuration) in enumerate(zip(_KINDS, self._found, strict=True)):
            operations = (
                [] if needed is None else list(self._operations(configuration, needed, now))
            )
            if self._publishes_path:
                operations += [
                    _at(index, "service/path", path)
                    for index, path in self._paths.wanted(self._found, number)
                ]
            if operations:
                self._found[number] = await self._write(kind, configuration, operations)
        self._observe()

    async def _write(
        self, kind: Resource, configuration: Document, operations: list[Document]
    ) -> Document:
        version = configuration["metadata"]["resourceVersion"]
        unchanged = {"op": "test", "path": "/metadata/resourceVersion", "value": version}
        try:
            written = await self._api.patch(
                kind, None, self._name, [unchanged, *operations], kind="json"
            )
        except ApiError as error:
            if error.status != HTTPStatus.UNPROCESSABLE_ENTITY:
                raise
            log.info("another replica wrote the certificate bundle first", resource=kind.plural)
            return configuration
        log.info("certificate bundle and path published", resource=kind.plural, name=self._name)
        return written

    def _operations(
        self, configuration: Document, needed: Certificates, now: datetime
    ) -> Iterator[Document]:
        for index, webhook in enumerate(_webhooks(configuration)):
            there = _read(webhook)
            wanted = needed | {each for each in there or () if self._may_stay(each, now)}
            if there != wanted:
                yield _at(index, "caBundle", base64.b64encode(pem(wanted)).decode())

    def _may_stay(self, unwanted: x509.Certificate, now: datetime) -> bool:
        since = self._unwanted_since.get(unwanted)
        return (
            since is not None
            and self._monotonic() - since < self._times.linger
            and now < unwanted.not_valid_after_utc
        )

    def _note_unwanted(self, needed: Certificates) -> None:
        there = frozenset[x509.Certificate]().union(*self._bundles())
        now = self._monotonic()
        self._unwanted_since = {
            each: self._unwanted_since.get(each, now) for each in there - needed
        }

    def _observe(self) -> None:
        now = self._monotonic()
        self._paths.observe(self._found, now)
        bundles = self._bundles()
        standing = frozenset.intersection(*bundles) if bundles else frozenset()
        self._stood_since = {each: self._stood_since.get(each, now) for each in standing}

    def _bundles(self) -> list[Certificates]:
        """What each webhook of both configurations trusts."""
        return [_read(each) or frozenset() for found in self._found for each in _webhooks(found)]


def pem(certificates: Iterable[x509.Certificate]) -> bytes:
    """A PEM bundle, the youngest first, whatever the order of ``certificates``."""

    def key(each: x509.Certificate) -> tuple[datetime, bytes]:
        return each.not_valid_before_utc, each.fingerprint(hashes.SHA256())

    return authority.pem(*sorted(certificates, key=key, reverse=True))


def _at(index: int, field: str, value: str) -> Document:
    return {"op": "add", "path": f"/webhooks/{index}/clientConfig/{field}", "value": value}


def _webhooks(configuration: Document) -> list[Document]:
    found: list[Document] = configuration.get("webhooks") or []
    return found


def _read(webhook: Document) -> Certificates | None:
    """What a webhook trusts; None when its bundle is missing or cannot be read."""
    try:
        content = base64.b64decode(webhook["clientConfig"]["caBundle"])
        return frozenset(x509.load_pem_x509_certificates(content))
    except (KeyError, ValueError):
        return None
