"""A program that keeps ending waits longer before each restart."""

from local_cluster import backoff


def test_pauses_double_up_to_ten_seconds() -> None:
    pauses = backoff.Backoff(first=1, longest=10, good_run=60)
    assert [pauses.after(0.1) for _ in range(6)] == [1, 2, 4, 8, 10, 10]


def test_a_long_run_resets_the_pause() -> None:
    pauses = backoff.Backoff(first=1, longest=10, good_run=60)
    for _ in range(5):
        pauses.after(0.1)
    assert [pauses.after(60), pauses.after(0.1)] == [1, 2]
