"""Namespace manifest -> what YuniKorn's annotations say about its queue (Y16)."""

from dataclasses import dataclass, field
from typing import Final

from elasticquota import names
from elasticquota.resources import Resources
from elasticquota.wire import amounts
from elasticquota.wire.namespaces import NamespaceManifest


PREFIX: Final = "yunikorn.apache.org/"
_QUOTA: Final = PREFIX + "namespace.quota"
_GUARANTEED: Final = PREFIX + "namespace.guaranteed"
_PARENT: Final = PREFIX + "parentqueue"
_OLD: Final = {
    names.CPU: PREFIX + "namespace.max.cpu",
    names.MEMORY: PREFIX + "namespace.max.memory",
}
AMOUNTS: Final = (_QUOTA, _GUARANTEED, *_OLD.values())
"""Annotations that can be wrong."""
_TAKEN: Final = frozenset({*AMOUNTS, _PARENT})


@dataclass(frozen=True, slots=True)
class QueueNamespace:
    name: str
    max: Resources | None = None
    """None: nothing is said."""
    guaranteed: Resources | None = None
    parent: str = ""
    """Its parent queue as written, with or without ``root.``."""
    others: tuple[str, ...] = ()
    """Annotations of YuniKorn besides, sorted."""
    faults: tuple[str, ...] = field(default=())

    @property
    def says(self) -> bool:
        """Whether it has any annotation of YuniKorn about its queue."""
        said = (self.max, self.guaranteed, self.parent or None)
        return any(each is not None for each in said) or bool(self.faults or self.others)


def read(manifest: NamespaceManifest) -> QueueNamespace:
    """What could not be read is left out and named in ``faults`` with its path."""
    meta = manifest.metadata
    faults: list[str] = []
    where = f"metadata.annotations[{_QUOTA}]"
    quota_max = amounts.read_json(meta.annotation(_QUOTA), where, faults, amounts.MOST)
    where = f"metadata.annotations[{_GUARANTEED}]"
    guaranteed = amounts.read_json(meta.annotation(_GUARANTEED), where, faults, amounts.MOST)
    old = {resource: meta.annotation(key) for resource, key in _OLD.items()}
    if quota_max is None and any(old.values()):
        quota_max = {}
        for resource, text in old.items():
            where = f"metadata.annotations[{_OLD[resource]}]"
            amount = amounts.read_one(resource, text, where, faults) if text else None
            if amount is not None:
                quota_max[resource] = amount
    others = [key for key in meta.annotations or {} if key.startswith(PREFIX)]
    return QueueNamespace(
        meta.name,
        quota_max,
        guaranteed,
        meta.annotation(_PARENT).strip().lower(),
        tuple(sorted(set(others) - _TAKEN)),
        tuple(faults),
    )
