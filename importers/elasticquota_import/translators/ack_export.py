"""Our quotas as ACK's ElasticQuotaTrees, the way back of ``trees``.

The default tree becomes a tree without a max on its root; the tree of a profile names the profile.
A node has the name of its quota, its min, its max and its place, and a leaf its namespaces.
``trees`` reads the same from it; there the names of quotas are the paths of their nodes.

ACK's nodes have no other fields. What they cannot say is a warning: a shared weight, lending that
is off, and our other settings. Quotas that are not accepted are in no tree.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from elasticquota import names, resources
from elasticquota.forest.membership import Membership
from elasticquota.forest.structure import Forest, Tree
from elasticquota.integrations.ack import trees
from elasticquota.integrations.translation.translation import TranslationWarning
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


_ROOT: Final = "root"
"""The name of the root node, as in ACK's examples."""
_PLAIN: Final = Quota(Key("", ""), "", "")
_NO_FIELD: Final[Mapping[str, str]] = {
    "shared_weight": "spec.weight",
    "allow_lent": "spec.lends",
    "admission": names.ADMISSION,
    "strict_queue": "spec.queue.policy",
    "reclaim_grace": "spec.reclaim.grace",
    "preemption": "spec.reclaim.preemption",
    "over_max_delay": "spec.reclaim.overMaxDelay",
    "application_order": "spec.queue.applications",
    "orders_by_priority": "spec.queue.order",
    "nodes": "spec.nodeSelector",
    "limits": "spec.limits",
    "paused": "spec.paused",
    "strict_keys": names.STRICT_KEYS,
    "allowed_namespaces": "spec.access.pods",
    "child_namespaces": "spec.access.children",
}
"""Fields of a quota that a node does not have, with where it is ours."""


class Export(NamedTuple):
    """The ElasticQuotaTrees, and a warning for each difference."""

    documents: list[dict[str, Any]]
    """As manifests; the default tree first, then by profile."""
    warnings: tuple[TranslationWarning, ...]
    """Sorted."""


def export(forest: Forest) -> Export:
    """Return the trees of ``forest`` that have quotas besides the built-in ones."""
    warnings = [*_left_out(forest)]
    documents = []
    for _, tree in sorted(forest.trees.items()):
        exporter = _Exporter(forest, tree)
        children = [exporter.node(name) for name in exporter.children(tree.root)]
        if children:
            documents.append(_document(forest.quotas[tree.root], exporter.root_name, children))
        warnings += exporter.warnings
    return Export(documents, tuple(sorted(warnings)))


class _Exporter:
    """Makes the nodes of one tree and collects their warnings."""

    def __init__(self, forest: Forest, tree: Tree) -> None:
        self.warnings = [*_differences(forest.quotas[tree.root])]
        self.root_name = tree.root if _ROOT in tree.children else _ROOT
        self._forest = forest
        self._members = Membership(forest)
        self._tree = tree

    def children(self, name: str) -> list[str]:
        """The accepted quotas directly below; without the built-in ones."""
        below = self._tree.children[name]
        return [
            each
            for each in below
            if each not in names.RESERVED_QUOTAS and self._forest.accepted(each)
        ]

    def node(self, name: str) -> dict[str, Any]:
        """The node of a quota with all below it."""
        quota = self._forest.quotas[name]
        children = [self.node(each) for each in self.children(name)]
        namespaces = self._namespaces(quota, is_leaf=not children)
        self.warnings += _differences(quota)
        if quota.is_parent and not children:
            text = "a node without children is a leaf, and may have pods"
            self.warnings.append(_warning(quota, "spec.isParent", text))
        said = {
            "min": resources.text(quota.min),
            "max": resources.text(quota.max),
            "namespaces": namespaces,
            "children": children,
        }
        return {"name": name, **{field: value for field, value in said.items() if value}}

    def _namespaces(self, quota: Quota, *, is_leaf: bool) -> list[str]:
        """The namespaces whose pods belong to the quota without naming it."""
        own = {quota.key.namespace} if quota.key == Key(quota.name, quota.name) else set()
        bound = sorted({*quota.namespaces, *own})
        if bound and not is_leaf:
            text = f"only leaves have namespaces; {', '.join(bound[:5])} left out"
            self.warnings.append(_warning(quota, "spec.namespaces", text))
            return []
        held = [each for each in bound if self._members.binding(each) == quota.name]
        for each in bound:
            if each not in held:
                text = f"{each} belongs to quota {self._members.binding(each)}; left out"
                self.warnings.append(_warning(quota, "spec.namespaces", text))
        return held


def _document(root: Quota, name: str, children: list[dict[str, Any]]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": root.name, "namespace": trees.HOME}
    if root.profile:
        profile = str(Key(root.key.namespace, root.profile))
        metadata["annotations"] = {names.TREE_PROFILE: profile}
    return {
        "apiVersion": names.TREE_API,
        "kind": names.TREE_KIND,
        "metadata": metadata,
        "spec": {"root": {"name": name, "children": children}},
    }


def _differences(quota: Quota) -> Iterator[TranslationWarning]:
    keys = [key for field, key in _NO_FIELD.items() if _says(quota, field)]
    for key in (*keys, *(["spec.tree.guaranteeUsage"] if quota.guarantee_usage else ())):
        yield _warning(quota, key, "is no field of a node; left out")


def _says(quota: Quota, field: str) -> bool:
    return bool(getattr(quota, field) != getattr(_PLAIN, field))


def _left_out(forest: Forest) -> Iterable[TranslationWarning]:
    for name, quota in forest.quotas.items():
        if name not in names.RESERVED_QUOTAS and not forest.accepted(name):
            yield _warning(quota, "", "is not accepted; left out with all below it")
    default = forest.quotas[names.DEFAULT_QUOTA]
    if default.min or default.limits_something:
        yield _warning(default, "spec", "pods of no leaf have no quota in ACK; left out")


def _warning(quota: Quota, where: str, text: str) -> TranslationWarning:
    return TranslationWarning(f"{names.QUOTA_KIND} {quota.key}", where, text)
