"""Names with parents become paths; unknown parents and circles cost only the place."""

from elasticquota_import.translators import lineage


def test_a_path_begins_at_the_name_without_a_parent() -> None:
    found = lineage.trace({"c": "b", "b": "a", "a": "", "d": "a"})
    assert found.paths == {"a": ("a",), "b": ("a", "b"), "d": ("a", "d"), "c": ("a", "b", "c")}
    assert found.faults == {}


def test_an_unknown_parent_is_reported_and_makes_a_first_level() -> None:
    found = lineage.trace({"b": "a", "c": "b"})
    assert found.paths == {"b": ("b",), "c": ("b", "c")}
    assert found.faults == {"b": "there is no 'a' in what was given; taken over without a parent"}


def test_members_of_a_circle_are_first_levels_and_keep_what_is_below_them() -> None:
    found = lineage.trace({"a": "b", "b": "a", "c": "b", "d": "d"})
    assert found.paths == {"a": ("a",), "b": ("b",), "c": ("b", "c"), "d": ("d",)}
    assert found.faults == {
        "a": "is its own ancestor (a -> b -> a); taken over without a parent",
        "b": "is its own ancestor (b -> a -> b); taken over without a parent",
        "d": "is its own ancestor (d -> d); taken over without a parent",
    }


def test_a_long_circle_is_counted() -> None:
    found = lineage.trace({str(number): str((number + 1) % 9) for number in range(9)})
    assert set(found.faults.values()) == {
        "is its own ancestor (a circle of 9); taken over without a parent"
    }


def test_what_is_deeper_than_a_tree_can_be_has_no_path() -> None:
    found = lineage.trace({str(number): str(number - 1) if number else "" for number in range(40)})
    assert len(found.paths) == lineage.DEEPEST
    assert found.faults == {
        str(number): "is deeper than 32 levels; not taken over" for number in range(32, 40)
    }


def test_a_chain_of_many_is_quick() -> None:
    count = 20_000
    chain = {str(number): str(number - 1) if number else "" for number in range(count)}
    assert len(lineage.trace(chain).faults) == count - lineage.DEEPEST
