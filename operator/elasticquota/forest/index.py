"""Looks up children by parent, and quotas by the namespaces that they bind.

It reads the fields of the quotas themselves, so a quota that is in no tree counts too. It is
updated edit by edit, and a lookup costs as much as its answer is long, however many quotas exist.
"""

from collections.abc import Callable, Iterable, Mapping

from elasticquota.model.quota import Quota
from elasticquota.structs import Struct


Lists = Mapping[str, tuple[str, ...]]
"""Names of quotas, sorted; no list is empty."""


class ForestIndex(Struct, frozen=True):
    """The index of the quotas that hold their names."""

    children: Lists
    """By the name of the parent, which may not exist; no quota is its own child."""
    binders: Lists
    """By namespace, the quotas that bind it, by a list or by its name."""

    def after(self, old: Quota | None, new: Quota | None) -> "ForestIndex":
        """Return the index after an edit of one quota; None: it did not exist, or does no more."""
        return ForestIndex(
            _after(self.children, _parents, old, new), _after(self.binders, namespaces, old, new)
        )


def of(quotas: Iterable[Quota]) -> ForestIndex:
    """Build the index of quotas with different names."""
    children: dict[str, list[str]] = {}
    binders: dict[str, list[str]] = {}
    for quota in sorted(quotas, key=lambda each: each.name):
        for parent in _parents(quota):
            children.setdefault(parent, []).append(quota.name)
        for namespace in namespaces(quota):
            binders.setdefault(namespace, []).append(quota.name)
    return ForestIndex(_frozen(children), _frozen(binders))


def _parents(quota: Quota | None) -> frozenset[str]:
    if quota is None or quota.parent == quota.name:
        return frozenset()
    return frozenset({quota.parent})


def namespaces(quota: Quota | None) -> frozenset[str]:
    """Return the namespaces that the quota binds; none of one that is not there."""
    return frozenset() if quota is None else quota.bound


def _frozen(lists: Mapping[str, list[str]]) -> Lists:
    return {name: tuple(found) for name, found in lists.items()}


def _after(
    lists: Lists,
    keys: Callable[[Quota | None], frozenset[str]],
    old: Quota | None,
    new: Quota | None,
) -> Lists:
    edited, moved = new or old, keys(old) ^ keys(new)
    if edited is None or not moved:
        return lists
    changed = dict(lists)
    for key in moved:
        names = {edited.name}.symmetric_difference(changed.pop(key, ()))
        if names:
            changed[key] = tuple(sorted(names))
    return changed
