"""Who names whom: children by parent, and quotas by the namespaces that they bind.

By what quotas say of themselves, so that one that is attached nowhere counts too. Kept beside the
quotas and brought up to date edit by edit: a question costs what the answer has, not what the
cluster has.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from elasticquota.model.quota import Quota


Lists = Mapping[str, tuple[str, ...]]
"""Names of quotas, sorted; nothing is empty."""


@dataclass(frozen=True, slots=True)
class ForestIndex:
    """Of the quotas that hold their names."""

    children: Lists
    """By the name of a parent, whether there is such a quota; nobody is its own child."""
    binders: Lists
    """By namespace."""

    def after(self, old: Quota | None, new: Quota | None) -> "ForestIndex":
        """``old`` has become ``new``; None: there was, or is, none."""
        children = _after(self.children, _parents(old), _parents(new), old, new)
        binders = _after(self.binders, _namespaces(old), _namespaces(new), old, new)
        return ForestIndex(children, binders)


def of(quotas: Iterable[Quota]) -> ForestIndex:
    """Of any quotas whose names differ."""
    children: dict[str, list[str]] = {}
    binders: dict[str, list[str]] = {}
    for quota in sorted(quotas, key=lambda each: each.name):
        for parent in _parents(quota):
            children.setdefault(parent, []).append(quota.name)
        for namespace in _namespaces(quota):
            binders.setdefault(namespace, []).append(quota.name)
    return ForestIndex(_frozen(children), _frozen(binders))


def _parents(quota: Quota | None) -> frozenset[str]:
    if quota is None or quota.parent == quota.name:
        return frozenset()
    return frozenset({quota.parent})


def _namespaces(quota: Quota | None) -> frozenset[str]:
    return frozenset() if quota is None else frozenset(quota.namespaces)


def _frozen(lists: Mapping[str, list[str]]) -> Lists:
    return {name: tuple(found) for name, found in lists.items()}


def _after(
    lists: Lists,
    before: frozenset[str],
    now: frozenset[str],
    old: Quota | None,
    new: Quota | None,
) -> Lists:
    if before == now:
        return lists
    changed = dict(lists)
    for key in before | now:
        names = {*changed.pop(key, ())}
        if old is not None:
            names.discard(old.name)
        if new is not None and key in now:
            names.add(new.name)
        if names:
            changed[key] = tuple(sorted(names))
    return changed
