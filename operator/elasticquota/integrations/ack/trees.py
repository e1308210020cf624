"""Translates ACK's ElasticQuotaTree: each node is a quota, named by its path like ACK's queue (Q9).

The root node stands for the resources of the cluster, as our default tree does. So without a max
its children are the first level: they follow the nodes of the cluster, and their guarantees may
exceed them. A root with a max becomes a quota above its children that limits their sum. Its min is
the sum of theirs, and its max is at least that: the published example guarantees 102 CPUs below a
root of 100, and the root's max must not cost a team its guarantee. A root with namespaces and
without children is a quota, too.

One tree counts, the oldest in kube-system (Q1). A tree with a profile's annotation defines the tree
of that profile instead; the oldest for each profile counts. Its first level hangs below the
profile's root quota, and its quotas' names start with the profile's name, so that the names of
other quotas do not depend on it. While that root quota does not exist, no quota of the tree is made
or changed.

The pods of a leaf with flavors run on the nodes of these flavors (Q24). Where the profile of the
tree has a pool of the name of a flavor, its nodes are those of the pool, and what a leaf with this
flavor alone may hold of devices, it may hold of this pool. A limit of running jobs
(Q15) is part of max; in min it is not taken over.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from elasticquota import names
from elasticquota.forest import wording
from elasticquota.integrations.ack import flavors as of_flavors
from elasticquota.integrations.ack.flavors import Flavors
from elasticquota.integrations.ack.pools import Kinds, Pools
from elasticquota.integrations.translation import assembly, translation
from elasticquota.integrations.translation.translation import (
    Draft,
    Path,
    Translation,
    TranslationWarning,
)
from elasticquota.model.pools import Pools as KindsOfNode
from elasticquota.model.selector import EVERYTHING
from elasticquota.resources import Resources
from elasticquota.wire.codec import fields
from elasticquota.wire.integrations.ack_trees import QuotaTree, TreeQuota


KIND: Final = names.TREE_KIND
HOME: Final = "kube-system"
_BINDING: Final = f"metadata.annotations[{names.TREE_PROFILE}]"
_NO_POOLS: Final[Pools] = {}
_NO_FLAVORS: Final[Flavors] = {}
_NO_KINDS: Final[Kinds] = {}


class _Place(NamedTuple):
    """Where the quotas of one tree hang."""

    source: str
    home: str
    below: str | None
    lead: Path
    """Prefix for the paths of nodes; no node can have such a name."""
    prefix: str
    flavors: Flavors
    kinds: KindsOfNode | None = None
    """The pools of the profile."""

    def draft(self, node: TreeQuota, path: Path) -> Draft:
        return Draft(
            (*self.lead, *path),
            self.source,
            node.where,
            self.home,
            origin=f"ack:{'/'.join(path)}",
            name="-".join((self.prefix, *path)) if self.prefix else "",
            min=self._in_pool(node, _guarantee(node.min)),
            max=self._in_pool(node, node.max),
            is_parent=bool(node.children),
            namespaces=node.namespaces,
            nodes=EVERYTHING if node.children else of_flavors.nodes(node.flavors, self.flavors),
            below=self.below,
        )

    def _in_pool(self, node: TreeQuota, amounts: Resources) -> Resources:
        """The amounts of a leaf with one flavor are those of its pool, too."""
        pool = node.flavors[0] if len(node.flavors) == 1 and not node.children else ""
        if self.kinds is None or pool not in self.kinds.names:
            return amounts
        return self.kinds.inside(pool, amounts)


def _guarantee(low: Resources) -> Resources:
    if names.MAX_JOBS not in low:
        return low
    return {key: amount for key, amount in low.items() if key != names.MAX_JOBS}


def translate(
    trees: Iterable[QuotaTree],
    home: str = HOME,
    pools: Pools = _NO_POOLS,
    flavors: Flavors = _NO_FLAVORS,
    kinds: Kinds = _NO_KINDS,
) -> Translation:
    """Translate the trees that count; their quotas are in the namespace ``home``.

    ``kinds`` are the kinds of node that profiles name as pools.
    """
    warnings: list[TranslationWarning] = []
    candidates = []
    for tree in trees:
        # Without a namespace the tree is from a file that names none.
        if tree.key.namespace in ("", HOME):
            candidates.append(tree)
        else:
            text = f"has no effect outside {HOME}; not taken over"
            warnings.append(TranslationWarning(source(tree), "metadata.namespace", text))
    drafts: list[Draft] = []
    for first, others in _by_profile(candidates):
        whose = f"of profile {_shown(first)} " if first.profile else ""
        text = f"one tree {whose}counts, and that is {first.key.name}; not taken over"
        warnings += [TranslationWarning(source(other), "", text) for other in others]
        warnings += translation.of_faults(source(first), first.faults)
        if first.root is not None:
            place = _place(first, home, pools, flavors, kinds.get(first.profile))
            drafts += _drafts(first, first.root, place, pools, warnings)
    return assembly.build(drafts, warnings)


def in_force(trees: Iterable[QuotaTree]) -> list[QuotaTree]:
    """The stored trees that count, one for each profile."""
    candidates = [tree for tree in trees if tree.key.namespace == HOME]
    return [first for first, _ in _by_profile(candidates)]


def source(tree: QuotaTree) -> str:
    """The name of the tree in warnings."""
    return f"{KIND} {tree.key}" if tree.key.namespace else f"{KIND} {tree.key.name}"


def _by_profile(trees: Iterable[QuotaTree]) -> list[tuple[QuotaTree, list[QuotaTree]]]:
    """For each profile, the tree that counts and its rivals."""
    rivals: dict[str, list[QuotaTree]] = defaultdict(list)
    for tree in sorted(trees, key=translation.age):
        rivals[tree.profile].append(tree)
    return [(first, others) for _, (first, *others) in sorted(rivals.items())]


def _drafts(
    tree: QuotaTree,
    root: TreeQuota,
    place: _Place,
    pools: Pools,
    warnings: list[TranslationWarning],
) -> Iterator[Draft]:
    """The drafts of a tree; its root has one only if it limits or holds something itself."""
    if place.below is None:
        what = "its root quota is not there" if tree.profile in pools else "there is none"
        text = f"waits for {names.PROFILE_KIND} {_shown(tree)}: {what}; no quota is made or changed"
        warnings.append(TranslationWarning(place.source, _BINDING, text))
    for node, path in _walk(root, (root.name,)):
        draft = place.draft(node, path)
        warnings += _warnings(node, draft, place)
        if node is not root or (root.namespaces and not root.children):
            yield draft
        elif root.max and root.children:
            yield draft._replace(covers_children=True)
        else:
            warnings += _of_root(draft)


def _walk(node: TreeQuota, path: Path) -> Iterator[tuple[TreeQuota, Path]]:
    """The node and all nodes below it, with their paths."""
    yield node, path
    for child in node.children:
        yield from _walk(child, (*path, child.name))


def _place(
    tree: QuotaTree, home: str, pools: Pools, flavors: Flavors, kinds: KindsOfNode | None
) -> _Place:
    if not tree.profile:
        return _Place(source(tree), home, names.ROOT_QUOTA, (), "", flavors)
    below = pools.get(tree.profile) or None
    prefix = tree.profile.rpartition("/")[2]
    if kinds is not None:
        flavors = {**flavors, **{pool.name: dict(pool.labels) for pool in kinds.pools}}
    return _Place(source(tree), home, below, ("", tree.profile), prefix, flavors, kinds)


def _shown(tree: QuotaTree) -> str:
    return fields.shown(tree.profile)


def _of_root(root: Draft) -> Iterator[TranslationWarning]:
    if root.min:
        text = f"{wording.amounts(root.min)}: no limit here, the tree has what its nodes offer"
        yield root.warning("min", text)
    if root.namespaces:
        yield root.warning("namespaces", "only leaves have namespaces; not bound")


def _warnings(node: TreeQuota, draft: Draft, place: _Place) -> Iterator[TranslationWarning]:
    if node.flavors:
        yield from of_flavors.warnings(node.flavors, place.flavors, draft)
    if names.MAX_JOBS in node.min:
        yield draft.warning(f"min.{names.MAX_JOBS}", "no number of jobs is guaranteed; left out")
    for other in node.others:
        yield draft.warning(other, "is no field of a node; left out")
