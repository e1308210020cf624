"""Chooses the addresses that a pod's servers listen on: all of them, of both families.

A cluster may give a pod two addresses. A Service, the kubelet or a forwarded port may use either of
them or the loopback interface. ``POD_IP`` names a single one, for pods that share a network.
"""

import os
import socket
from typing import Final


IPV4: Final = "0.0.0.0"  # noqa: S104 - every address of the pod
IPV6: Final = "::"


def hosts() -> list[str]:
    """The addresses to listen on, one socket for each."""
    chosen = os.environ.get("POD_IP")
    if chosen:
        return [chosen]
    return [IPV4, IPV6] if _has_ipv6() else [IPV4]


def _has_ipv6() -> bool:
    """Nodes without IPv6 refuse the family or the address."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind((IPV6, 0))
    except OSError:
        return False
    return True
