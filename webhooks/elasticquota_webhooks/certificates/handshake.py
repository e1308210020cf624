"""Tests in memory, with a TLS handshake, whether the API server would accept a certificate.

The client trusts and checks as the API server's TLS library does: any certificate of the bundle is
an anchor, only subject alternative names count, and keys may be as short as that library allows.
Validity times are not checked here, because the API server's clock decides about them, not ours.
"""

import ssl
from functools import lru_cache
from typing import Final

from cryptography import x509

from elasticquota_webhooks.certificates import authority, serving_certificate


_NO_CHECK_TIME: Final = 0x200000  # X509_V_FLAG_NO_CHECK_TIME, for which ssl has no name
_ROUNDS: Final = 10


# Every pass asks the same question, and a handshake costs 20 ms.
@lru_cache(maxsize=8)
def refusal(pair: bytes, trusted: frozenset[x509.Certificate], host: str) -> str:
    """Why a client that trusts ``trusted`` would refuse ``host``; empty when it would accept."""
    if not trusted:
        return "nothing is trusted"
    try:
        server = serving_certificate.server_context()
        serving_certificate.load(server, pair)
        _handshake(server, _client_context(trusted), host)
    except ssl.SSLCertVerificationError as error:
        return error.verify_message
    except ssl.SSLError as error:
        return error.reason or str(error)
    return ""


def _client_context(trusted: frozenset[x509.Certificate]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.hostname_checks_common_name = False
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | _NO_CHECK_TIME
    context.load_verify_locations(cadata=authority.pem(*trusted).decode())
    return context


def _handshake(server: ssl.SSLContext, client: ssl.SSLContext, host: str) -> None:
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(back, there, server_hostname=host),
        server.wrap_bio(there, back, server_side=True),
    ]
    for _ in range(_ROUNDS):
        for end in list(ends):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            ends.remove(end)
        if not ends:
            return
    raise ssl.SSLError("the handshake does not end")
