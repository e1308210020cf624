"""What all models have in common: names as in the API, sentences from docstrings, rules.

A field is named ``resource_ratio`` in Python and ``resourceRatio`` in a manifest; both are read.
The docstring of a field, else that of its class, is what ``kubectl explain`` says.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationInfo,
    field_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema

from elasticquota.structs import Struct
from elasticquota_api.markers import RULES, Document, ValidationRule


class Model(BaseModel):
    """A part of an object. Fields that it does not have are refused."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        use_attribute_docstrings=True,
        extra="forbid",
    )

    rules: ClassVar[tuple[ValidationRule, ...]] = ()
    """What the API server tries on the whole."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> Document:
        """Add the rules of the class."""
        found = handler(schema)
        if cls.rules:
            handler.resolve_ref_schema(found)[RULES] = [each.document() for each in cls.rules]
        return found


class Observed(Model):
    """A part of a status. What a newer controller writes besides is passed over."""

    model_config = ConfigDict(extra="ignore")


class Metadata(Model):
    """The metadata of an object, of which the usual fields have names here; others are kept."""

    model_config = ConfigDict(extra="allow")

    name: str | None = None
    namespace: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    uid: str | None = None
    generation: int | None = None
    resource_version: str | None = None
    creation_timestamp: AwareDatetime | None = None


class Column(Struct, frozen=True):
    """A column of ``kubectl get``."""

    name: str
    type: str
    path: str
    description: str = ""
    wide: bool = False
    """Shown only with ``-o wide``."""


AGE = Column("Age", "date", ".metadata.creationTimestamp")
CATEGORY: Final = "elastic-quotas"
"""Kinds that ``kubectl get elastic-quotas`` shows."""


class ServedKind(Struct, frozen=True):
    """How the API server serves a kind."""

    group: str
    version: str
    plural: str
    columns: tuple[Column, ...]
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    approval: str = ""
    """Why the kind may be in a group of ``*.k8s.io``: the API server asks for it."""


class KubernetesObject(Model):
    """An object with the fields that each has."""

    served: ClassVar[ServedKind]

    api_version: str
    kind: str
    metadata: Metadata = Field(default_factory=Metadata)

    @field_validator("api_version", "kind")
    @classmethod
    def _is_this_kind(cls, found: str, info: ValidationInfo) -> str:
        expected = cls.model_fields[str(info.field_name)].default
        if found != expected:
            raise ValueError(f"must be {expected}")
        return found

    @classmethod
    def read(cls, manifest: Mapping[str, Any]) -> Self:
        """Return the object of a manifest.

        Raises ``pydantic.ValidationError``, which names each wrong field with its path.
        """
        return cls.model_validate(dict(manifest))

    def manifest(self) -> dict[str, Any]:
        """Return the object as JSON values, without the fields that are not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
