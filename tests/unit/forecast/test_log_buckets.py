"""Durations are kept by their ratio: a bucket is at most a quarter wider than it is long."""

from hypothesis import given
from hypothesis import strategies as st

from elasticquota.forecast import log_buckets


SECONDS = st.integers(1, log_buckets.LONGEST)


@given(st.integers(4, log_buckets.LONGEST))
def test_a_duration_is_not_below_the_begin_of_its_bucket(seconds: int) -> None:
    bucket = log_buckets.index(seconds)
    assert log_buckets.begin(bucket) <= seconds < log_buckets.begin(bucket + 1)


@given(SECONDS, SECONDS)
def test_a_longer_duration_is_never_in_an_earlier_bucket(one: int, other: int) -> None:
    short, long = sorted((one, other))
    assert log_buckets.index(short) <= log_buckets.index(long)
    assert log_buckets.level(short) <= log_buckets.level(long)


@given(SECONDS)
def test_a_level_stands_for_nearly_the_same_duration(seconds: int) -> None:
    assert log_buckets.at_level(log_buckets.level(seconds)) * 17 // 16 >= seconds - 1


def test_twice_the_duration_is_one_octave_more() -> None:
    assert log_buckets.index(4096) - log_buckets.index(2048) == log_buckets.PER_OCTAVE
    assert log_buckets.level(4096) - log_buckets.level(2048) == log_buckets.LEVELS


def test_what_is_too_long_or_too_short_counts_as_the_longest_or_the_shortest() -> None:
    assert log_buckets.index(10**12) == log_buckets.COUNT - 1
    assert log_buckets.index(-5) == 0
    assert log_buckets.at_level(10**6) == log_buckets.LONGEST
    assert log_buckets.at_level(-(10**6)) == 1


def test_the_longest_duration_below_the_end_of_a_bucket_is_in_it() -> None:
    """Two seconds are a bucket of their own, which ends at three."""
    assert log_buckets.end(log_buckets.index(2)) == 3
    for seconds in range(1, 4000):
        bucket = log_buckets.index(seconds)
        assert log_buckets.index(log_buckets.end(bucket) - 1) == bucket
