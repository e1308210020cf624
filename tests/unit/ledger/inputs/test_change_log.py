"""A change log answers every reader, in any order, and forgets nothing that one has not seen."""

from elasticquota.ledger.inputs.change_log import ChangeLog


def test_what_changed_before_the_first_generation_is_everything() -> None:
    assert ChangeLog[str](generation=1).since(0) is None
    assert ChangeLog[str](generation=1).since(1) == set()


def test_each_reader_gets_what_changed_since_the_generation_that_it_saw() -> None:
    log = ChangeLog[str](generation=1)
    log.note(["a", "b"], 2)
    log.note(["b", "c"], 3)
    assert log.since(1) == {"a", "b", "c"}
    assert log.since(2) == {"b", "c"}
    assert log.since(3) == set()
    assert log.since(1) == {"a", "b", "c"}


def test_after_a_change_of_everything_older_readers_get_everything() -> None:
    log = ChangeLog[str](generation=1)
    log.note(["a"], 2)
    log.note_all(3)
    log.note(["b"], 4)
    assert log.since(2) is None
    assert log.since(3) == {"b"}


def test_a_log_that_grew_too_long_says_that_everything_changed() -> None:
    log = ChangeLog[int](generation=1)
    log.note(range(100_001), 2)
    assert log.since(1) is None
    log.note([7], 3)
    assert log.since(2) == {7}
