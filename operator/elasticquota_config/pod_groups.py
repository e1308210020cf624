"""Systems whose pod groups are read: built-in ones by name, others as rows of keys and paths.

A row has the same fields as a built-in adapter (``elasticquota.pod_groups``) and replaces a
built-in one of its name. A key or path with a wrong form is refused when the file is read.
"""

from typing import Annotated, Self

import pydantic
from pydantic import AfterValidator, Field

from elasticquota.pod_groups import adapter, table
from elasticquota_config import faults
from elasticquota_config.jobs import FieldPath, Keys, Sign, Word
from elasticquota_config.sections import Name, Section


def _kind(text: str) -> str:
    if text not in table.NAMES:
        near = faults.nearest(text, table.NAMES)
        raise ValueError(f"there is no built-in kind of pod groups '{text}'{near}")
    return text


Kind = Annotated[str, AfterValidator(_kind)]


class SizedBy(Section):
    """The kind of object that states the size of the groups that name it."""

    group: Name
    versions: Annotated[tuple[Word, ...], Field(strict=False, min_length=1)]
    kind: Word
    plural: Name
    size: FieldPath
    missing: Annotated[int, Field(ge=1, le=99_999)] | None = 1
    one_by_one: Sign | None = None
    together: Keys = ()

    def row(self) -> adapter.SizedBy:
        """Convert to the value of the core package."""
        return adapter.SizedBy(
            self.group,
            self.versions,
            self.kind,
            self.plural,
            self.size,
            self.missing,
            self.one_by_one.row() if self.one_by_one else None,
            self.together,
        )


class Adapter(Section):
    """How the pods of one system state their groups."""

    name: Annotated[str, Field(max_length=63, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
    group: Annotated[Keys, Field(min_length=1)]
    index: Keys = ()
    size: Keys = ()
    definitions: Keys = ()
    together: Keys = ()
    one_by_one: Keys = ()
    object: SizedBy | None = None

    @pydantic.model_validator(mode="after")
    def _a_size_is_known(self) -> Self:
        if not (self.size or self.object or self.definitions):
            raise ValueError("must have size, definitions or object, which say how many pods")
        if self.definitions and not self.index:
            raise ValueError("must have index with definitions, which names the group of a pod")
        return self

    def row(self) -> adapter.Adapter:
        """Convert to the value of the core package."""
        return adapter.Adapter(
            name=self.name,
            group=self.group,
            index=self.index,
            size=self.size,
            definitions=self.definitions,
            together=self.together,
            one_by_one=self.one_by_one,
            object=self.object.row() if self.object else None,
        )


class PodGroups(Section):
    """Pod groups of other systems, which are admitted together as ours (docs/pod-groups.md)."""

    kinds: Annotated[tuple[Kind, ...], Field(strict=False)] = ()
    """Built-in systems whose groups are read: coscheduling, koordinator, volcano, kubernetes,
    leaderworkerset, yunikorn."""
    adapters: Annotated[tuple[Adapter, ...], Field(strict=False)] = ()
    """Systems besides the built-in ones, or in place of them."""

    def rows(self) -> tuple[adapter.Adapter, ...]:
        """The adapters as values of the core package."""
        return table.chosen(self.kinds, (each.row() for each in self.adapters))
