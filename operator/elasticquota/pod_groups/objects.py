"""An object that states the size of groups, as decoded from JSON -> its ``GroupObject``."""

from collections.abc import Mapping
from typing import Any

from elasticquota.jobs import paths, states
from elasticquota.jobs.adapter import Sign
from elasticquota.model import group
from elasticquota.model.fault import Fault
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.pod_groups import reading
from elasticquota.pod_groups.adapter import PodGroupAdapter, SizedBy
from elasticquota.wire.codec import fields


def read(document: Mapping[str, Any], adapter: PodGroupAdapter, kind: SizedBy) -> GroupObject:
    """Return what the object of the adapter's ``kind`` states."""
    faults: list[Fault] = []
    meta = fields.mapping(document.get("metadata"), "metadata", faults)
    namespace, name = fields.text(meta.get("namespace")), fields.text(meta.get("name"))
    written = paths.value(document, kind.size)
    size = reading.sized(kind.missing if written is None else written)
    if not size:
        got = "none" if written is None else fields.shown(written)
        faults.append(Fault("", f"{kind.size} must be 1 to {group.MOST}, got {got}"))
    labels, annotations = (_texts(meta.get(side)) for side in ("labels", "annotations"))
    said = reading.first(kind.together, labels, annotations)
    together: tuple[Key, ...] = ()
    if said.key:
        together = reading.keys_of(said.text, said.key, adapter.name, namespace, faults)
    fault = f"{kind.kind} {namespace}/{name}: {faults[0]}" if faults else ""
    key = Key(namespace, f"{adapter.name}/{name}")
    return GroupObject(
        key,
        0 if fault else size,
        holds(kind.one_by_one, document),
        together,
        fault,
        holds(kind.whole, document),
    )


def holds(sign: Sign | None, document: Mapping[str, Any]) -> bool:
    """Whether an object has this sign; without a sign it has not."""
    return sign is not None and states.holds(sign, document)


def _texts(value: object) -> dict[str, str]:
    found = value if isinstance(value, dict) else {}
    return {key: text for key, text in found.items() if isinstance(text, str)}
