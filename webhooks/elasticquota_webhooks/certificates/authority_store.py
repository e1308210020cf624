"""Keeps the certificate authorities of all replicas in one Secret; the first replica fills it.

The chart creates the Secret, empty. The webhook has no right to create Secrets, because with it one
can get the token of any service account.

Webhook down: a replica that cannot read the Secret keeps serving with the certificate it has.
Races: every write is a compare-and-swap, so when two replicas create or advance the authorities at
the same time, one wins, and the other reads what was written.

When the Secret was emptied or filled with something else, a replica that remembers the authorities
writes them again and adds a successor: emptying the Secret is how a person asks for a new
authority, and no call fails meanwhile. When no replica remembers them, a new authority is created.
"""

import base64
from collections.abc import Container
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final

import structlog
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm

from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_webhooks.certificates import authority, ca_rotation, timing
from elasticquota_webhooks.certificates.authority import Authority
from elasticquota_webhooks.certificates.ca_rotation import CaRotation, FormerAuthority
from elasticquota_webhooks.certificates.source import FaultError
from elasticquota_webhooks.certificates.timing import Timing


_ATTEMPTS: Final = 5
_DAMAGE: Final = (KeyError, ValueError, TypeError, UnsupportedAlgorithm)

log = structlog.get_logger(__name__)


class AuthorityStore:
    """Reads and advances the authorities in the Secret ``namespace/name``."""

    def __init__(self, api: Api, namespace: str, name: str, times: Timing = timing.NORMAL) -> None:
        self._api = api
        self._namespace = namespace
        self._name = name
        self._times = times
        self._known: CaRotation | None = None

    async def obtain(self, now: datetime, steady: Container[x509.Certificate] = ()) -> CaRotation:
        """The authorities of all replicas, after every step of the rotation that is due.

        ``steady`` are the certificates that all API servers trust by now. Raises ``ApiError`` and
        ``FaultError``.
        """
        for _ in range(_ATTEMPTS):
            try:
                self._known = await self._obtain(now, steady)
            except ApiError as error:
                if not error.is_conflict:
                    raise
                log.info("another replica wrote the certificate authority first")
            else:
                return self._known
        raise ApiError(409, "Conflict", f"Secret {self._name} is written by others all the time")

    async def _obtain(self, now: datetime, steady: Container[x509.Certificate]) -> CaRotation:
        secret = await self._find()
        stored = None if secret is None else _read(secret)
        due = ca_rotation.advance(stored or self._remembered(now), now, steady, self._times)
        if secret is not None and due == stored and _is_intact(secret, stored):
            return stored
        written = manifest(due, self._namespace, self._name)
        if secret is None:
            await self._create(written)
        else:
            secret["data"] = written["data"]
            await self._api.replace(paths.SECRETS, self._namespace, secret)
        log.info(
            "certificate authorities stored",
            secret=self._name,
            current=_serial(due.current.certificate),
            coming=None if due.coming is None else _serial(due.coming.certificate),
            former=None if due.former is None else _serial(due.former.certificate),
        )
        return due

    async def _create(self, written: dict[str, Any]) -> None:
        """Create the Secret if our rights allow it (not in the chart), else ``FaultError``."""
        try:
            await self._api.create(paths.SECRETS, self._namespace, written)
        except ApiError as error:
            if error.status != HTTPStatus.FORBIDDEN:
                raise
            text = f"Secret {self._name} does not exist: install the chart again, which makes it"
            raise FaultError(text) from error

    async def _find(self) -> dict[str, Any] | None:
        try:
            return await self._api.get(paths.SECRETS, self._namespace, self._name)
        except ApiError as error:
            if error.is_not_found:
                return None
            raise

    def _remembered(self, now: datetime) -> CaRotation:
        if self._known is None:
            return ca_rotation.begin(now, self._times)
        return ca_rotation.renew(self._known, now, self._times)


def manifest(of: CaRotation, namespace: str, name: str) -> dict[str, Any]:
    """The Secret that holds the authorities ``of`` a rotation."""
    data = {
        "ca.crt": of.current.bundle,
        "ca.key": of.current.secret,
        "ca-bundle.crt": authority.pem(*of.trusted),
    }
    if of.coming is not None:
        data |= {"coming.crt": of.coming.bundle, "coming.key": of.coming.secret}
    if of.former is not None:
        data |= {
            "former.crt": authority.pem(of.former.certificate),
            "former.until": of.former.until.isoformat().encode(),
        }
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": "Opaque",
        "data": {entry: base64.b64encode(content).decode() for entry, content in data.items()},
    }


def _read(secret: dict[str, Any]) -> CaRotation | None:
    """The authorities that a Secret holds, or None when no current authority is readable.

    The chart creates the Secret without entries; that is no damage.
    A damaged successor or predecessor is left out: the current authority alone is worth keeping.
    """
    data = secret.get("data") or {}
    current = _read_authority(data, "ca") if data else None
    if current is None:
        return None
    coming = _read_authority(data, "coming") if "coming.crt" in data else None
    former = _read_former(data) if "former.crt" in data else None
    return CaRotation(current, coming, former)


def _is_intact(secret: dict[str, Any], stored: CaRotation) -> bool:
    """Whether the bundle, an entry for people to read, still matches the other entries."""
    bundle: str = secret["data"].get("ca-bundle.crt", "")
    return base64.b64decode(bundle) == authority.pem(*stored.trusted)


def _read_authority(data: dict[str, str], name: str) -> Authority | None:
    try:
        return authority.read(
            base64.b64decode(data[f"{name}.crt"]), base64.b64decode(data[f"{name}.key"])
        )
    except _DAMAGE as error:
        _complain(name, error)
        return None


def _read_former(data: dict[str, str]) -> FormerAuthority | None:
    try:
        certificate = x509.load_pem_x509_certificate(base64.b64decode(data["former.crt"]))
        until = datetime.fromisoformat(base64.b64decode(data["former.until"]).decode())
    except _DAMAGE as error:
        _complain("former", error)
        return None
    return FormerAuthority(certificate, until.replace(tzinfo=until.tzinfo or UTC))


def _complain(name: str, error: Exception) -> None:
    why = f"{type(error).__name__}: {error}"
    log.warning("a certificate authority is unusable", entry=name, why=why)


def _serial(certificate: x509.Certificate) -> str:
    return f"{certificate.serial_number:x}"
