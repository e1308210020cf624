"""Creates the certificates of one cluster, under an authority that is deleted with it."""

import ipaddress
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


_VALID = timedelta(days=365)
_CLOCK_SKEW = timedelta(hours=1)

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


class Authority:
    """A certificate authority that signs for the servers and clients of one cluster.

    A ``bare`` one has only what is required: no key usage and no key identifiers, in its own
    certificate and in those that it signs, like the authorities of EKS and MicroK8s.
    """

    def __init__(self, folder: Path, *, bare: bool = False, name: str = "local-cluster") -> None:
        self._folder = folder
        self._bare = bare
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([_common_name(name)])
        builder = _builder(self._name, self._name, self._key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=not bare
        )
        if not bare:
            own = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
            builder = builder.add_extension(_usage(signs=True), critical=True)
            builder = builder.add_extension(own, critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        self.certificate = folder / "ca.crt"
        self.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def server(self, name: str, hosts: Sequence[str]) -> tuple[Path, Path]:
        """Certificate and key of a server reached under ``hosts`` (names or addresses)."""
        alternatives = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
        return self._issue(
            name, x509.Name([_common_name(name)]), ExtendedKeyUsageOID.SERVER_AUTH, alternatives
        )

    def client(self, name: str, user: str, groups: Sequence[str] = ()) -> tuple[Path, Path]:
        """Certificate and key that authenticate as ``user`` with ``groups`` in Kubernetes."""
        subject = x509.Name(
            [
                *(x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups),
                _common_name(user),
            ]
        )
        return self._issue(name, subject, ExtendedKeyUsageOID.CLIENT_AUTH, None)

    def _issue(
        self,
        name: str,
        subject: x509.Name,
        purpose: x509.ObjectIdentifier,
        alternatives: x509.SubjectAlternativeName | None,
    ) -> tuple[Path, Path]:
        key = ec.generate_private_key(ec.SECP256R1())
        builder = (
            _builder(subject, self._name, key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        )
        if not self._bare:
            issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
            builder = builder.add_extension(_usage(signs=False), critical=True)
            # Python 3.13 refuses certificates without the identifier of their signer.
            builder = builder.add_extension(issuer, critical=False)
        if alternatives is not None:
            builder = builder.add_extension(alternatives, critical=False)
        certificate = self._folder / f"{name}.crt"
        certificate.write_bytes(
            builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        )
        return certificate, write_key(self._folder / f"{name}.key", key)


def token_key(folder: Path) -> tuple[Path, Path]:
    """Public and private key of service account tokens."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = folder / "service-accounts.pub"
    public.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    return public, write_key(folder / "service-accounts.key", key)


def trust(pki: Path, purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH) -> ssl.SSLContext:
    """A context that accepts certificates of the cluster's authority, also of a bare one."""
    context = ssl.create_default_context(purpose, cafile=str(pki / "ca.crt"))
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def write_key(path: Path, key: Key) -> Path:
    """Write a private key that only its owner can read."""
    path.touch(mode=0o600)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + _VALID)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _common_name(name: str) -> x509.NameAttribute[str]:
    return x509.NameAttribute(NameOID.COMMON_NAME, name)


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
