"""A reserved port stays reserved until its socket is closed."""

import socket

import pytest

from local_cluster import ports


def test_a_server_may_listen_on_a_reserved_port_again_and_again() -> None:
    with ports.reserve() as reserved:
        for _ in range(2):
            listening = socket.create_server(("127.0.0.1", ports.number(reserved)))
            with listening as server, socket.create_connection(server.getsockname()):
                pass


def test_no_other_process_gets_a_reserved_port() -> None:
    with ports.reserve() as reserved:
        address = ("127.0.0.1", ports.number(reserved))
        with socket.socket() as stranger, pytest.raises(OSError, match="in use"):
            stranger.bind(address)


def test_reserved_ports_differ() -> None:
    holders = [ports.reserve() for _ in range(50)]
    assert len({ports.number(holder) for holder in holders}) == 50
    for holder in holders:
        holder.close()


def test_a_pod_network_is_reserved_once_until_it_is_freed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda below: below - 1)
    network, holder = ports.reserve_network()
    assert network == "127.239.255"
    with pytest.raises(OSError, match="no loopback network is free"):
        ports.reserve_network()
    holder.close()
    again, holder = ports.reserve_network()
    assert again == network
    holder.close()
