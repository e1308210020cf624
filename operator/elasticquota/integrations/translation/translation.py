"""A translation is the quotas that a neighbour's objects mean, and a remark on all that differs.

A draft is a quota as the neighbour has it, before it is made to fit our rules.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from elasticquota import names
from elasticquota.model import limit
from elasticquota.model.limit import Limits
from elasticquota.model.quota import Quota
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.resources import EMPTY, Resources


Path = tuple[str, ...]
"""Names from the top down, as the neighbour writes them."""


class TranslationWarning(NamedTuple):
    """Something that is not taken over, or differently."""

    source: str
    """The object, for example ``ElasticQuotaTree kube-system/tree``."""
    where: str
    """Path in it, as far as one can be named."""
    text: str
    """What it is, and what is done instead."""

    @property
    def line(self) -> str:
        return ": ".join(part for part in (self.source, self.where, self.text) if part)


class Draft(NamedTuple):
    """One quota of the neighbour's; its parent is whose path is one shorter, if there is one."""

    path: Path
    source: str
    where: str
    home: str
    """The namespace in which our quota lives."""
    origin: str
    """Says where it was imported from, for the annotation."""
    name: str = ""
    """Instead of the path joined with "-"."""
    min: Resources = EMPTY
    max: Resources = EMPTY
    is_parent: bool = False
    namespaces: tuple[str, ...] = ()
    reclaim_grace: int | None = None
    nodes: Selector = EVERYTHING
    limits: Limits = limit.NONE
    below: str | None = names.ROOT_QUOTA
    """The quota below which it hangs when it has no parent here; None: that is not there, so what
    is kept of it stays as it is."""

    def warning(self, where: str, text: str) -> TranslationWarning:
        at = f"{self.where}.{where}" if self.where and where else self.where or where
        return TranslationWarning(self.source, at, text)


@dataclass(frozen=True, slots=True)
class Translation:
    """What a neighbour's objects come to."""

    quotas: tuple[Quota, ...]
    """Parents before their children, siblings by name."""
    origins: Mapping[str, str]
    """By quota name."""
    warnings: tuple[TranslationWarning, ...]
    """Sorted."""
    sources: Mapping[str, str]
    """By quota name, the object that asks for it."""
    waiting: frozenset[str] = frozenset()
    """Names of quotas that cannot hang anywhere for now; those that there are stay as they are."""


def of_faults(source: str, faults: Iterable[str]) -> list[TranslationWarning]:
    """What could not be read, as remarks."""
    parts = [fault.partition(": ") for fault in faults]
    return [TranslationWarning(source, where, f"{text}; left out") for where, _, text in parts]
