"""Results of a translation: quotas, and a warning for each difference from the source.

A draft is a quota as the external system defines it, before it is made to fit our rules.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from elasticquota import names
from elasticquota.model import limit
from elasticquota.model.fault import Fault
from elasticquota.model.limit import QuotaLimits
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct
from elasticquota.wire.integrations.ack_trees import QuotaTree
from elasticquota.wire.integrations.capacity_quotas import CapacityQuota


Path = tuple[str, ...]
"""Names from the root down, as the external system writes them."""


class TranslationWarning(NamedTuple):
    """A difference: something that is not taken over, or taken over in another way."""

    source: str
    """The object, for example ``ElasticQuotaTree kube-system/tree``."""
    where: str
    """Path in the object, as precise as possible."""
    text: str
    """What the difference is, and what is done instead."""

    @property
    def line(self) -> str:
        return ": ".join(part for part in (self.source, self.where, self.text) if part)


class Draft(NamedTuple):
    """One quota of the external system; its parent is the draft whose path is one name shorter."""

    path: Path
    source: str
    where: str
    home: str
    """The namespace in which our quota lives."""
    origin: str
    """Where it was imported from, for the annotation."""
    name: str = ""
    """Replaces the path joined with "-"; empty: the path."""
    min: Resources = EMPTY
    max: Resources = EMPTY
    is_parent: bool = False
    namespaces: tuple[str, ...] = ()
    reclaim_grace: int | None = None
    preemption: str = ""
    over_max_delay: int | None = None
    application_order: str = ""
    orders_by_priority: bool = True
    nodes: Selector = EVERYTHING
    limits: QuotaLimits = limit.NONE
    below: str | None = names.ROOT_QUOTA
    """The parent of a draft without a parent draft; None: that parent does not exist yet, so quotas
    that were made before stay as they are."""
    covers_children: bool = False
    """Whether its min is the sum of its children's, and its max at least that."""
    shared_weight: Resources | None = None
    """Its weight by resource; None: max decides. A resource that its max leaves out is left out."""
    allow_lent: bool = True
    strict_queue: bool = False
    allowed_namespaces: tuple[str, ...] | None = None
    """Namespaces whose pods may name the quota, besides ``namespaces``; None: all."""

    def warning(self, where: str, text: str) -> TranslationWarning:
        at = f"{self.where}.{where}" if self.where and where else self.where or where
        return TranslationWarning(self.source, at, text)


class Translation(Struct, frozen=True):
    """The quotas and warnings that come from the objects of an external system."""

    quotas: tuple[Quota, ...]
    """Parents before their children, siblings by name."""
    origins: Mapping[str, str]
    """By quota name."""
    warnings: tuple[TranslationWarning, ...]
    """Sorted."""
    sources: Mapping[str, str]
    """By quota name, the object that defines it."""
    waiting: frozenset[str] = frozenset()
    """Names of quotas that have no parent for now; those that exist stay as they are."""
    profiles: tuple[Profile, ...] = ()
    """Profiles whose root quotas are above the quotas; only import makes any."""


NOTHING: Final = Translation((), {}, (), {})


def age(found: QuotaTree | CapacityQuota) -> tuple[str, str, str, str]:
    """The order in which the first of several objects counts; one from a file has no uid."""
    return (found.created, found.uid, found.key.name, "" if found.uid else repr(found))


def of_faults(source: str, faults: Iterable[Fault]) -> list[TranslationWarning]:
    """Warnings for what could not be read."""
    return [
        TranslationWarning(source, fault.path, f"{fault.message}; left out") for fault in faults
    ]
