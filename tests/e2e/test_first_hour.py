"""What a user applies first is accepted at once: a profile and the quotas below its root in one
file, which the API server gets within milliseconds.
"""

import pytest

import first_files
from users import Document
from whole_files import Hands


pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def values() -> Document:
    """As the chart is installed: no namespace is listed, and an administrator may place quotas."""
    return {"config": {"defaultTree": {"childNamespaces": []}}}


@pytest.mark.usefixtures("product")
def test_a_whole_file_is_applied_at_once_and_its_quotas_are_accepted(hands: Hands) -> None:
    for how in ((), ("--server-side",)):
        hands.apply(*how)
        hands.are_accepted()
        hands.take_away()


@pytest.mark.long
@pytest.mark.usefixtures("product")
def test_no_file_is_refused_in_ten_times_however_it_is_applied(hands: Hands) -> None:
    for _ in range(10):
        for how in ((), ("--server-side",)):
            hands.apply(*how)
            hands.take_away()


@pytest.mark.parametrize("hands", first_files.FEW, indirect=True)
@pytest.mark.usefixtures("product")
def test_in_another_order_only_what_has_no_parent_yet_is_refused_and_the_next_call_stores_it(
    hands: Hands,
) -> None:
    for order in ("reversed", "shuffled"):
        while refused := hands.apply_in(order):
            assert all(line.endswith("[EQ1101]") for line in refused)
        hands.are_accepted()
        hands.take_away()


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
