"""What a user applies first is accepted at once, in any order: a profile and the quotas below its
root in one file, which the API server gets within milliseconds.
"""

import pytest

import first_files
from users import Document
from whole_files import Hands


pytestmark = pytest.mark.cluster

ORDERS = ("written", "reversed", "shuffled")
SERVER_SIDE = ("--server-side",)


@pytest.fixture(scope="module")
def values() -> Document:
    """As the chart is installed: no namespace is listed, and an administrator may place quotas."""
    return {"config": {"defaultTree": {"childNamespaces": []}}}


@pytest.mark.usefixtures("product")
def test_a_whole_file_is_applied_at_once_in_any_order_and_its_quotas_are_accepted(
    hands: Hands,
) -> None:
    for order, how in (("written", ()), ("reversed", ()), ("shuffled", SERVER_SIDE)):
        assert hands.apply_in(order, *how) == []
        hands.are_accepted()
        hands.take_away()


@pytest.mark.long
@pytest.mark.usefixtures("product")
def test_no_file_is_refused_in_ten_times_however_it_is_applied(hands: Hands) -> None:
    for number in range(10):
        for how in ((), SERVER_SIDE):
            assert hands.apply_in(ORDERS[number % len(ORDERS)], *how) == []
            hands.are_accepted()
            hands.take_away()


@pytest.mark.parametrize("hands", first_files.FEW, indirect=True)
@pytest.mark.usefixtures("product")
def test_what_a_backup_saved_is_restored_at_once_in_any_order(hands: Hands) -> None:
    assert hands.apply_in("written") == []
    hands.are_accepted()
    backup = hands.saved()
    for order, how in (("reversed", ()), ("shuffled", SERVER_SIDE)):
        hands.take_away()
        assert backup.apply_in(order, *how) == []
        hands.are_accepted()


@pytest.mark.parametrize("hands", first_files.FEW, indirect=True)
@pytest.mark.usefixtures("product")
def test_a_dry_run_of_a_file_whose_parents_are_not_there_refuses_nothing(hands: Hands) -> None:
    """As Flux and ``kubectl diff`` do: no object of it is stored before the last one is tried."""
    hands.apply()
    hands.take_away()  # its namespaces stay, as a dry run makes none
    for how in ((), SERVER_SIDE):
        assert hands.apply_in("written", "--dry-run=server", *how) == []


@pytest.mark.parametrize("hands", first_files.FEW, indirect=True)
@pytest.mark.usefixtures("product")
def test_a_file_is_deleted_by_repeating_the_command(hands: Hands) -> None:
    """Each call deletes what has nothing below it any more."""
    hands.apply()
    hands.are_accepted()
    before = -1
    while refused := hands.delete():
        assert all("[EP1203]" in line or "[EQ1111]" in line for line in refused)
        assert len(refused) < before or before < 0
        before = len(refused)
