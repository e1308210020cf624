"""Labels and annotations of a pod -> its group, by the first adapter that fits.

Pods of one group share one value. A text that cannot be read gives a group with a fault, which
waits: a gang without its size would start in part.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from elasticquota.model import group
from elasticquota.model.fault import Fault
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.pod_groups.adapter import Keys, PodGroupAdapter
from elasticquota.wire.codec import fields


Read = Callable[[str, Mapping[str, str], Mapping[str, str], str], Group | None]
"""Namespace, labels, annotations and the name in ``spec.schedulingGroup`` of a pod -> its group."""

MOST: Final = 64
"""Largest number of groups that start together, and of groups that one application defines."""

_SIZE: Final = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
_LONGEST: Final = 253
"""Characters of the name of a group."""
_SHORT: Final = 2048
"""Characters of the texts of a pod up to which its group is cached."""


class KeyValue(NamedTuple):
    """A key, and the text that a pod has there; both empty if it has none."""

    key: str = ""
    text: str = ""


class _Texts(NamedTuple):
    """All that a pod says about its group."""

    namespace: str
    name: str
    part: str
    size: KeyValue
    definitions: KeyValue
    together: KeyValue


def reader(adapters: Iterable[PodGroupAdapter]) -> Read:
    """Return the function that reads the group of a pod; without adapters it finds none."""
    rows = tuple(adapters)

    @lru_cache(maxsize=1024)
    def shared(number: int, texts: _Texts) -> Group | None:
        return _group(rows[number], texts)

    def read(
        namespace: str, labels: Mapping[str, str], annotations: Mapping[str, str], named: str
    ) -> Group | None:
        for number, row in enumerate(rows):
            name = named if row.field and named else first(row.group, labels, annotations).text
            if not name or any(key in annotations or key in labels for key in row.one_by_one):
                continue
            texts = _Texts(
                namespace,
                name,
                first(row.index, labels, annotations).text,
                first(row.size, labels, annotations),
                first(row.definitions, labels, annotations),
                first(row.together, labels, annotations),
            )
            said = (texts.size.text, texts.definitions.text, texts.together.text)
            short = len(name) + len(texts.part) + sum(map(len, said)) <= _SHORT
            pod_group = shared(number, texts) if short else _group(row, texts)
            if pod_group is not None:
                return pod_group
        return None

    return read


def sized(value: object) -> int:
    """Return a size from 1 to 99999, also of a text; 0: it is none."""
    if isinstance(value, str):
        return int(value) if _SIZE.fullmatch(value) else 0
    return value if type(value) is int and 1 <= value <= group.MOST else 0


def keys_of(
    said: str, where: str, row: str, namespace: str, faults: list[Fault]
) -> tuple[Key, ...]:
    """Return the groups of a JSON list of ``namespace/name``, sorted; () with a fault.

    ``row`` is the name of the adapter; a name without a namespace is one of ``namespace``.
    """
    listed = fields.decoded(said, where, faults, _LIST, list)
    if listed is None:
        return ()
    if len(listed) > MOST:
        faults.append(Fault(where, f"must list at most {MOST} groups, got {len(listed)}"))
        return ()
    groups: set[Key] = set()
    for each in listed:
        if not fields.is_text(each, _LONGEST + 1 + _LONGEST):
            faults.append(Fault(where, f"must be a JSON {_LIST}, got {fields.shown(each)} in it"))
            return ()
        space, slash, name = each.rpartition("/")
        groups.add(Key(space if slash else namespace, f"{row}/{name}"))
    return tuple(sorted(groups))


_LIST: Final = "list of namespace/name"
_DEFINITIONS: Final = "list of groups with name and minMember"
_SILENT: Final = KeyValue()


def first(keys: Keys, labels: Mapping[str, str], annotations: Mapping[str, str]) -> KeyValue:
    """Return the first of ``keys`` that has a text, with the text."""
    for key in keys:
        text = annotations.get(key) or labels.get(key)
        if text:
            return KeyValue(key, text)
    return _SILENT


def _group(row: PodGroupAdapter, texts: _Texts) -> Group | None:
    faults: list[Fault] = []
    for said in (texts.name, texts.part):
        if said and not fields.is_text(said, _LONGEST):
            # All of them are one group that waits: a message must not contain such a name.
            text = f"the name of its {row.name} group must be 1 to {_LONGEST} printable characters"
            return Group(f"{row.name}/", 0, fault=f"{text}, got {fields.shown(said)}")
    stem = f"{row.name}/{texts.name}"
    sizes = _definitions(texts.definitions, stem, faults)
    if row.index and not texts.part:
        # It is in no group, but may state the sizes of the groups of its application.
        return Group(f"{stem}/", 1, sizes=tuple(sizes.items())) if sizes else None
    name = f"{stem}/{texts.part}" if row.index else stem
    own = sizes.pop(name, 0)
    if texts.size.key:
        own = sized(texts.size.text)
        if not own:
            got = fields.shown(texts.size.text)
            faults.append(Fault("", f"{texts.size.key} must be 1 to {group.MOST}, got {got}"))
    elif not (row.object or row.definitions):
        faults.append(Fault("", f"{' or '.join(row.size)} must say how many pods start together"))
    together: tuple[Key, ...] = ()
    if texts.together.key:
        key, said = texts.together
        together = keys_of(said, key, row.name, texts.namespace, faults)
    source = name if row.definitions else stem if row.object else ""
    return Group(
        name, own, source, together, tuple(sizes.items()), str(faults[0]) if faults else ""
    )


def _definitions(said: KeyValue, stem: str, faults: list[Fault]) -> dict[str, int]:
    """The sizes of the groups of an application, by name; ``stem`` is the first part of it."""
    if not said.key:
        return {}
    listed = fields.decoded(said.text, said.key, faults, _DEFINITIONS, list) or ()
    sizes: dict[str, int] = {}
    for each in listed[:MOST]:
        definition: Mapping[str, Any] = each if isinstance(each, dict) else {}
        name, size = definition.get("name"), definition.get("minMember")
        if not fields.is_text(name, _LONGEST):
            faults.append(Fault(said.key, f"must be a JSON {_DEFINITIONS}, got another entry"))
        elif not sized(size):
            got = fields.shown(size)
            faults.append(Fault(said.key, f"minMember must be 1 to {group.MOST}, got {got}"))
        else:
            sizes[f"{stem}/{name}"] = sized(size)
    return sizes
