"""Namespace manifest -> YuniKorn's annotations about the queue of the namespace (Y16)."""

import re
from typing import Final

from elasticquota import names
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest


_QUOTA, _GUARANTEED, _APPLICATIONS, _OLD_CPU, _OLD_MEMORY = names.QUEUE_AMOUNTS
_OLD: Final = {names.CPU: _OLD_CPU, names.MEMORY: _OLD_MEMORY}
_TAKEN: Final = frozenset({*names.QUEUE_AMOUNTS, names.PARENT_QUEUE})
_NUMBER: Final = re.compile(r"[0-9]{1,18}", re.ASCII)


class QueueNamespace(Struct, frozen=True):
    """What the annotations of one namespace say about its queue."""

    name: str
    max: Resources | None = None
    """None if not given."""
    guaranteed: Resources | None = None
    most_applications: int | None = None
    """Applications at one time; 0 means no limit."""
    parent: str = ""
    """Its parent queue in lower case, with or without ``root.``."""
    others: tuple[str, ...] = ()
    """Other annotations of YuniKorn, sorted."""
    faults: tuple[Fault, ...] = field(default=())

    @property
    def says(self) -> bool:
        """Whether it has any annotation of YuniKorn about its queue."""
        said = (self.max, self.guaranteed, self.most_applications, self.parent or None)
        return any(each is not None for each in said) or bool(self.faults or self.others)


def read(manifest: NamespaceManifest) -> QueueNamespace:
    """Return the annotations; ``faults`` names each unreadable one, which is left out."""
    meta = manifest.metadata
    faults: list[Fault] = []
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
    others = [key for key in meta.annotations or {} if key.startswith(names.YUNIKORN_PREFIX)]
    return QueueNamespace(
        meta.name,
        quota_max,
        guaranteed,
        _count(meta.annotation(_APPLICATIONS), faults),
        meta.annotation(names.PARENT_QUEUE).strip().lower(),
        tuple(sorted(set(others) - _TAKEN)),
        tuple(faults),
    )


def _count(text: str, faults: list[Fault]) -> int | None:
    if not text:
        return None
    if _NUMBER.fullmatch(text):
        return int(text)
    where = f"metadata.annotations[{_APPLICATIONS}]"
    faults.append(fields.mismatch(where, "a whole number from 0", text))
    return None
