"""The blocked pods in fair order, while some of them are removed."""

from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Workload
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
