"""The blocked pods in fair order, while some of them are removed."""

from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Workload
from elasticquota.scheduling.queue import fair_order
from elasticquota.scheduling.queue.fair_order import FairOrder, Turn


def pod(name: str, priority: int = 0) -> Pod:
    return Pod(Key("teams", name), name, "2026-01-01", priority=priority)


A1, A2, A3, B1, B2 = pod("a1", 1), pod("a2", 4), pod("a3", 5), pod("b1", 2), pod("b2", 3)
BLOCKED = [("a", A1), ("a", A2), ("b", B1), ("a", A3), ("b", B2)]


def turn(name: str, found: Workload) -> Turn:
    return (False, 0, found.priority, found.uid, name)


def test_the_lowest_turn_of_all_queues_is_next() -> None:
    found = list(FairOrder(BLOCKED, turn).of())
    assert found == [("a", A1), ("b", B1), ("b", B2), ("a", A2), ("a", A3)]


def test_a_queue_keeps_its_own_order() -> None:
    found = list(FairOrder([("a", A3), ("a", A1), ("b", B1)], turn).of())
    assert found == [("b", B1), ("a", A3), ("a", A1)]


def test_only_the_quotas_that_are_asked_for_take_part() -> None:
    assert list(FairOrder(BLOCKED, turn).of({"a"})) == [("a", A1), ("a", A2), ("a", A3)]


def test_a_removed_pod_is_no_longer_blocked() -> None:
    order = FairOrder(BLOCKED, turn)
    assert next(order.of()) == ("a", A1)
    order.remove("a", A1, ["a"])
    assert list(order.pending("a")) == [A2, A3]
    assert list(order.of()) == [("b", B1), ("b", B2), ("a", A2), ("a", A3)]


def test_a_quota_without_blocked_pods_is_left_out() -> None:
    order = FairOrder([("a", A1), ("b", B1)], turn)
    order.remove("a", A1, ["a"])
    assert list(order.of()) == [("b", B1)]
    assert list(order.of({"a"})) == []


def test_what_is_booked_in_a_quota_changes_its_turn_and_no_other() -> None:
    held = {"a": 0, "b": 2}
    asked: list[str] = []

    def share(name: str, found: Workload) -> Turn:
        asked.append(found.uid)
        return (False, 0, held[name], found.uid, name)

    order = FairOrder([("a", A1), ("a", A2), ("b", B1)], share)
    assert next(order.of()) == ("a", A1)
    held["a"] = 3
    order.remove("a", A1, ["a"])
    asked.clear()
    assert next(order.of()) == ("b", B1)
    assert asked == ["a2"]


def test_each_pod_that_gets_room_on_the_way_moves_its_quota_back() -> None:
    held = {"a": 0, "b": 1}

    def share(name: str, found: Workload) -> Turn:
        return (False, 0, held[name], found.uid, name)

    found = []
    for name, each in fair_order.in_turns(BLOCKED, share, lambda *_: False):
        found.append((name, each))
        held[name] += 2
    assert found == [("a", A1), ("b", B1), ("a", A2), ("b", B2), ("a", A3)]


def test_whether_a_pod_is_skipped_is_asked_when_it_comes_to_the_head() -> None:
    left_out: set[str] = set()
    found = []
    for name, each in fair_order.in_turns(BLOCKED, turn, lambda _, each: each.uid in left_out):
        found.append((name, each))
        left_out.update((A2.uid, B2.uid))
    assert found == [("a", A1), ("b", B1), ("a", A3)]
    assert not list(fair_order.in_turns(BLOCKED, turn, lambda *_: True))


def test_a_quota_above_moves_back_too() -> None:
    held = {"a": 0, "b": 1, "c": 2}

    def share(name: str, found: Workload) -> Turn:
        return (False, 0, held[name], found.uid, name)

    found = []
    for name, _ in fair_order.in_turns([("a", A1), ("b", B1), ("c", A2)], share, lambda *_: False):
        found.append(name)
        held["b"] = 3
    assert found == ["a", "c", "b"]
