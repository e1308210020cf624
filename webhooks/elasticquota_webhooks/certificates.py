"""The certificate this replica shows: its own, signed by the common authority, never on a disk.

A new leaf goes into the running server: connections that are open go on, new ones get the new leaf.
It is tried in a scratch context first, because a pair that does not match would leave the running
context unable to greet anybody.
"""

import os
import ssl
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from elasticquota_webhooks import authority
from elasticquota_webhooks.authority import Authority


LIFE: Final = timedelta(days=7)
_PEM: Final = serialization.Encoding.PEM


@dataclass(frozen=True, slots=True)
class Leaf:
    """A server certificate, who signed it, and the PEM of certificate and key."""

    certificate: x509.Certificate
    signer: x509.Certificate
    pair: bytes

    def is_fresh(self, now: datetime) -> bool:
        """Within the first two thirds of its life."""
        return authority.is_fresh(self.certificate, now)


def service_names(service: str, namespace: str) -> tuple[str, ...]:
    """The host names of a Service; the API server asks for the second."""
    return (
        f"{service}.{namespace}",
        f"{service}.{namespace}.svc",
        f"{service}.{namespace}.svc.cluster.local",
    )


def issue(signer: Authority, hosts: tuple[str, ...], now: datetime) -> Leaf:
    """A leaf for ``hosts`` that ends no later than its signer."""
    key = ec.generate_private_key(ec.SECP256R1())
    end = min(now + LIFE, signer.certificate.not_valid_after_utc)
    certificate = (
        x509.CertificateBuilder()
        # The hosts say who this is; a common name of 64 characters could not always hold one.
        .subject_name(x509.Name([]))
        .issuer_name(signer.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - authority.SKEW)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=True
        )
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key()),
            critical=False,
        )
        .sign(signer.key, hashes.SHA256())
    )
    secret = key.private_bytes(
        _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Leaf(certificate, signer.certificate, certificate.public_bytes(_PEM) + secret)


class Certificate:
    """The leaf in use and the context of the server that shows it."""

    def __init__(self) -> None:
        self.context = _context()
        self.leaf: Leaf | None = None

    def expires(self) -> float:
        """When the leaf in use ends, in seconds since the epoch; 0 without one."""
        return 0.0 if self.leaf is None else self.leaf.certificate.not_valid_after_utc.timestamp()

    def show(self, leaf: Leaf) -> None:
        """Use ``leaf`` for new connections; raises ``ssl.SSLError`` and changes nothing."""
        _load(_context(), leaf.pair)
        _load(self.context, leaf.pair)
        self.leaf = leaf


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _load(context: ssl.SSLContext, pair: bytes) -> None:
    # OpenSSL loads pairs from files only: this one lives in memory and goes with its descriptor.
    descriptor = os.memfd_create("certificate")
    with os.fdopen(descriptor, "wb") as file:
        file.write(pair)
        file.flush()
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
