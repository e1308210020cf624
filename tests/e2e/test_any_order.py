"""Where a missing parent is only warned of, a file may have any order.

A quota waits for its parent, and for the profile of its root.
"""

import pytest

import first_files
from users import Document
from whole_files import Hands


pytestmark = pytest.mark.cluster

ORDERS = ("reversed", "shuffled")
WAYS = ((), ("--server-side",))


@pytest.fixture(scope="module")
def values() -> Document:
    return {"config": {"rules": {"overrides": {"EQ1101-missing": "warn"}}}}


@pytest.mark.parametrize("hands", first_files.FEW, indirect=True)
@pytest.mark.usefixtures("product")
def test_a_whole_file_is_applied_in_any_order_and_its_quotas_are_accepted(hands: Hands) -> None:
    for order, how in zip(ORDERS, WAYS, strict=True):
        assert hands.apply_in(order, *how) == []
        hands.are_accepted()
        hands.take_away()


@pytest.mark.long
@pytest.mark.usefixtures("product")
def test_no_file_is_refused_in_ten_times_whatever_its_order(hands: Hands) -> None:
    for number in range(10):
        for how in WAYS:
            assert hands.apply_in(ORDERS[number % 2], *how) == []
            hands.are_accepted()
            hands.take_away()
