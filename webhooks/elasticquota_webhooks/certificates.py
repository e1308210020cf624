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

from elasticquota_webhooks import authority
from elasticquota_webhooks.authority import Authority


LIFE: Final = timedelta(days=7)
_PEM: Final = serialization.Encoding.PEM


@dataclass(frozen=True, slots=True)
class Leaf:
    """A server certificate and the PEM of its pair."""

    certificate: x509.Certificate
    pair: bytes

    def is_fresh(self, now: datetime) -> bool:
        """Within the first two thirds of its life."""
        return authority.is_fresh(self.certificate, now)

    def is_of(self, signer: Authority) -> bool:
        """Whether ``signer`` signed it."""
        return signer.certificate == _Issued.get(self)


def service_names(service: str, namespace: str) -> tuple[str, ...]:
    """What callers of a Service ask for; the API server asks for the second."""
    return (
        f"{service}.{namespace}",
        f"{service}.{namespace}.svc",
        f"{service}.{namespace}.svc.cluster.local",
    )
