"""Translates HNC's hierarchy of namespaces and its HierarchicalResourceQuotas.

A HierarchicalResourceQuota limits the pods of its namespace and of all namespaces below it. So a
namespace is a quota with that as max, below the quota of its parent. Pods run in every namespace
there, and here only in leaves: a namespace with children is a parent quota ``NAME-tree``, and its
own pods belong to a leaf below that, which has its name as all leaves do. No pod may name the quota
of another namespace. min is 0: HNC guarantees nothing.

A hierarchy without any quota is not taken over.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from elasticquota import resources
from elasticquota.integrations.translation import assembly, translation
from elasticquota.integrations.translation.translation import (
    Draft,
    Path,
    Translation,
    TranslationWarning,
)
from elasticquota.resources import Resources
from elasticquota.wire.codec import fields
from elasticquota.wire.kubernetes.resource_quotas import ResourceQuota
from elasticquota_import.manifests import hnc_namespaces
from elasticquota_import.manifests.hnc_namespaces import Parentage
from elasticquota_import.translators import lineage, resource_quota


HOME: Final = "kube-system"
DIALECT: Final = "hnc"
_OWN: Final = "."
"""Last name in the path of a leaf for own pods; no namespace can have it."""


def translate(
    quotas: Iterable[ResourceQuota], parentages: Iterable[Parentage], home: str = HOME
) -> Translation:
    """Translate HierarchicalResourceQuotas, which have the form of ResourceQuotas."""
    warnings: list[TranslationWarning] = []
    hard = _hard(quotas, warnings)
    chosen = _parents(parentages, warnings)
    parents = {name: each.parent for name, each in chosen.items()}
    for name in {*hard, *parents.values()} - parents.keys() - {""}:
        parents[name] = ""
    paths, faults = lineage.trace(parents)
    limited = {paths[name][0] for name in hard if name in paths}
    within = {name: path for name, path in paths.items() if path[0] in limited}
    for name, text in faults.items():
        if name in within or name not in paths:
            warnings.append(TranslationWarning(chosen[name].source, chosen[name].where, text))
    inner = {path[-2] for path in within.values() if len(path) > 1}
    drafts = [
        draft
        for name, path in within.items()
        for draft in _drafts(name, path, hard.get(name, {}), home, is_parent=name in inner)
    ]
    return assembly.build(drafts, warnings, parents.keys())


def _hard(
    quotas: Iterable[ResourceQuota], warnings: list[TranslationWarning]
) -> dict[str, Resources]:
    """The limits of each namespace: all its quotas apply, so the smallest limit counts."""
    limits: dict[str, Resources] = {}
    for quota in quotas:
        space, name = map(fields.shown_key, quota.key)
        source = f"{hnc_namespaces.QUOTA} {space}/{name}"
        warnings += translation.of_faults(source, quota.faults)
        if not fields.is_name(quota.key.namespace):
            text = f"must name a namespace, got {fields.shown(quota.key.namespace)}; not taken over"
            warnings.append(TranslationWarning(source, "metadata.namespace", text))
            continue
        if resource_quota.is_counted(quota, source, "HNC for it", warnings):
            before = limits.get(quota.key.namespace, {})
            limits[quota.key.namespace] = resources.minimum(before, quota.hard)
    return limits


def _parents(
    parentages: Iterable[Parentage], warnings: list[TranslationWarning]
) -> dict[str, Parentage]:
    """The parentage that counts for each namespace; others that differ are reported."""
    rivals: dict[str, list[Parentage]] = defaultdict(list)
    for each in parentages:
        warnings += translation.of_faults(each.source, each.faults)
        if fields.is_name(each.child):
            rivals[each.child].append(each)
        else:
            text = f"must name a namespace, got {fields.shown(each.child)}; left out"
            warnings.append(TranslationWarning(each.source, "metadata", text))
    chosen: dict[str, Parentage] = {}
    for child, candidates in rivals.items():
        # A Namespace without the annotation says nothing against the others.
        first, *others = sorted(
            candidates, key=lambda each: (not each.parent and each.rank == 2, each)
        )
        chosen[child] = first
        for other in others:
            if other.parent and other.parent != first.parent:
                parent = fields.shown(first.parent) if first.parent else "none"
                text = f"by {first.source} the parent is {parent}; left out"
                warnings.append(TranslationWarning(other.source, other.where, text))
    return chosen


def _drafts(
    name: str, path: Path, hard: Resources, home: str, *, is_parent: bool
) -> Iterator[Draft]:
    own = Draft(
        path,
        f"Namespace {name}",
        "",
        home,
        origin=f"{DIALECT}:{name}",
        name=f"{name}-tree" if is_parent else name,
        max=hard,
        is_parent=is_parent,
        namespaces=() if is_parent else (name,),
        allowed_namespaces=() if not is_parent else None,
    )
    yield own
    if is_parent:
        yield own._replace(
            path=(*path, _OWN),
            origin=f"{DIALECT}:{name}/",
            name=name,
            max={},
            is_parent=False,
            namespaces=(name,),
            allowed_namespaces=(),
        )
