"""A value of another type is reported in our words, with its path."""

from typing import Any, Literal

import msgspec
import pytest

from elasticquota.model.fault import Fault
from elasticquota.wire.codec import mismatches


class Inner(msgspec.Struct):
    number: int
    either: str | int | None = None
    word: Literal["a", "b"] = "a"


class Outer(msgspec.Struct):
    inner: Inner | None = None
    listed: list[Inner] = []
    by_name: dict[str, Inner] = {}


@pytest.mark.parametrize(
    ("written", "path", "message"),
    [
        pytest.param([], "", "must be a map, got a list", id="all of it"),
        pytest.param({"inner": 3}, "inner", "must be a map, got a whole number", id="or null"),
        pytest.param(
            {"listed": [{"number": True}]},
            "listed[0].number",
            "must be a whole number, got true or false",
            id="in a list",
        ),
        pytest.param(
            {"by_name": {"x": {"number": "1"}}},
            "by_name[...].number",
            "must be a whole number, got a text",
            id="in a map",
        ),
        pytest.param({"inner": {}}, "inner", "must have number", id="missing"),
        pytest.param(
            {"inner": {"number": 1, "either": []}},
            "inner.either",
            "must be a whole number or a text, got a list",
            id="one of two types",
        ),
        pytest.param(
            {"inner": {"number": 1, "word": "c"}},
            "inner.word",
            "Invalid enum value 'c'",
            id="what msgspec says otherwise",
        ),
    ],
)
def test_a_value_of_another_type_is_a_fault_in_our_words(
    written: Any, path: str, message: str
) -> None:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(written, Outer)
    assert mismatches.fault(raised.value) == Fault(path, message)
