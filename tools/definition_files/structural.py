"""The structural schema of a model: without references, titles and null."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import NullableSchema, WithDefaultSchema


Document = dict[str, Any]

_FIRST: Final = ("type", "format", "description", "required", "enum")
_LAST: Final = ("additionalProperties", "items", "properties")
_KEPT: Final = frozenset(
    {
        *_FIRST,
        "default",
        "pattern",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "anyOf",
    }
)
_OPEN: Final = "x-kubernetes-preserve-unknown-fields"


class _Generator(GenerateJsonSchema):
    """An optional field is one that may be absent; null is no value of it."""

    def nullable_schema(self, schema: NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002 - the signature is pydantic's
        return value


def schema(model: type[BaseModel]) -> Document:
    """Return the schema of ``model`` as a definition has it.

    Raises ValueError for what a structural schema cannot say, such as a union of models.
    """
    found = model.model_json_schema(schema_generator=_Generator)
    return _structural(found, found.get("$defs", {}))


def _structural(found: Mapping[str, Any], referred: Mapping[str, Any]) -> Document:
    if "$ref" in found:
        named = referred[found["$ref"].removeprefix("#/$defs/")]
        beside = {key: value for key, value in found.items() if key != "$ref"}
        return _structural({**named, **beside}, referred)
    made: Document = {}
    for key, value in found.items():
        match key, value:
            case ("title" | "$defs", _) | ("additionalProperties", False):
                pass
            case "description", _:
                made[key] = _paragraphs(value)
            case "properties", _:
                made[key] = {name: _structural(each, referred) for name, each in value.items()}
            case "additionalProperties", True:
                made[_OPEN] = True
            case "additionalProperties" | "items", _:
                made[key] = _structural(value, referred)
            case _:
                if key not in _KEPT and not key.startswith("x-kubernetes-"):
                    raise ValueError(f"{key}: no keyword of a structural schema")
                made[key] = value
    return {key: made[key] for key in sorted(made, key=_place)}


def _place(key: str) -> tuple[int, str]:
    """Short keywords stand first, and what has a schema of its own last."""
    if key in _FIRST:
        return _FIRST.index(key), ""
    return len(_FIRST) + (key in _LAST), key


def _paragraphs(text: str) -> str:
    """A docstring without the line breaks of its source."""
    return "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))
