"""ElasticQuotaTree manifest -> the tree as written (``scheduling.sigs.k8s.io/v1beta1``; Q1, Q2).

The schema of the kind cannot recurse, so everything below ``spec`` may have any shape.
"""

from typing import Final

from elasticquota import names
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import SpecManifest


_ROOT: Final = "spec.root"
DEEPEST: Final = 32
"""Levels that are read; our own trees have the same limit (EQ1101)."""

_MOST: Final = 4096
_LONGEST: Final = 253
_FIELDS: Final = frozenset({"name", "min", "max", "children", "namespaces", "attributes"})
_FLAVORS: Final = "resourceflavors"


class TreeQuota(Struct, frozen=True):
    """One quota of the tree."""

    where: str
    """Its field path."""
    name: str
    min: Resources = field(default_factory=dict)
    max: Resources = field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    children: tuple["TreeQuota", ...] = ()
    flavors: tuple[str, ...] = ()
    """Names of flavors, each once, in order."""
    others: tuple[str, ...] = ()
    """Other fields that it has, sorted."""


class QuotaTree(Struct, frozen=True):
    """One ElasticQuotaTree."""

    key: Key
    created: str
    uid: str
    profile: str = ""
    """The ElasticQuotaProfile that it names, as written; empty: it is for the default tree."""
    root: TreeQuota | None = None
    """None if the root is absent or unreadable."""
    faults: tuple[Fault, ...] = ()


def read(manifest: SpecManifest) -> QuotaTree:
    """Return the tree; ``faults`` names each unreadable part with its path."""
    meta = manifest.metadata
    faults: list[Fault] = []
    spec = fields.mapping(manifest.spec, "spec", faults)
    root = None
    if spec.get("root") is not None:
        root = _node(spec["root"], _ROOT, 1, faults)
    elif not faults:
        faults.append(Fault(_ROOT, "must be given"))
    profile = meta.annotation(names.TREE_PROFILE)
    return QuotaTree(meta.key, meta.created, meta.uid, profile, root, tuple(faults))


def _node(written: object, where: str, level: int, faults: list[Fault]) -> TreeQuota | None:
    node = fields.mapping(written, where, faults)
    name = node.get("name")
    if not fields.is_text(name, _LONGEST):
        if isinstance(written, dict):
            faults.append(fields.mismatch(f"{where}.name", "a name", name))
        return None
    below = fields.sequence(node.get("children"), f"{where}.children", faults, _MOST)
    if below and level == DEEPEST:
        faults.append(Fault(f"{where}.children", f"is deeper than {DEEPEST} levels"))
        below = ()
    attributes = fields.mapping(node.get("attributes"), f"{where}.attributes", faults)
    unknown = {f"attributes.{fields.shown_key(key)}" for key in attributes.keys() - {_FLAVORS}}
    children = [
        _node(child, f"{where}.children[{index}]", level + 1, faults)
        for index, child in enumerate(below)
    ]
    return TreeQuota(
        where,
        name,
        amounts.read_field(node.get("min"), f"{where}.min", faults),
        amounts.read_field(node.get("max"), f"{where}.max", faults),
        _namespaces(node.get("namespaces"), f"{where}.namespaces", faults),
        tuple(child for child in children if child is not None),
        _flavors(attributes.get(_FLAVORS), f"{where}.attributes.{_FLAVORS}", faults),
        tuple(sorted({fields.shown_key(key) for key in node.keys() - _FIELDS} | unknown)),
    )


def _flavors(written: object, where: str, faults: list[Fault]) -> tuple[str, ...]:
    if written is None:
        return ()
    if not fields.is_text(written, _MOST):
        faults.append(fields.mismatch(where, "names with commas between", written))
        return ()
    return tuple(sorted({name.strip() for name in written.split(",")} - {""}))


def _namespaces(written: object, where: str, faults: list[Fault]) -> tuple[str, ...]:
    found = []
    for index, name in enumerate(fields.sequence(written, where, faults, _MOST)):
        if fields.is_name(name):
            found.append(name)
        else:
            faults.append(
                Fault(f"{where}[{index}]", f"must name a namespace, got {fields.shown(name)}")
            )
    return tuple(found)
