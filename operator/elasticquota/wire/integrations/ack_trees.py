"""ElasticQuotaTree manifest -> the tree as written (``scheduling.sigs.k8s.io/v1beta1``; Q1, Q2).

The schema of the kind cannot recurse, so everything below ``spec`` may have any shape.

When a tree is read again, only nodes with a changed text are decoded. The result for a node depends
on its text and its path only: the same text at the same path gives the same node and faults.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import msgspec

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.resources import Resources
from elasticquota.wire.codec import amounts, fields, shallow
from elasticquota.wire.codec.metadata import ClosedManifest, SpecManifest


_ROOT: Final = "spec.root"
DEEPEST: Final = 32
"""Levels that are read; our own trees have the same limit (EQ1101)."""

_MOST: Final = 4096
_LONGEST: Final = 253
_FIELDS: Final = frozenset({"name", "min", "max", "children", "namespaces", "attributes"})
_FLAVORS: Final = "resourceflavors"
_ANY: Final = msgspec.json.Decoder()
_MAPS: Final = msgspec.json.Decoder(dict[str, dict[str, msgspec.Raw]])
_PARTS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_NULL: Final = msgspec.Raw(b"null")


@dataclass(frozen=True, slots=True)
class Node:
    """One quota of the tree."""

    where: str
    """Its field path."""
    name: str
    min: Resources = field(default_factory=dict)
    max: Resources = field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    children: tuple["Node", ...] = ()
    flavors: tuple[str, ...] = ()
    """Names of flavors, each once, in order."""
    others: tuple[str, ...] = ()
    """Other fields that it has, sorted."""
    faults: tuple[str, ...] = ()
    """Faults of the node and of all nodes below it."""


@dataclass(frozen=True, slots=True)
class QuotaTree:
    """One ElasticQuotaTree."""

    key: Key
    created: str
    uid: str
    profile: str = ""
    """The ElasticQuotaProfile that it names, as written; empty: it is for the default tree."""
    root: Node | None = None
    """None if the root is absent or unreadable."""
    faults: tuple[str, ...] = ()
    text: msgspec.Raw | None = field(default=None, compare=False, repr=False)
    """JSON of its ``spec``, if known."""
    texts: tuple[msgspec.Raw, ...] = field(default=(), compare=False, repr=False)
    """JSON of each of the root's children, if they were read one by one."""


class _Past(NamedTuple):
    """A node that was read before, with its text, or at least the texts of its children."""

    node: Node
    text: msgspec.Raw | None = None
    texts: Sequence[msgspec.Raw] = ()


def read(manifest: SpecManifest | ClosedManifest, before: QuotaTree | None = None) -> QuotaTree:
    """Return the tree; ``faults`` names each unreadable part with its path.

    ``before`` is the tree that was read last; its nodes are used again where the text is the same.
    """
    meta, text = manifest.metadata, None
    head = (meta.key, meta.created, meta.uid, meta.annotation(names.TREE_PROFILE))
    if isinstance(manifest.spec, msgspec.Raw):
        text = manifest.spec
        if before is not None and before.text == text:
            return QuotaTree(*head, before.root, before.faults, text, before.texts)
    past = None if text is None else _root_of(before)
    parts = None if past is None or text is None else _root_parts(text)
    faults: list[str] = []
    if parts is not None:
        written = _opened(parts)
        root = _node(written, _ROOT, 1, faults, past)
        below = written.get("children")
        texts = tuple(below) if isinstance(below, list) else ()
        return QuotaTree(*head, root, tuple(faults), text, texts)
    spec = fields.mapping(_decoded(manifest.spec), "spec", faults)
    root = None
    if spec.get("root") is not None:
        root = _node(spec["root"], _ROOT, 1, faults)
    elif not faults:
        faults.append(f"{_ROOT}: must be given")
    return QuotaTree(*head, root, tuple(faults), text)


def _child(
    written: object, where: str, level: int, faults: list[str], past: _Past | None
) -> Node | None:
    """The node at ``where``; ``past`` is the node that was read there before."""
    if past is not None and past.text == written:
        faults += past.node.faults
        return past.node
    parts = None if past is None else _parts(written)
    if parts is None:
        return _node(_decoded(written), where, level, faults)
    return _node(_opened(parts), where, level, faults, past)


