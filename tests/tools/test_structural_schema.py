"""A model becomes a schema as Kubernetes takes it."""

from typing import Annotated, ClassVar, Literal

import pytest
from pydantic import ConfigDict, Field, StrictInt

from definition_files import structural
from elasticquota_api.amounts import QuotaBounds
from elasticquota_api.markers import ATOMIC_LIST, INT32, ValidationRule, list_map
from elasticquota_api.model import Model


class Part(Model):
    """A part."""

    rules: ClassVar = (ValidationRule("self.a", "must be a"),)

    a: str
    """What a is,
    on two lines.

    And a second paragraph."""


class Open(Model):
    """Has what others want."""

    model_config = ConfigDict(extra="allow")


class Whole(Model):
    """The whole."""

    own: Part
    said: Part | None = None
    """Its own sentence."""
    many: Annotated[list[Part], Field(max_length=3), list_map("a")] | None = None
    few: Annotated[list[Literal["b", "c"]], ATOMIC_LIST] | None = None
    open: Open | None = None
    count: Annotated[StrictInt, Field(ge=0), INT32] = 5
    bounds: QuotaBounds | None = None


PART = {
    "type": "object",
    "description": "A part.",
    "required": ["a"],
    "properties": {
        "a": {
            "type": "string",
            "description": "What a is, on two lines.\n\nAnd a second paragraph.",
        }
    },
    "x-kubernetes-validations": [{"rule": "self.a", "message": "must be a"}],
}


@pytest.fixture(name="fields", scope="module")
def _fields() -> dict[str, structural.Document]:
    found: dict[str, structural.Document] = structural.schema(Whole)["properties"]
    return found


def test_a_part_stands_where_it_is_used(fields: dict[str, structural.Document]) -> None:
    assert fields["own"] == PART
    assert fields["many"]["items"] == PART


def test_the_sentence_of_a_field_comes_before_that_of_its_class(
    fields: dict[str, structural.Document],
) -> None:
    assert fields["said"] == {**PART, "description": "Its own sentence."}


def test_a_field_that_may_be_absent_is_not_null(fields: dict[str, structural.Document]) -> None:
    assert structural.schema(Whole)["required"] == ["own"]
    assert fields["few"] == {
        "type": "array",
        "items": {"type": "string", "enum": ["b", "c"]},
        "x-kubernetes-list-type": "atomic",
    }


def test_defaults_bounds_formats_and_list_keys_are_kept(
    fields: dict[str, structural.Document],
) -> None:
    assert fields["count"] == {"type": "integer", "format": "int32", "minimum": 0, "default": 5}
    assert fields["many"]["maxItems"] == 3
    assert fields["many"]["x-kubernetes-list-map-keys"] == ["a"]


def test_only_an_open_model_keeps_unknown_fields(fields: dict[str, structural.Document]) -> None:
    assert fields["open"]["x-kubernetes-preserve-unknown-fields"] is True
    assert "x-kubernetes-preserve-unknown-fields" not in fields["own"]
    assert "additionalProperties" not in fields["own"]


def test_an_amount_is_a_number_or_a_text_with_its_rules_in_order(
    fields: dict[str, structural.Document],
) -> None:
    amount = fields["bounds"]["additionalProperties"]
    assert amount["x-kubernetes-int-or-string"] is True
    assert amount["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert (amount["maxLength"], fields["bounds"]["maxProperties"]) == (64, 64)
    messages = [each["message"] for each in amount["x-kubernetes-validations"]]
    assert [each.split()[2] for each in messages] == ["a", "greater"]


def test_what_a_schema_cannot_say_is_refused() -> None:
    class Pair(Model):
        both: tuple[int, str]

    with pytest.raises(ValueError, match="prefixItems: no keyword of a structural schema"):
        structural.schema(Pair)
