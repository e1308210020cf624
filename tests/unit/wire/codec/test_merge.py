"""A merge patch says only what differs."""

from elasticquota.wire.codec import merge


def test_equal_documents_need_no_patch() -> None:
    assert merge.difference({"a": {"b": [1]}}, {"a": {"b": [1]}}) == {}


def test_what_is_gone_is_null_at_its_depth() -> None:
    assert merge.difference({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"c": 2}}) == {
        "a": {"b": None},
        "d": None,
    }


def test_lists_go_whole() -> None:
    assert merge.difference({"a": [1, 2]}, {"a": [1, 3]}) == {"a": [1, 3]}


def test_a_map_in_place_of_a_value_is_new() -> None:
    assert merge.difference({"a": 1}, {"a": {"b": 2}}) == {"a": {"b": 2}}
