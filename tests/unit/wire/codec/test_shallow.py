"""No object is too deep to be read."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elasticquota.wire.codec import shallow


class Name(msgspec.Struct):
    name: str = ""


def nest(levels: int, inner: bytes = b"1") -> bytes:
    return b'{"a":[' * (levels // 2) + inner + b"]}" * (levels // 2)


@pytest.mark.parametrize("levels", [1_500, 9_000, 9_996, 200_000])
def test_what_lies_beside_a_deep_nest_is_read(levels: int) -> None:
    decode = msgspec.json.Decoder(Name).decode
    for content in (
        b'{"deep":' + nest(levels) + b',"name":"x"}',
        b'{"name":"x","deep":[1,' + nest(levels) + b",2]}",
    ):
        assert shallow.decode(decode, content) == Name("x")
        assert shallow.decode(decode, bytearray(content)) == Name("x")
        assert shallow.decode(decode, msgspec.Raw(content)) == Name("x")


def test_a_nest_that_does_not_end_is_no_json_and_no_recursion() -> None:
    for content in (b'{"a":' * 200_000, b"[" * 200_000, b"[" * 200_000 + b'"'):
        with pytest.raises(msgspec.DecodeError):
            shallow.decode(msgspec.json.decode, content)


def test_a_nest_that_is_asked_for_itself_ends_where_it_is_too_deep() -> None:
    found = shallow.decode(msgspec.json.decode, nest(200_000))
    depth = 0
    while found:
        found, depth = (found["a"] if isinstance(found, dict) else found[0]), depth + 1
    assert (found, depth) == (None, shallow.DEEPEST)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('a"\\[]{}:,é\n', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text('a"\\{[', max_size=3), inner, max_size=3)
    ),
    max_leaves=20,
)


def cut(value: Any, levels: int) -> Any:
    if not isinstance(value, list | dict):
        return value
    if levels == 0:
        return None
    if isinstance(value, list):
        return [cut(each, levels - 1) for each in value]
    return {key: cut(each, levels - 1) for key, each in value.items()}


@given(VALUES, st.integers(0, 4), st.booleans())
def test_it_says_the_same_down_to_that_level_and_null_below(
    value: Any, levels: int, ascii_only: bool
) -> None:
    content = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert json.loads(shallow.shallow(content, levels)) == cut(value, levels)


@given(st.binary(max_size=60) | st.text('"\\[]{}1,:', max_size=40).map(str.encode))
def test_what_is_shallow_stays_byte_by_byte_as_it_is(content: bytes) -> None:
    if content.count(b"[") + content.count(b"{") <= 4:
        assert shallow.shallow(content, 4) == content