def _node(
    written: object, where: str, level: int, faults: list[str], past: _Past | None = None
) -> Node | None:
    before = len(faults)
    node = fields.mapping(written, where, faults)
    name = node.get("name")
    if not fields.is_text(name, _LONGEST):
        if isinstance(written, dict):
            faults.append(f"{where}.name: must be a name, got {fields.shown(name)}")
        return None
    below = fields.sequence(node.get("children"), f"{where}.children", faults, _MOST)
    if below and level == DEEPEST:
        faults.append(f"{where}.children: is deeper than {DEEPEST} levels")
        below = ()
    attributes = fields.mapping(node.get("attributes"), f"{where}.attributes", faults)
    unknown = {f"attributes.{fields.shown_key(key)}" for key in attributes.keys() - {_FLAVORS}}
    known = _below(past)
    children = [
        _child(child, at, level + 1, faults, known.get(at))
        for index, child in enumerate(below)
        for at in [f"{where}.children[{index}]"]
    ]
    return Node(
        where,
        name,
        amounts.read_field(node.get("min"), f"{where}.min", faults),
        amounts.read_field(node.get("max"), f"{where}.max", faults),
        _namespaces(node.get("namespaces"), f"{where}.namespaces", faults),
        tuple(child for child in children if child is not None),
        _flavors(attributes.get(_FLAVORS), f"{where}.attributes.{_FLAVORS}", faults),
        tuple(sorted({fields.shown_key(key) for key in node.keys() - _FIELDS} | unknown)),
        tuple(faults[before:]),
    )


def _root_of(tree: QuotaTree | None) -> _Past | None:
    if tree is None or tree.text is None or tree.root is None:
        return None
    if tree.texts:
        return _Past(tree.root, None, tree.texts)
    parts = _root_parts(tree.text)
    return None if parts is None else _Past(tree.root, None, _texts(parts.get("children", _NULL)))


def _below(past: _Past | None) -> dict[str, _Past]:
    """The children that were read before, by their paths."""
    if past is None or not past.node.children:
        return {}
    parts = None if past.text is None else _parts(past.text)
    texts = past.texts if parts is None else _texts(parts["children"])
    found = {f"{past.node.where}.children[{index}]": text for index, text in enumerate(texts)}
    return {child.where: _Past(child, found[child.where]) for child in past.node.children}


def _opened(parts: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
    """A decoded node; each of its children stays text."""
    return {
        key: _texts(part) if key == "children" else _decoded(part) for key, part in parts.items()
    }


def _root_parts(spec: msgspec.Raw) -> dict[str, msgspec.Raw] | None:
    """The entries of the root; None if ``spec`` or the root has another shape."""
    try:
        return shallow.decode(_MAPS.decode, spec).get("root")
    except msgspec.ValidationError:
        return None


def _parts(written: Any) -> dict[str, msgspec.Raw] | None:
    """The entries of a text that is a map, else None."""
    if not isinstance(written, msgspec.Raw):
        return None
    try:
        return shallow.decode(_PARTS.decode, written)
    except msgspec.ValidationError:
        return None


def _texts(text: msgspec.Raw) -> Any:
    """The items of a list as texts, or the decoded value if it is no list."""
    try:
        return shallow.decode(_ITEMS.decode, text)
    except msgspec.ValidationError:
        return _decoded(text)


def _decoded(written: Any) -> Any:
    return shallow.decode(_ANY.decode, written) if isinstance(written, msgspec.Raw) else written


def _flavors(written: object, where: str, faults: list[str]) -> tuple[str, ...]:
    if written is None:
        return ()
    if not fields.is_text(written, _MOST):
        faults.append(f"{where}: must be names with commas between, got {fields.shown(written)}")
        return ()
    return tuple(sorted({name.strip() for name in written.split(",")} - {""}))


def _namespaces(written: object, where: str, faults: list[str]) -> tuple[str, ...]:
    found = []
    for index, name in enumerate(fields.sequence(written, where, faults, _MOST)):
        if fields.is_name(name):
            found.append(name)
        else:
            faults.append(f"{where}[{index}]: must name a namespace, got {fields.shown(name)}")
    return tuple(found)
