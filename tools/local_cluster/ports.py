"""Reserves free ports: none is fixed, and no other process can take one.

The kernel picks a port for a socket that is bound but never listens. While that socket lives, the
kernel gives the port to no other process (neither by bind nor as a source port). Yet a server that
sets SO_REUSEADDR, as every Go server does, may listen on it, and again after its restart. Two
clusters side by side therefore cannot clash, not even between "found free" and "listening".
"""

import secrets
import socket


_LOOPBACK = "127.0.0.1"
_ATTEMPTS = 64


def reserve() -> socket.socket:
    """Reserve a TCP port of 127.0.0.1 until the returned socket is closed."""
    holder = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind((_LOOPBACK, 0))
    return holder


def number(holder: socket.socket) -> int:
    """The port number that a reservation holds."""
    port: int = holder.getsockname()[1]
    return port


def reserve_network() -> tuple[str, socket.socket]:
    """A /24 of 127.0.0.0/8 for node and pods, such as ``127.93.4``, and its reservation.

    Every address of 127.0.0.0/8 answers on Linux without being configured, so the only contenders
    are other local clusters. They agree by an abstract socket name: the kernel gives it to one
    process of the network namespace and frees it when that process ends.

    Raises OSError when no network is free.
    """
    for _ in range(_ATTEMPTS):
        network = f"127.{16 + secrets.randbelow(224)}.{secrets.randbelow(256)}"
        holder = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            holder.bind(f"\0elasticquota.dev/local-cluster/{network}")
        except OSError:
            holder.close()
        else:
            return network, holder
    raise OSError("no loopback network is free for the pods of this cluster")
