"""Secrets with serving certificates for the webhook, and what its replicas present."""

import base64
import socket
import ssl
from datetime import UTC, datetime, timedelta

from elasticquota.structs import replace
from elasticquota_webhooks.certificates import serving_certificate, timing
from elasticquota_webhooks.certificates.authority import Authority
from installation import NAMESPACE, WEBHOOK, Installation
from users import User


HOSTS = serving_certificate.service_names(WEBHOOK, NAMESPACE)


def issue(signer: Authority, life: timedelta = timing.NORMAL.leaf_life) -> dict[str, str]:
    """The data of a TLS Secret whose certificate ends after ``life``."""
    times = replace(timing.NORMAL, leaf_life=life)
    leaf = serving_certificate.issue(signer, HOSTS, datetime.now(UTC), times)
    chain, mark, key = leaf.pair.partition(b"-----BEGIN PRIVATE KEY-----")
    data = {"tls.crt": chain, "tls.key": mark + key, "ca.crt": signer.bundle}
    return {name: base64.b64encode(content).decode() for name, content in data.items()}


def store(admin: User, name: str, data: dict[str, str]) -> None:
    """Write the TLS Secret."""
    if admin.find("Secret", name, NAMESPACE):
        admin.patch("Secret", name, NAMESPACE, change={"data": data})
        return
    admin.create(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "kubernetes.io/tls",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "data": data,
        }
    )


def shown(product: Installation) -> set[bytes]:
    """The certificates that the replicas present, as DER."""
    found = set()
    for pod in product.pods(WEBHOOK).values():
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
        with (
            socket.create_connection((pod["status"]["podIP"], 9443), 5) as plain,
            trust.wrap_socket(plain) as secure,
        ):
            found.add(secure.getpeercert(binary_form=True) or b"")
    return found


def der(data: dict[str, str]) -> bytes:
    """The certificate in the data of a TLS Secret, as DER."""
    return ssl.PEM_cert_to_DER_cert(base64.b64decode(data["tls.crt"]).decode())
