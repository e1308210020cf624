"""Which of several queues has the next turn, while their first ones are booked."""

from collections import deque
from collections.abc import Iterator

from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Workload
from elasticquota.scheduling.queue.fair_order import FairOrder, Turn


def pod(name: str, priority: int = 0) -> Pod:
    return Pod(Key("teams", name), name, "2026-01-01", priority=priority)


A, B, C = pod("a", 1), pod("b", 2), pod("c", 3)


class Shares:
    """What each queue holds, and which ones were booked, in order."""

    def __init__(self) -> None:
        self.held = {"a": 1, "b": 2, "c": 3}
        self.booked: list[str] = []
        self.asked: list[str] = []
        self.queues = {found.uid: deque[Workload]([found]) for found in (C, A, B)}
        self.order = iter(FairOrder(self.turn, self.booked, self.queues))
        self.asked.clear()

    def turn(self, name: str, found: Workload) -> Turn:
        self.asked.append(name)
        return (0, 0, self.held[name], found.created, name)

    def book(self, name: str, held: int) -> None:
        self.held[name] = held
        self.booked.append(name)

    def rest(self) -> Iterator[str]:
        return (name for name, _ in self.order)


def test_the_lowest_turn_is_next() -> None:
    assert list(Shares().rest()) == ["a", "b", "c"]


def test_a_queue_without_a_pod_has_no_turn() -> None:
    shares = Shares()
    list(shares.rest())
    assert list(FairOrder(shares.turn, shares.booked, shares.queues)) == []


def test_a_turn_that_moved_back_is_behind_the_others() -> None:
    shares = Shares()
    shares.book("a", 4)
    assert list(shares.rest()) == ["b", "c", "a"]


def test_the_next_pod_of_a_queue_has_the_turn_of_what_is_booked_by_then() -> None:
    shares = Shares()
    shares.queues["a"].append(pod("a2"))
    assert next(shares.order) == ("a", A)
    shares.book("a", 3)
    assert list(shares.rest()) == ["b", "a", "c"]


def test_while_nothing_is_booked_no_turn_is_looked_at_twice() -> None:
    shares = Shares()
    list(shares.rest())
    assert shares.asked == []


def test_of_what_is_booked_only_the_turns_that_come_are_looked_at() -> None:
    shares = Shares()
    shares.book("c", 9)
    assert next(shares.order) == ("a", A)
    assert shares.asked == ["a"]
