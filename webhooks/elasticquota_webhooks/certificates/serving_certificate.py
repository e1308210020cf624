"""Issues the serving certificate and loads it into the running server.

With a new leaf, open connections go on and new connections get the new leaf. The leaf is tried in a
scratch context first: a pair that does not match would leave the running context unable to shake
hands.
"""

import os
import ssl
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from elasticquota.structs import Struct
from elasticquota_webhooks.certificates import authority, timing
from elasticquota_webhooks.certificates.authority import Authority
from elasticquota_webhooks.certificates.timing import Timing


class Leaf(Struct, frozen=True):
    """A server certificate, and in ``pair`` its PEM, that of its intermediates, and its key."""

    certificate: x509.Certificate
    pair: bytes

    def is_valid(self, now: datetime) -> bool:
        """Whether ``now`` is within its validity."""
        return authority.is_valid(self.certificate, now)

    def is_fresh(self, now: datetime) -> bool:
        """Whether ``now`` is within the first two thirds of its validity."""
        return authority.is_fresh(self.certificate, now)


def service_names(service: str, namespace: str) -> tuple[str, ...]:
    """The host names of a Service."""
    return (
        f"{service}.{namespace}",
        f"{service}.{namespace}.svc",
        f"{service}.{namespace}.svc.cluster.local",
    )


def asked_for(hosts: tuple[str, ...]) -> str:
    """The host name of a Service that the API server asks for."""
    return hosts[1]


def issue(
    signer: Authority, hosts: tuple[str, ...], now: datetime, times: Timing = timing.NORMAL
) -> Leaf:
    """A leaf for ``hosts``, kept in memory only, that expires no later than its signer."""
    key = ec.generate_private_key(ec.SECP256R1())
    end = min(now + times.leaf_life, signer.certificate.not_valid_after_utc)
    certificate = (
        x509.CertificateBuilder()
        # The hosts identify the server; a common name has at most 64 characters and may not hold
        # one.
        .subject_name(x509.Name([]))
        .issuer_name(signer.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - times.skew)
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
    return Leaf(certificate, authority.pem(certificate) + authority.pem_of_key(key))


class Certificate:
    """The leaf in use, and the server context that serves it."""

    def __init__(self) -> None:
        self.context = server_context()
        self.leaf: Leaf | None = None

    def expires(self) -> float:
        """When the leaf in use expires, in seconds since the epoch; 0 without one."""
        return 0.0 if self.leaf is None else self.leaf.certificate.not_valid_after_utc.timestamp()

    def show(self, leaf: Leaf) -> None:
        """Serve ``leaf`` to new connections; ``ssl.SSLError`` leaves everything unchanged."""
        load(server_context(), leaf.pair)
        load(self.context, leaf.pair)
        self.leaf = leaf


def server_context() -> ssl.SSLContext:
    """A TLS context of a server, without a certificate yet."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def load(context: ssl.SSLContext, pair: bytes) -> None:
    """Load the pair into the context; raises ``ssl.SSLError``."""
    # OpenSSL loads pairs from files only, so this file is in memory and goes with its descriptor.
    descriptor = os.memfd_create("certificate")
    with os.fdopen(descriptor, "wb") as file:
        file.write(pair)
        file.flush()
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
