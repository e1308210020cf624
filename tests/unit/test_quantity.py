"""Quantities read and write as Go does, and garbage is refused at once with a sentence."""

import json
import pathlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elasticquota import quantity


GO = json.loads(
    (pathlib.Path(__file__).parents[1] / "vectors" / "quantities.json").read_text("utf-8")
)


@pytest.mark.parametrize(("text", "nano"), GO["parsed"].items())
def test_a_text_means_what_it_means_in_go(text: str, nano: int) -> None:
    assert quantity.parse(text) == nano


@pytest.mark.parametrize("text", GO["refused"])
def test_a_text_that_is_no_quantity_is_refused_by_name(text: str) -> None:
    with pytest.raises(quantity.QuantityError) as refusal:
        quantity.parse(text)
    assert str(refusal.value) == (
        f"'{text}' is not a quantity; write a number with an optional suffix "
        "like 500m, 2, 1.5, 64k or 16Gi"
    )


@pytest.mark.parametrize(
    "text", ["", " ", "1 ", " 1", "1\n", "\n", "\u0661", "\u0968", "\uff11", "1\u00a0Gi", "2\u00b2"]
)
def test_blanks_and_foreign_digits_are_refused(text: str) -> None:
    with pytest.raises(quantity.QuantityError, match="is not a quantity"):
        quantity.parse(text)


def test_unprintable_characters_do_not_reach_the_message() -> None:
    with pytest.raises(quantity.QuantityError) as refusal:
        quantity.parse("1\x1b[31m\n")
    assert str(refusal.value).startswith("'1?[31m?' is not a quantity;")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "1e99999999",
            "'1e99999999' is not a usable quantity: its exponent must be between -24 and 24",
        ),
        (
            "1e-25",
            "'1e-25' is not a usable quantity: its exponent must be between -24 and 24",
        ),
        (
            "1" * 65,
            "'1111111111111111...' is not a quantity: it has more than 64 characters",
        ),
        (
            "1e" + "9" * 100_000,
            "'1e99999999999999...' is not a quantity: it has more than 64 characters",
        ),
    ],
)
def test_sizes_are_bounded_before_any_arithmetic(text: str, sentence: str) -> None:
    with pytest.raises(quantity.QuantityError) as refusal:
        quantity.parse(text)  # with arithmetic it would not end
    assert str(refusal.value) == sentence


def test_the_longest_text_that_is_allowed_is_exact() -> None:
    assert quantity.parse("9" * 64) == int("9" * 64) * 10**9


@pytest.mark.parametrize(
    ("value", "nano"), [(2, 2 * 10**9), (-3, -3 * 10**9), (0.5, 5 * 10**8), (1e20, 10**29)]
)
def test_bare_numbers_of_custom_resources_count(value: float, nano: int) -> None:
    assert quantity.parse(value) == nano


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300, True, 10**100, None, [], {}])
def test_numbers_that_are_none_are_refused(value: int) -> None:
    with pytest.raises(quantity.QuantityError, match="quantity"):
        quantity.parse(value)


def test_a_float_is_refused_whether_or_not_the_same_integer_was_read_before() -> None:
    assert quantity.amount("pods", int(1e60)) == int(1e60)
    with pytest.raises(quantity.QuantityError):
        quantity.amount("pods", 1e60)


def test_a_huge_integer_is_refused_without_being_written_out() -> None:
    with pytest.raises(quantity.QuantityError) as refusal:
        quantity.parse(10**5000)
    assert str(refusal.value) == (
        "an integer of 16610 bits is not a usable quantity: it has more than 200 bits"
    )


@pytest.mark.parametrize(
    ("resource", "value", "amount"),
    [
        ("cpu", "1", 1000),
        ("cpu", "1500m", 1500),
        ("cpu", "0.1m", 1),
        ("cpu", "1n", 1),
        ("cpu", 0.25, 250),
        ("memory", "1Gi", 2**30),
        ("memory", "0.5", 1),
        ("memory", "100m", 1),
        ("nvidia.com/gpu", 4, 4),
        ("pods", "110", 110),
        ("cpu", "-0.1m", -1),
    ],
)
def test_accounting_units_round_fractions_up(
    resource: str, value: str | float, amount: int
) -> None:
    assert quantity.amount(resource, value) == amount


@pytest.mark.parametrize(
    ("value", "thousandths"),
    [
        ("1", 1000),
        ("1500m", 1500),
        ("0.1m", 1),
        ("1n", 1),
        ("-1n", -1),
        ("1Ki", 1_024_000),
        (2, 2000),
    ],
)
def test_resource_lists_are_kept_in_thousandths(value: str | int, thousandths: int) -> None:
    assert quantity.thousandths(value) == thousandths


@pytest.mark.parametrize(
    ("resource", "thousandths", "amount"),
    [("cpu", 1, 1), ("memory", 1, 1), ("memory", 1000, 1), ("memory", 1001, 2), ("pods", -1, -1)],
)
def test_thousandths_are_rounded_up_only_when_they_are_accounted(
    resource: str, thousandths: int, amount: int
) -> None:
    assert quantity.accounted(resource, thousandths) == amount


@pytest.mark.parametrize(("amount", "texts"), GO["written"].items())
def test_an_amount_is_written_as_go_writes_it(amount: str, texts: list[str]) -> None:
    resources = ("cpu", "memory", "nvidia.com/gpu")
    assert [quantity.text(resource, int(amount)) for resource in resources] == texts


@pytest.mark.parametrize("resource", ["memory", "ephemeral-storage", "hugepages-2Mi"])
def test_bytes_are_written_in_binary(resource: str) -> None:
    assert quantity.text(resource, 16 * 2**30) == "16Gi"


@given(
    resource=st.sampled_from(["cpu", "memory", "pods", "hugepages-1Gi"]),
    amount=st.integers(1 - 2**63, 2**63 - 1),
)
def test_what_is_written_reads_back_as_the_same_amount(resource: str, amount: int) -> None:
    assert quantity.amount(resource, quantity.text(resource, amount)) == amount


@given(
    resource=st.sampled_from(["cpu", "memory", "nvidia.com/gpu"]),
    digits=st.integers(1, 9999),
    power=st.integers(0, 15),
    shift=st.integers(0, 50),
)
def test_what_is_written_has_no_fraction_and_the_largest_suffix_that_is_exact(
    resource: str, digits: int, power: int, shift: int
) -> None:
    amount = (digits * 10**power) << shift
    written = re.fullmatch(r"([0-9]+)([a-zA-Z]*)", quantity.text(resource, amount))
    assert written is not None
    mantissa, suffix = written.groups()
    if resource != "memory":
        assert int(mantissa) % 1000 or suffix == "E"
    elif suffix or amount < 1024:
        assert int(mantissa) % 1024 or suffix == "Ei"
    else:
        assert amount % 1024


@pytest.mark.parametrize(
    ("resource", "amount", "shown"),
    [
        ("cpu", 25_600, "25.6"),
        ("cpu", 2_000, "2"),
        ("cpu", -1_005, "-1.005"),
        ("cpu", 0, "0"),
        ("memory", 16 << 30, "16Gi"),
        ("memory", 589_364_956, "562.06Mi"),
        ("memory", -589_364_956, "-562.06Mi"),
        ("nvidia.com/gpu", 123_456_789, "123456789"),
    ],
)
def test_people_read_cores_with_decimals_and_memory_without_long_numbers(
    resource: str, amount: int, shown: str
) -> None:
    assert quantity.shown(resource, amount) == shown
