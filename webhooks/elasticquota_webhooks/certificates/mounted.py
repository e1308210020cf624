"""Reads a certificate that another program makes: modes ``certManager`` and ``secret``.

A mounted Secret changes all at once: its files are behind the link ``..data``, which is resolved
once, so that certificate and key are always of the same version. For what cannot be used, an error
names the file in one sentence, and the caller keeps the certificate that it has.
"""

import ssl
from collections.abc import Container
from datetime import datetime
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization

from elasticquota_webhooks.certificates import handshake, serving_certificate
from elasticquota_webhooks.certificates.serving_certificate import Leaf
from elasticquota_webhooks.certificates.source import FaultError, OfferedCertificate


_CERTIFICATE: Final = "tls.crt"
_KEY: Final = "tls.key"
_AUTHORITY: Final = "ca.crt"


class MountedCertificates:
    """The certificate for ``host`` in ``folder``.

    With ``publishes`` the folder also has the authority, which we publish in the bundle.
    """

    def __init__(self, folder: Path, host: str, *, publishes: bool) -> None:
        self._folder = folder
        self._host = host
        self._publishes = publishes

    async def offer(
        self, now: datetime, _steady: Container[x509.Certificate]
    ) -> OfferedCertificate:
        """Read the certificate from the files; raises ``FaultError``."""
        place = (self._folder / "..data").resolve()
        if not place.is_dir():
            place = self._folder
        if not place.is_dir():
            raise FaultError(f"{self._folder} does not exist: mount the Secret there")
        chain, key = _content(place, _CERTIFICATE), _content(place, _KEY)
        certificate = _certificates(chain, _CERTIFICATE)[0]
        _check_key(key, certificate)
        leaf = Leaf(certificate, chain + b"\n" + key)
        if not leaf.is_valid(now):
            begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
            raise FaultError(
                f"{_CERTIFICATE} is valid from {begin:%Y-%m-%dT%H:%M:%SZ} until "
                f"{end:%Y-%m-%dT%H:%M:%SZ}, now is {now:%Y-%m-%dT%H:%M:%SZ}: renew it"
            )
        _check_strength(leaf)
        if not self._publishes:
            return OfferedCertificate(leaf, None)
        trust = tuple(_certificates(_content(place, _AUTHORITY), _AUTHORITY))
        if refusal := handshake.refusal(leaf.pair, frozenset(trust), self._host):
            raise FaultError(
                f"a client that trusts {_AUTHORITY} would not take {_CERTIFICATE} for "
                f"{self._host}: {refusal}"
            )
        return OfferedCertificate(leaf, trust)


def _content(place: Path, name: str) -> bytes:
    try:
        return (place / name).read_bytes()
    except OSError as error:
        raise FaultError(f"{name} cannot be read: {error.strerror}") from None


def _certificates(content: bytes, name: str) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(content)
    except (ValueError, UnsupportedAlgorithm):
        raise FaultError(f"{name} holds no certificate in PEM") from None


def _check_key(content: bytes, certificate: x509.Certificate) -> None:
    """Check the key first: for an encrypted one the TLS library asks the terminal and blocks."""
    try:
        key = serialization.load_pem_private_key(content, None)
    except TypeError:
        raise FaultError(f"{_KEY} is encrypted: store it without a password") from None
    except (ValueError, UnsupportedAlgorithm):
        raise FaultError(f"{_KEY} holds no private key in PEM") from None
    if key.public_key() != certificate.public_key():
        raise FaultError(f"{_KEY} does not belong to {_CERTIFICATE}")


def _check_strength(leaf: Leaf) -> None:
    try:
        serving_certificate.load(serving_certificate.server_context(), leaf.pair)
    except ssl.SSLError as error:
        raise FaultError(f"{_CERTIFICATE} cannot be served: {error.reason}") from None
