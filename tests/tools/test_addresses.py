"""Each pod has an address of its own."""

import pytest

from local_cluster.process_node import addresses


def test_the_node_has_the_first_address_and_pods_the_following() -> None:
    pool = addresses.Addresses("127.20.30")
    assert pool.node == "127.20.30.1"
    assert [pool.take(), pool.take()] == ["127.20.30.2", "127.20.30.3"]


def test_a_pod_keeps_the_address_it_had() -> None:
    pool = addresses.Addresses("127.20.30")
    assert pool.take("127.20.30.9") == "127.20.30.9"
    assert pool.take("127.20.30.9") != "127.20.30.9"
    assert pool.take("10.0.0.1") == "127.20.30.3"


def test_a_returned_address_is_reused_last() -> None:
    pool = addresses.Addresses("127.20.30")
    first = pool.take()
    pool.give_back(first)
    taken = [pool.take() for _ in range(253)]
    assert taken[-1] == first
    assert len(set(taken)) == 253
    with pytest.raises(addresses.FullError):
        pool.take()
