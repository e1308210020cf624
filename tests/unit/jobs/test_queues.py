"""A queue for each leaf, worked off as its users say."""

from elasticquota.jobs import queues
from elasticquota.jobs.queues import HOME, Steps
from elasticquota.model.key import Key
from elasticquota.model.queue_order import QueueOrder
from elasticquota.structs import replace
from elasticquota.wire.integrations.job_queues import JobPosition, JobQueue


def queue(name: str, policy: str = "Priority", namespace: str = HOME) -> JobQueue:
    return JobQueue(Key(namespace, name), f"uid-{name}", "2026-01-01T00:00:00Z", policy=policy)


def test_queues_come_and_go_with_their_leaves() -> None:
    there = {found.key: found for found in (queue("a"), queue("old"), queue("theirs"))}
    ours = [Key(HOME, "a"), Key(HOME, "old")]
    assert queues.steps(["a", "b"], there, ours) == Steps(("b",), (there[Key(HOME, "old")],))
    assert queues.steps(["a", "old"], there, ours) == Steps()


def test_a_queue_that_a_user_made_for_a_leaf_is_taken_as_it_is() -> None:
    mine = queue("a", "FIFO")
    assert queues.steps(["a"], {mine.key: mine}, []) == Steps()


def test_by_age_alone_is_what_fifo_says() -> None:
    assert queues.by_age(queue("a", "FIFO"))
    assert not queues.by_age(queue("a"))
    assert not queues.by_age(None)


def test_no_pod_passes_where_a_queue_of_the_namespace_says_block() -> None:
    found = [queue("a", "Block"), queue("b"), queue("c", "Block", namespace="elsewhere")]
    assert queues.blocking(found) == {"a"}


def test_a_status_lists_the_first_hundred_in_order() -> None:
    places = [JobPosition(Key("ns", f"j{number}"), 0, number) for number in range(200, 0, -1)]
    (listed,) = queues.status("a", places)["queueItemDetails"].values()
    assert [each["position"] for each in listed] == list(range(1, 101))


def test_priorities_of_queues_count_where_the_switch_says_so() -> None:
    urgent = replace(queue("a"), priority=9)
    named = replace(queue("b"), priority_class="high")
    both = replace(queue("c"), priority=-3, priority_class="high")
    elsewhere = replace(queue("d", namespace="team"), priority=99)
    found = [urgent, named, both, elsewhere, queue("e"), queue("f", "Block")]
    values = {"high": 1000}

    def order(*, by_priority: bool) -> QueueOrder:
        return queues.in_order(found, lambda name: values.get(name, 0), by_priority=by_priority)

    assert order(by_priority=True) == QueueOrder({"a": 9, "b": 1000, "c": -3}, frozenset({"f"}))
    assert order(by_priority=False) == QueueOrder({}, frozenset({"f"}))
