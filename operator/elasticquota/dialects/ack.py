"""ACK's ElasticQuotaTree: each node is a quota, named by its path like the queue of its leaf (Q9).

The root node stands for what the cluster has, as our default tree does, so its children are the
first level: they follow the nodes, and their guarantees may go beyond them (the published example's
do). A root that has namespaces and no children is a quota.

One tree counts, the oldest in kube-system (Q1). One that is annotated with a profile rules the tree
of that profile instead, the oldest of each: its first level hangs below the profile's root quota,
and the profile's name leads its quotas' names, so that nobody else's depend on whether it is there.
While there is no such root quota nothing is made, and what was made stays as it is.

The pods of a leaf with flavors run on their nodes (Q24). A limit of running jobs (Q15) is one in
max; in min it is not taken over.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from elasticquota import names, resources
from elasticquota.dialects import assembly, translation
from elasticquota.dialects import flavors as of_flavors
from elasticquota.dialects.flavors import Flavors
from elasticquota.dialects.pools import Pools
from elasticquota.dialects.translation import Draft, Path, Remark, Translation
from elasticquota.wire import fields
from elasticquota.wire.ack_trees import Node, QuotaTree


KIND: Final = names.TREE_KIND
HOME: Final = "kube-system"
_BINDING: Final = f"metadata.annotations[{names.TREE_PROFILE}]"
_NO_POOLS: Final[Pools] = {}
_NO_FLAVORS: Final[Flavors] = {}


class _Place(NamedTuple):
    """Where the quotas of one tree are."""

    source: str
    home: str
    below: str | None
    lead: Path
    """What comes before the path of a node, and is no name that a node can have."""
    prefix: str
    flavors: Flavors

    def draft(self, node: Node, path: Path) -> Draft:
        return Draft(
            (*self.lead, *path),
            self.source,
            node.where,
            self.home,
            origin=f"ack:{'/'.join(path)}",
            name="-".join((self.prefix, *path)) if self.prefix else "",
            min={key: amount for key, amount in node.min.items() if key != names.MAX_JOBS},
            max=node.max,
            is_parent=bool(node.children),
            namespaces=node.namespaces,
            nodes=of_flavors.nodes(() if node.children else node.flavors, self.flavors),
            below=self.below,
        )


def translate(
    trees: Iterable[QuotaTree],
    home: str = HOME,
    pools: Pools = _NO_POOLS,
    flavors: Flavors = _NO_FLAVORS,
) -> Translation:
    """The quotas of the trees that count; they live in the namespace ``home``."""
    remarks: list[Remark] = []
    candidates = []
    for tree in trees:
        # Without a namespace it is a file that says nothing about it.
        if tree.key.namespace in ("", HOME):
            candidates.append(tree)
        else:
            text = f"has no effect outside {HOME}; not taken over"
            remarks.append(Remark(source(tree), "metadata.namespace", text))
    drafts: list[Draft] = []
    for first, others in _by_profile(candidates):
        whose = f"of profile {_shown(first)} " if first.profile else ""
        text = f"one tree {whose}counts, and that is {first.key.name}; not taken over"
        remarks += [Remark(source(other), "", text) for other in others]
        remarks += translation.of_faults(source(first), first.faults)
        if first.root is not None:
            place = _place(first, home, pools, flavors)
            drafts += _drafts(first, first.root, place, pools, remarks)
    return assembly.build(drafts, remarks)


def in_force(trees: Iterable[QuotaTree]) -> list[QuotaTree]:
    """Those that count of trees that are stored."""
    candidates = [tree for tree in trees if tree.key.namespace == HOME]
    return [first for first, _ in _by_profile(candidates)]


def source(tree: QuotaTree) -> str:
    """The tree in remarks."""
    return f"{KIND} {tree.key}" if tree.key.namespace else f"{KIND} {tree.key.name}"


def _by_profile(trees: Iterable[QuotaTree]) -> list[tuple[QuotaTree, list[QuotaTree]]]:
    """The one that counts, and the others that would."""
    rivals: dict[str, list[QuotaTree]] = defaultdict(list)
    for tree in sorted(trees, key=_age):
        rivals[tree.profile].append(tree)
    return [(first, others) for _, (first, *others) in sorted(rivals.items())]


def _age(tree: QuotaTree) -> tuple[str, str, str, str]:
    # In a file there is no uid.
    return (tree.created, tree.uid, tree.key.name, "" if tree.uid else repr(tree))


def _drafts(
    tree: QuotaTree, root: Node, place: _Place, pools: Pools, remarks: list[Remark]
) -> list[Draft]:
    if place.below is None:
        what = "its root quota is not there" if tree.profile in pools else "there is none"
        text = f"waits for {names.PROFILE_KIND} {_shown(tree)}: {what}; no quota is made or changed"
        remarks.append(Remark(place.source, _BINDING, text))
    drafts: list[Draft] = []
    _add(root, (root.name,), place, drafts, remarks)
    if root.children or not root.namespaces:
        remarks += _of_root(drafts[0])
        return drafts[1:]
    return drafts


def _place(tree: QuotaTree, home: str, pools: Pools, flavors: Flavors) -> _Place:
    if not tree.profile:
        return _Place(source(tree), home, names.ROOT_QUOTA, (), "", flavors)
    below = pools.get(tree.profile) or None
    prefix = tree.profile.rpartition("/")[2]
    return _Place(source(tree), home, below, ("", tree.profile), prefix, flavors)


def _shown(tree: QuotaTree) -> str:
    return fields.shown(tree.profile)


def _of_root(root: Draft) -> Iterator[Remark]:
    if root.min or root.max:
        stated = resources.text(resources.maximum(root.min, root.max))
        figures = ", ".join(f"{key} {amount}" for key, amount in stated.items())
        text = f"{figures}: no limit here, the tree has what its nodes offer"
        yield root.remark("max" if root.max else "min", text)
    if root.namespaces:
        yield root.remark("namespaces", "only leaves have namespaces; not bound")


def _add(node: Node, path: Path, place: _Place, drafts: list[Draft], remarks: list[Remark]) -> None:
    """The node, then everything below it."""
    draft = place.draft(node, path)
    remarks += of_flavors.remarks(node.flavors, place.flavors, draft)
    remarks += _left_out(node, draft)
    drafts.append(draft)
    for child in node.children:
        _add(child, (*path, child.name), place, drafts, remarks)


def _left_out(node: Node, draft: Draft) -> Iterator[Remark]:
    if names.MAX_JOBS in node.min:
        yield draft.remark(f"min.{names.MAX_JOBS}", "no number of jobs is guaranteed; left out")
    for other in node.others:
        yield draft.remark(other, "is no field of a node; left out")
