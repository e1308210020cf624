"""A work queue hands out each key once at a time, in order, and not before its back-off ends."""

import pytest

from elasticquota_operator.workqueue.work_queue import MEMORY, WorkQueue


class Queue(WorkQueue[str]):
    """A queue with a manual clock, and a back-off of 10 s per failure in a row."""

    def __init__(self) -> None:
        self.now = 1000.0
        super().__init__(wait=lambda failures: 10.0 * failures, clock=lambda: self.now)


@pytest.fixture
def queue() -> Queue:
    return Queue()


def test_a_key_waits_once_and_keeps_its_place(queue: Queue) -> None:
    for key in ("a", "b", "a"):
        queue.add(key)
    assert queue.get() == ["a", "b"]
    assert queue.get() == []


def test_a_key_that_is_added_while_in_flight_is_processed_again(queue: Queue) -> None:
    queue.add("a")
    assert queue.get() == ["a"]
    queue.add("a")
    assert queue.get() == []
    assert queue.next_at() is None, "the end of the attempt comes first"
    queue.done("a")
    assert queue.get() == ["a"]


def test_no_more_keys_are_taken_than_asked_for(queue: Queue) -> None:
    for key in ("a", "b", "c"):
        queue.add(key)
    assert queue.get(2) == ["a", "b"]
    assert queue.in_flight == {"a", "b"}
    assert queue.get() == ["c"]


def test_a_delayed_key_is_ready_at_the_earliest_of_its_times(queue: Queue) -> None:
    queue.add_after("a", 10)
    queue.add_after("a", 5)
    queue.add_after("a", 7)
    assert queue.next_at() == queue.now + 5
    queue.now += 4
    assert queue.drain() == set()
    queue.now += 1
    assert queue.drain() == {"a"}
    queue.now += 10
    assert queue.drain() == set()


def test_a_delayed_key_that_is_added_is_ready_at_once(queue: Queue) -> None:
    queue.add_after("a", 10)
    queue.add("a")
    assert queue.drain() == {"a"}


def test_a_key_that_is_removed_is_not_processed(queue: Queue) -> None:
    queue.add("a")
    queue.remove("a")
    assert "a" not in queue
    assert queue.get() == []


def test_a_failed_key_waits_longer_each_time_and_adding_it_does_not_help(queue: Queue) -> None:
    for failures in (1, 2, 3):
        assert queue.add_rate_limited("a") == 10.0 * failures
        queue.add("a")
        queue.now += 10 * failures - 1
        assert queue.drain() == set()
        queue.now += 1
        assert queue.drain() == {"a"}


def test_a_failed_key_waits_at_least_as_long_as_the_server_asks(queue: Queue) -> None:
    assert queue.add_rate_limited("a", at_least=60) == 60
    assert queue.next_at() == queue.now + 60


def test_a_back_off_may_be_replaced_for_one_failure(queue: Queue) -> None:
    assert queue.add_rate_limited("a") == 10
    assert queue.add_rate_limited("a", wait=lambda failures: 7.0 * failures) == 14
    assert queue.add_rate_limited("a") == 30


def test_success_forgets_the_failures(queue: Queue) -> None:
    queue.add_rate_limited("a")
    queue.forget("a")
    assert queue.drain() == {"a"}
    assert queue.add_rate_limited("a") == 10


def test_two_attempts_are_a_pause_apart(queue: Queue) -> None:
    queue.forget("a", pause=3)
    queue.add("a")
    assert queue.next_at() == queue.now + 3


def test_failures_of_a_key_that_is_not_added_are_remembered_for_a_while(queue: Queue) -> None:
    queue.add_rate_limited("a")
    queue.remove("a")
    queue.now += 10 + MEMORY - 1
    assert queue.get() == []
    assert queue.add_rate_limited("a") == 20
    queue.remove("a")
    queue.now += 20 + MEMORY
    assert queue.get() == []
    assert queue.add_rate_limited("a") == 10


def test_failures_of_a_waiting_key_are_not_forgotten_with_time(queue: Queue) -> None:
    queue.add_rate_limited("a")
    queue.now += 2 * MEMORY
    assert queue.get() == ["a"]
    queue.done("a")
    assert queue.add_rate_limited("a") == 20


def test_a_key_that_has_not_failed_comes_before_those_that_have(queue: Queue) -> None:
    queue.add("failed")
    assert queue.get() == ["failed"]
    queue.add_rate_limited("failed")
    queue.done("failed")
    queue.now += 60
    queue.add("untried")
    assert queue.retried == {"failed"}
    assert queue.get(1) == ["untried"]
    assert queue.get(1) == ["failed"]
    assert not queue.retried
