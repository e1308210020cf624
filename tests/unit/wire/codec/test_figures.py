"""Figures are for the eye: short, in the unit people think in."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elasticquota.wire.codec import figures


GI = 1024**3


@pytest.mark.parametrize(
    ("millicores", "shown"),
    [
        (0, "0"),
        (1, "<0.01"),
        (250, "0.25"),
        (1500, "1.5"),
        (1525, "1.52"),
        (12_000, "12"),
        (12_340, "12.3"),
        (123_456, "123"),
        (9_999, "10"),
        (-500, "-0.5"),
    ],
)
def test_cpu_is_shown_in_cores(millicores: int, shown: str) -> None:
    assert figures.cpu(millicores) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"),
        (1, "1"),
        (1023, "1023"),
        (1024, "1Ki"),
        (GI, "1Gi"),
        (GI + GI // 2, "1.5Gi"),
        (90 * GI, "90Gi"),
        (1536 * GI, "1.5Ti"),
        (1 << 75, "32768Ei"),
    ],
)
def test_memory_is_shown_in_the_largest_binary_unit(count: int, shown: str) -> None:
    assert figures.memory(count) == shown


@given(st.integers(-(10**7), 10**7))
def test_a_figure_is_the_nearest_that_has_so_few_digits(millicores: int) -> None:
    cores = Fraction(millicores, 1000)
    step = next((step for step in (100, 10) if abs(cores) * step < 1000), 1)
    nearest = Fraction(round(cores * step), step)
    shown = figures.cpu(millicores)
    assert shown == "<0.01" if cores and not nearest else Fraction(shown) == nearest


def test_a_list_of_amounts_reads_as_one_line() -> None:
    amounts = {"nvidia.com/gpu": 4, "memory": 16 * GI, "cpu": 2500}
    assert figures.inline(amounts) == "2.5 cpu, 16Gi memory, 4 nvidia.com/gpu"


def test_what_has_no_limit_is_left_out_of_a_line() -> None:
    boundless = {"cpu": 4_611_686_018_427_387_000, "memory": 4_611_686_018_427_387}
    assert figures.inline(boundless) == ""
    assert figures.inline({**boundless, "cpu": 4000}) == "4 cpu"


def test_the_roots_placeholder_is_no_limit() -> None:
    assert figures.one("cpu", 4_611_686_018_427_387_000) == "-"
    assert figures.one("memory", 4_611_686_018_427_387) == "-"
