"""Groups of groups: the groups below one composite group are one workload.

A composite group states how many of its children start together, groups or composite groups
(KEP-6012). A group whose composite group starts its children together lists all groups below it,
so the ledger admits and evicts them together (``GroupObject.together``). Above a composite group
whose children are independent nothing starts together. All groups that exist start together, once
there are as many as the composite group asks for; those that come later start by themselves.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from elasticquota.jobs import paths
from elasticquota.model.fault import Fault
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.pod_groups import objects, reading
from elasticquota.pod_groups.adapter import ComposedBy, PodGroupAdapter, SizedBy
from elasticquota.structs import Struct, replace
from elasticquota.wire.codec import fields


MOST_LEVELS: Final = 4
"""As many composite groups may be above each other; kube-scheduler refuses more."""


class Composite(Struct, frozen=True):
    """What an object says about the groups below it."""

    key: Key
    """Namespace and name, as the key of a group."""
    parent: Key | None
    """The composite group above it."""
    least: int
    """How many of its children start together; 0: each by itself, or there is a fault."""
    whole: bool = False
    """All running pods below it leave together."""
    fault: str = ""


def read(document: Mapping[str, Any], adapter: PodGroupAdapter, kind: ComposedBy) -> Composite:
    """Return what an object of the adapter's composite ``kind`` says."""
    faults: list[Fault] = []
    meta = fields.mapping(document.get("metadata"), "metadata", faults)
    key = _key(adapter, fields.text(meta.get("namespace")), fields.text(meta.get("name")))
    written = paths.value(document, kind.least)
    least = 0 if written is None else reading.sized(written)
    if written is not None and not least:
        faults.append(Fault("", f"{kind.least} must be 1 to 99999, got {fields.shown(written)}"))
    fault = f"{kind.kind} {_named(key)}: {faults[0]}" if faults else ""
    whole = objects.holds(kind.whole, document)
    return Composite(key, parent(document, adapter, kind), least, whole, fault)


def parent(
    document: Mapping[str, Any], adapter: PodGroupAdapter, kind: ComposedBy | None
) -> Key | None:
    """The composite group above a group or a composite group; None: there is none."""
    if kind is None:
        return None
    name = fields.text(paths.value(document, kind.parent))
    namespace = fields.text(paths.value(document, "metadata.namespace"))
    return _key(adapter, namespace, name) if name else None


def of_documents(
    adapter: PodGroupAdapter,
    kind: SizedBy,
    groups: Iterable[Mapping[str, Any]],
    above: Iterable[Mapping[str, Any]],
) -> list[GroupObject]:
    """What all objects of an adapter say together; ``above`` are those of its composite kind."""
    known, said = Composites(adapter.composite), dict[Key, GroupObject]()
    if adapter.composite is not None:
        for document in above:
            _update(said, known.put_composite(read(document, adapter, adapter.composite)))
    for document in groups:
        stated = objects.read(document, adapter, kind)
        _update(said, known.put(stated, parent(document, adapter, adapter.composite)))
    return list(said.values())


def _update(said: dict[Key, GroupObject], changed: Iterable[GroupObject]) -> None:
    said.update((found.key, found) for found in changed)


class _Unit(NamedTuple):
    """The highest composite group whose groups start with one group."""

    top: Key | None = None
    fault: str = ""
    whole: bool = False


