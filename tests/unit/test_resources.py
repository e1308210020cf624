"""Resource lists: a missing key is 0 in an amount and unlimited in a limit."""

import pytest

from elasticquota import quantity, resources


def test_a_written_list_becomes_accounting_units() -> None:
    written: dict[str, quantity.Written] = {"cpu": "1500m", "memory": "1Gi", "nvidia.com/gpu": 2}
    assert resources.parse(written) == {"cpu": 1500, "memory": 2**30, "nvidia.com/gpu": 2}


def test_a_bad_quantity_is_named_with_its_key() -> None:
    with pytest.raises(quantity.QuantityError) as refusal:
        resources.parse({"cpu": "1", "memory": "1K"})
    assert str(refusal.value) == (
        "memory: '1K' is not a quantity; write a number with an optional suffix "
        "like 500m, 2, 1.5, 64k or 16Gi"
    )


def test_a_list_is_written_in_the_order_of_its_keys() -> None:
    written = resources.text({"memory": 2**30, "cpu": 1500})
    assert list(written.items()) == [("cpu", "1500m"), ("memory", "1Gi")]


def test_sums_have_every_key() -> None:
    assert resources.add({"cpu": 1}, {"cpu": 2, "memory": 3}, {}) == {"cpu": 3, "memory": 3}


def test_no_lists_add_up_to_nothing() -> None:
    assert resources.add() == {}


def test_differences_may_be_negative() -> None:
    left = resources.subtract({"cpu": 1, "memory": 5}, {"cpu": 3, "pods": 1})
    assert left == {"cpu": -2, "memory": 5, "pods": -1}


def test_a_key_without_limit_is_not_cut() -> None:
    assert resources.cut({"cpu": 5, "memory": 9}, {"cpu": 3, "pods": 0}) == {"cpu": 3, "memory": 9}


def test_the_larger_amount_wins_and_missing_is_zero() -> None:
    assert resources.maximum({"cpu": 1, "pods": -1}, {"cpu": 3, "memory": 2}) == {
        "cpu": 3,
        "pods": 0,
        "memory": 2,
    }


def test_masking_keeps_the_listed_keys_that_are_there() -> None:
    assert resources.masked({"cpu": 1, "memory": 2}, ("memory", "pods")) == {"memory": 2}


def test_only_keys_of_both_decide_whether_it_fits() -> None:
    assert resources.fits({"cpu": 5, "memory": 9}, {"cpu": 5, "pods": 0})
    assert not resources.fits({"cpu": 6}, {"cpu": 5})
    assert resources.fits({"cpu": 6}, resources.EMPTY)


def test_what_exceeds_is_listed_by_name() -> None:
    asked = {"pods": 2, "cpu": 6, "memory": 9, "gpu": 1}
    assert resources.exceeding(asked, {"pods": 1, "cpu": 5, "gpu": 1}) == ("cpu", "pods")


def test_only_positive_amounts_remain() -> None:
    assert resources.positive({"cpu": 1, "memory": 0, "pods": -1}) == {"cpu": 1}
