"""Events about the translation of YuniKorn's ConfigMap and of annotated namespaces.

Neither has a status, so each note becomes an event on the object that it concerns. For a broken
configuration, which is not followed, there is a note for each fault. An object gets at most twenty
notes and the number of the others; `elastic-quota import` shows all of them.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from elasticquota.forest import wording
from elasticquota.integrations import source_status
from elasticquota.integrations.translation.translation import Translation
from elasticquota.integrations.yunikorn import queues
from elasticquota.model.fault import Fault


MOST: Final = 20
_NAMESPACE: Final = "Namespace "


class Note(NamedTuple):
    """A message for the event of one object."""

    namespace: str
    """The namespace that it concerns; empty: the ConfigMap."""
    reason: str
    text: str
    is_warning: bool


def of_broken(faults: Sequence[Fault]) -> tuple[Note, ...]:
    """The notes on a configuration that is not followed because of these faults."""
    what = "is a fault" if len(faults) == 1 else f"are {len(faults)} faults"
    head = f"there {what} in {queues.CONFIG}, so all quotas stay as they are until that is mended"
    return (
        Note("", "QueuesBroken", head, True),
        *_first(Note("", "QueuesBroken", str(fault), True) for fault in faults),
    )


def of_followed(made: Translation, taken: Iterable[str]) -> tuple[Note, ...]:
    """The notes on a configuration in force; ``taken`` are names of quotas that cannot exist."""
    count = len(made.quotas)
    follow = f"{wording.counted(count, 'ElasticQuota')} {wording.agreed(count, 'follow')}"
    notes = [
        Note("", "QueuesFollowed", f"{follow} the queues and namespaces", False),
        *_first(Note("", "NameTaken", line, True) for line in source_status.missing(made, taken)),
    ]
    by_source: dict[str, list[Note]] = {}
    for warning in made.warnings:
        is_space = warning.source.startswith(_NAMESPACE)
        namespace = warning.source.removeprefix(_NAMESPACE) if is_space else ""
        text = f"{warning.where}: {warning.text}" if warning.where else warning.text
        note = Note(namespace, "NotTakenOver", text, bool(namespace))
        by_source.setdefault(namespace, []).append(note)
    for of_source in by_source.values():
        notes += _first(of_source)
    return tuple(notes)


def _first(notes: Iterable[Note]) -> list[Note]:
    found = list(notes)
    more = len(found) - MOST
    if more <= 0:
        return found
    return [*found[:MOST], found[MOST]._replace(text=f"and {more} more")]
