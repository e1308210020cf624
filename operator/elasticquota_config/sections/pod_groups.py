"""Systems whose pod groups are read: built-in ones by name, others as rows of keys and paths.

A row has the same fields as a built-in adapter (``elasticquota.pod_groups``) and replaces a
built-in one of its name. A key or path with a wrong form is refused when the file is read.
"""

from typing import Annotated

from msgspec import Meta

from elasticquota.pod_groups import adapter, table
from elasticquota_config.fields import reading, section
from elasticquota_config.fields.section import Section, ValueCheck
from elasticquota_config.sections.jobs import FieldPath, Keys, SignSection, Word
from elasticquota_config.sections.names import Name


def _kind(text: str) -> str:
    if text in table.NAMES:
        return ""
    near = reading.nearest(text, table.NAMES)
    return f"there is no built-in kind of pod groups '{text}'{near}"


Kind = Annotated[str, ValueCheck(_kind)]


class SizedBySection(Section, frozen=True):
    """The kind of object that states the size of the groups that name it."""

    group: Name
    versions: Annotated[tuple[Word, ...], Meta(min_length=1)]
    kind: Word
    plural: Name
    size: FieldPath
    missing: Annotated[int, Meta(ge=1, le=99_999)] | None = 1
    one_by_one: SignSection | None = None
    together: Keys = ()
    whole: SignSection | None = None

    def row(self) -> adapter.SizedBy:
        """Convert to the value of the core package."""
        return adapter.SizedBy(**section.row(self) | {"missing": self.missing})


class PodGroupAdapterSection(Section, frozen=True):
    """How the pods of one system state their groups."""

    name: Annotated[str, Meta(max_length=63, pattern=r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")]
    group: Annotated[Keys, Meta(min_length=1)]
    index: Keys = ()
    size: Keys = ()
    definitions: Keys = ()
    together: Keys = ()
    one_by_one: Keys = ()
    object: SizedBySection | None = None

    def __post_init__(self) -> None:
        if not (self.size or self.object or self.definitions):
            raise ValueError("must have size, definitions or object, which say how many pods")
        if self.definitions and not self.index:
            raise ValueError("must have index with definitions, which names the group of a pod")

    def row(self) -> adapter.PodGroupAdapter:
        """Convert to the value of the core package."""
        return adapter.PodGroupAdapter(**section.row(self))


class PodGroups(Section, frozen=True):
    """Pod groups of other systems, which are admitted together as ours (docs/pod-groups.md)."""

    kinds: tuple[Kind, ...] = ()
    """Built-in systems whose groups are read: coscheduling, koordinator, volcano, kubernetes,
    leaderworkerset, yunikorn."""
    adapters: tuple[PodGroupAdapterSection, ...] = ()
    """Systems besides the built-in ones, or in place of them."""

    def rows(self) -> tuple[adapter.PodGroupAdapter, ...]:
        """The adapters as values of the core package."""
        return table.chosen(self.kinds, (each.row() for each in self.adapters))
