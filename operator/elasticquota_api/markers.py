"""What a structural schema of Kubernetes says besides types and bounds, as annotations of fields.

Each is written in ``Annotated`` beside the type that it judges. pydantic puts it into the JSON
schema of the field; only the API server enforces it.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from pydantic import GetJsonSchemaHandler, StringConstraints
from pydantic_core import CoreSchema

from elasticquota.structs import Struct


Document = dict[str, Any]

RULES: Final = "x-kubernetes-validations"


class ValidationRule(Struct, frozen=True):
    """A rule in CEL that the API server tries on each write; those of a field in their order."""

    rule: str
    message: str
    message_expression: str = ""
    """CEL that makes a message with the values; where it fails, ``message`` counts."""
    reason: str = ""
    field_path: str = ""
    """The field to name, from the one that has the rule, such as ``.min``."""

    def document(self) -> Document:
        """Return the rule as a definition has it."""
        found = {
            "rule": self.rule,
            "fieldPath": self.field_path,
            "reason": self.reason,
            "message": self.message,
            "messageExpression": self.message_expression,
        }
        return {key: text for key, text in found.items() if text}

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> Document:
        """Add the rule after those that are there."""
        found = handler(schema)
        return {**found, RULES: [*found.get(RULES, ()), self.document()]}


class Form(Struct, frozen=True):
    """A text that matches a pattern, with the sentence that the API server says where none does."""

    __is_annotated_types_grouped_metadata__: ClassVar = True

    pattern: str
    """A regular expression that CEL reads as the schema does."""
    message: str
    max_length: int = 63
    min_length: int | None = None

    def __iter__(self) -> Iterator[object]:
        """Yield the bounds and the rule."""
        yield from StringConstraints(
            min_length=self.min_length, max_length=self.max_length, pattern=self.pattern
        )
        yield ValidationRule(f"self.matches('{self.pattern}')", self.message)


class Keywords(Struct, frozen=True, eq=False):
    """Keywords of the schema and their values."""

    added: Document

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> Document:
        """Add the keywords."""
        return {**handler(schema), **self.added}


INT32: Final = Keywords({"format": "int32"})
INT64: Final = Keywords({"format": "int64"})
ATOMIC_LIST: Final = Keywords({"x-kubernetes-list-type": "atomic"})
"""Of two managers of a server-side apply, one owns the whole list."""
SET: Final = Keywords({"x-kubernetes-list-type": "set"})
"""No item occurs twice."""
ATOMIC_MAP: Final = Keywords({"x-kubernetes-map-type": "atomic"})


def list_map(key: str) -> Keywords:
    """Return the keywords of a list whose items a server-side apply tells apart by ``key``."""
    return Keywords({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key]})


class IntOrString(Struct, frozen=True):
    """The union of a number and a text, whose limits become those of the field."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> Document:
        """Write the union as Kubernetes wants it."""
        number, text = handler(schema)["anyOf"]
        limits = {key: value for key, value in {**number, **text}.items() if key != "type"}
        kinds = [{"type": "integer"}, {"type": "string"}]
        return {"x-kubernetes-int-or-string": True, "anyOf": kinds, **limits}
