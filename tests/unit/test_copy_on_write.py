"""What was taken stays as it was, and is copied only when something changes after that."""

from elasticquota.copy_on_write import CopyOnWrite, CopyOnWriteByKey


def test_what_was_taken_shows_no_later_change() -> None:
    held = CopyOnWrite({"a": 1})
    before = held.taken()
    held.opened()["a"] = 2
    assert (before, held.now, held.taken()) == ({"a": 1}, {"a": 2}, {"a": 2})


def test_it_is_copied_once_for_all_changes_before_it_is_taken_again() -> None:
    held = CopyOnWrite({"a"})
    assert held.opened() is held.now
    before = held.taken()
    opened = held.opened()
    assert opened is not before
    assert held.opened() is opened
    assert held.taken() is opened


def test_by_key_only_changes_are_copied_until_there_are_many() -> None:
    counts = CopyOnWriteByKey(dict.fromkeys(range(200), 0))
    taken = [counts.taken()]
    for number in range(200):
        counts[number] = 1
        taken.append(counts.taken())
    assert [sum(each.values()) for each in taken] == [*range(201)]
    assert [len(each) for each in (taken[0], taken[-1])] == [200, 200]
    assert list(taken[-1]) == [*range(200)]
    assert counts.now == dict(taken[-1])


def test_by_key_keys_that_come_and_go_show_in_what_is_taken_later_only() -> None:
    counts = CopyOnWriteByKey({"a": 1})
    first = counts.taken()
    counts["b"] = 2
    second = counts.taken()
    del counts["a"]
    third = counts.taken()
    counts["a"] = 3
    fourth = counts.taken()
    assert [dict(each) for each in (first, second, third, fourth)] == [
        {"a": 1},
        {"a": 1, "b": 2},
        {"b": 2},
        {"b": 2, "a": 3},
    ]
    assert ("a" in first, "a" in third, third.get("a")) == (True, False, None)