class Composites:
    """The groups of one adapter and the composite groups above them; mutable.

    Each change returns the groups that now say something else, as the ledger is to store them.
    """

    def __init__(self, kind: ComposedBy | None) -> None:
        """Without a ``kind`` no group has a composite group above it."""
        self._kind = "" if kind is None else kind.kind
        self._groups: dict[Key, GroupObject] = {}
        self._parents: dict[Key, Key] = {}
        """Groups with a composite group above them."""
        self._composites: dict[Key, Composite] = {}
        self._members: dict[str, set[Key]] = {}
        """Namespace -> its groups that have a composite group above them."""

    def put(self, found: GroupObject, above: Key | None) -> Iterator[GroupObject]:
        """Store a group."""
        self._groups[found.key] = found
        before = self._parents.pop(found.key, None)
        members = self._members.setdefault(found.key.namespace, set())
        if above is None:
            members.discard(found.key)
            yield found
        else:
            self._parents[found.key] = above
            members.add(found.key)
        if above is not None or before is not None:
            yield from self._said(found.key.namespace)

    def drop(self, key: Key) -> Iterator[GroupObject]:
        """Drop a group."""
        self._groups.pop(key, None)
        if self._parents.pop(key, None) is not None:
            self._members[key.namespace].discard(key)
            yield from self._said(key.namespace)

    def put_composite(self, found: Composite) -> Iterator[GroupObject]:
        """Store a composite group."""
        self._composites[found.key] = found
        yield from self._said(found.key.namespace)

    def drop_composite(self, key: Key) -> Iterator[GroupObject]:
        """Drop a composite group."""
        self._composites.pop(key, None)
        yield from self._said(key.namespace)

    def group(self, key: Key) -> tuple[GroupObject, Key | None] | None:
        """Return a group as it was put, with the composite group above it; None: there is none."""
        found = self._groups.get(key)
        return None if found is None else (found, self._parents.get(key))

    def composite(self, key: Key) -> Composite | None:
        """Return the composite group of this key; None: there is none."""
        return self._composites.get(key)

    def _said(self, namespace: str) -> Iterator[GroupObject]:
        """The groups of a namespace that have a composite group above them."""
        units = {key: self._unit(key) for key in sorted(self._members.get(namespace, ()))}
        below: dict[Key, list[Key]] = {}
        for key, unit in units.items():
            if unit.top is not None:
                below.setdefault(unit.top, []).append(key)
        missing = {top: self._missing(top, members) for top, members in below.items()}
        for key, unit in units.items():
            group_object = self._groups[key]
            together = () if unit.top is None else tuple(below[unit.top])
            fault = group_object.fault or unit.fault
            if not fault and unit.top is not None:
                fault = missing[unit.top]
            yield replace(
                group_object,
                size=0 if fault else group_object.size,
                together=together if len(together) > 1 else group_object.together,
                fault=fault,
                whole=group_object.whole or unit.whole,
            )

    def _unit(self, key: Key) -> _Unit:
        """The highest composite group above ``key`` below which all start together."""
        unit, at, passed = _Unit(), self._parents.get(key), 0
        while at is not None:
            passed += 1
            composite = self._composites.get(at)
            if composite is None:
                why = f"the {self._kind} {_named(at)} above it does not exist"
                return _Unit(fault=why)
            if composite.fault:
                return _Unit(fault=composite.fault)
            if passed > MOST_LEVELS:
                why = f"more than {MOST_LEVELS} {self._kind}s are above each other"
                return _Unit(fault=why)
            if not composite.least:
                break
            unit, at = _Unit(at, whole=unit.whole or composite.whole), composite.parent
        return unit

    def _missing(self, top: Key, members: list[Key]) -> str:
        """Why the groups below ``top`` cannot start yet; empty: they can."""
        if len(members) > reading.MOST:
            return f"{self._kind} {_named(top)} has more than {reading.MOST} groups"
        children: dict[Key, set[Key]] = {top: set()}
        for member in members:
            below, at = member, self._parents.get(member)
            while at is not None:
                children.setdefault(at, set()).add(below)
                below, at = at, None if at == top else self._composites[at].parent
        for each, found in sorted(children.items()):
            least = self._composites[each].least
            if len(found) < least:
                return f"{len(found)} of {least} groups of {self._kind} {_named(each)} are there"
        return ""


def _key(adapter: PodGroupAdapter, namespace: str, name: str) -> Key:
    return Key(namespace, f"{adapter.name}/{name}")


def _named(key: Key) -> str:
    """Namespace and name of an object, without the name of its adapter."""
    return f"{key.namespace}/{key.name.partition('/')[2]}"
