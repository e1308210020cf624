"""One certificate authority for all replicas, kept in a Secret that whoever comes first creates.

Down: a replica that cannot read the Secret keeps serving with the leaf it has. Raced: two replicas
create or renew it at the same time; the API server lets one write win, and the other reads what was
written. After two thirds of its life the authority is replaced, and the one before it stays in the
bundle until it expires, so leaves of both are trusted all the time.
A Secret that somebody emptied or filled with something else is replaced.
"""

import base64
import binascii
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from elasticquota_kube import paths
from elasticquota_kube.api import Api, ApiError


LIFE: Final = timedelta(days=365)
SKEW: Final = timedelta(hours=1)
"""How far the clocks of two machines may differ: certificates begin that much earlier."""
_NAME: Final = "elastic-quota-webhook-ca"
_PEM: Final = serialization.Encoding.PEM
_ATTEMPTS: Final = 5

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Authority:
    """The signing pair, and every certificate that clients should trust."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    bundle: bytes
    """PEM: the authority, and the one before it while that is valid."""

    def is_fresh(self, now: datetime) -> bool:
        """Within the first two thirds of its life."""
        return is_fresh(self.certificate, now)


def is_fresh(certificate: x509.Certificate, now: datetime) -> bool:
    """Whether ``now`` is within the first two thirds of a certificate's life."""
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return begin <= now < begin + (end - begin) * 2 / 3


def create(now: datetime, previous: Authority | None = None) -> Authority:
    """A new authority; ``previous`` stays in the bundle while it is valid."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_MAY_SIGN, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    bundle = certificate.public_bytes(_PEM)
    if previous is not None and now < previous.certificate.not_valid_after_utc:
        bundle += previous.certificate.public_bytes(_PEM)
    return Authority(certificate, key, bundle)


_MAY_SIGN: Final = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


class AuthorityStore:
    """The Secret ``namespace/name``."""

    def __init__(self, api: Api, namespace: str, name: str) -> None:
        self._api = api
        self._namespace = namespace
        self._name = name

    async def obtain(self, now: datetime) -> Authority:
        """The authority of all replicas, made or renewed when need be; raises ``ApiError``."""
        for _ in range(_ATTEMPTS):
            try:
                return await self._obtain(now)
            except ApiError as error:
                if not error.is_conflict:
                    raise
                log.info("another replica wrote the certificate authority first")
        raise ApiError(409, "Conflict", f"Secret {self._name} is written by others all the time")

    async def _obtain(self, now: datetime) -> Authority:
        try:
            secret = await self._api.get(paths.SECRETS, self._namespace, self._name)
        except ApiError as error:
            if not error.is_not_found:
                raise
            made = create(now)
            await self._api.create(
                paths.SECRETS, self._namespace, manifest(made, self._namespace, self._name)
            )
            log.info("certificate authority created", secret=self._name)
            return made
        stored = _read(secret)
        if stored is not None and stored.is_fresh(now):
            return stored
        made = create(now, stored)
        secret["data"] = manifest(made, self._namespace, self._name)["data"]
        await self._api.replace(paths.SECRETS, self._namespace, secret)
        log.info("certificate authority renewed", secret=self._name)
        return made


def manifest(authority: Authority, namespace: str, name: str) -> dict[str, Any]:
    """The Secret that keeps an authority."""
    key = authority.key.private_bytes(
        _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    data = {
        "ca.crt": authority.certificate.public_bytes(_PEM),
        "ca.key": key,
        "ca-bundle.crt": authority.bundle,
    }
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": "Opaque",
        "data": {entry: base64.b64encode(content).decode() for entry, content in data.items()},
    }


def _read(secret: dict[str, Any]) -> Authority | None:
    """The authority in a Secret, or None when it holds nothing usable."""
    data = secret.get("data") or {}
    try:
        certificate = x509.load_pem_x509_certificate(base64.b64decode(data["ca.crt"]))
        key = serialization.load_pem_private_key(base64.b64decode(data["ca.key"]), None)
        bundle = base64.b64decode(data["ca-bundle.crt"])
        trusted = x509.load_pem_x509_certificates(bundle)
    except (KeyError, ValueError, TypeError, binascii.Error, UnsupportedAlgorithm) as error:
        log.warning("the certificate authority is unusable", why=f"{type(error).__name__}: {error}")
        return None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or certificate not in trusted:
        return None
    if key.public_key() != certificate.public_key():
        return None
    return Authority(certificate, key, bundle)
