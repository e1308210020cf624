"""Creates and reads the certificate authority, which signs only the replicas' certificates."""

from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from elasticquota.structs import Struct
from elasticquota_webhooks.certificates import timing
from elasticquota_webhooks.certificates.timing import Timing


_NAME: Final = "elastic-quota-webhook-ca"
_PEM: Final = serialization.Encoding.PEM


class Authority(Struct, frozen=True):
    """A certificate and its signing key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def bundle(self) -> bytes:
        """PEM of the certificate: what a client trusts."""
        return pem(self.certificate)

    @property
    def secret(self) -> bytes:
        """PEM of the key."""
        return pem_of_key(self.key)


def create(now: datetime, times: Timing = timing.NORMAL) -> Authority:
    """Create an authority that is valid from ``now``."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - times.skew)
        .not_valid_after(now + times.authority_life)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_MAY_SIGN, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Authority(certificate, key)


def read(certificate: bytes, secret: bytes) -> Authority:
    """Read PEM; raises ``ValueError``, ``TypeError`` or ``UnsupportedAlgorithm``."""
    found = x509.load_pem_x509_certificate(certificate)
    key = serialization.load_pem_private_key(secret, None)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != found.public_key():
        raise ValueError("the key does not belong to the certificate")
    return Authority(found, key)


def pem(*certificates: x509.Certificate) -> bytes:
    """PEM of the certificates, in their order."""
    return b"".join(each.public_bytes(_PEM) for each in certificates)


def pem_of_key(key: ec.EllipticCurvePrivateKey) -> bytes:
    """PEM of the key, without a password."""
    return key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def is_valid(certificate: x509.Certificate, now: datetime) -> bool:
    """Whether ``now`` is within the certificate's validity."""
    return certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc


def is_fresh(certificate: x509.Certificate, now: datetime) -> bool:
    """Whether ``now`` is within the first two thirds of the certificate's validity."""
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return begin <= now < begin + (end - begin) * 2 / 3


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
