"""ACK's ElasticQuotaTree: each node is a quota, named by its path like the queue of its leaf (Q9).

The root node stands for what the cluster has, as our default tree does, so its children are the
first level: they follow the nodes, and their guarantees may go beyond them (the published example's
do). A root that has namespaces and no children is a quota. One tree counts, the oldest in
kube-system (Q1).

Not taken over: flavors (Q24) and the limit of running jobs (Q15).
"""

from collections.abc import Iterable, Iterator
from typing import Final

from elasticquota import names, resources
from elasticquota.dialects import assembly, translation
from elasticquota.dialects.translation import Draft, Path, Remark, Translation
from elasticquota.wire.ack_trees import Node, QuotaTree


KIND: Final = names.TREE_KIND
HOME: Final = "kube-system"
_FLAVORS: Final = "attributes"


def translate(trees: Iterable[QuotaTree], home: str = HOME) -> Translation:
    """The quotas of the tree that counts; they live in the namespace ``home``."""
    remarks: list[Remark] = []
    candidates = []
    for tree in trees:
        # Without a namespace it is a file that says nothing about it.
        if tree.key.namespace in ("", HOME):
            candidates.append(tree)
        else:
            text = f"has no effect outside {HOME}; not taken over"
            remarks.append(Remark(_source(tree), "metadata.namespace", text))
    if not candidates:
        return assembly.build((), remarks)
    first, *others = sorted(candidates, key=_age)
    text = f"one tree counts, and that is {first.key.name}; not taken over"
    remarks += [Remark(_source(other), "", text) for other in others]
    remarks += translation.of_faults(_source(first), first.faults)
    if first.root is None:
        return assembly.build((), remarks)
    drafts: list[Draft] = []
    _add(first.root, (first.root.name,), _source(first), home, drafts, remarks)
    root = drafts[0]
    if first.root.children or not root.namespaces:
        drafts = drafts[1:]
        remarks += _of_root(root)
    return assembly.build(drafts, remarks)


def in_force(trees: Iterable[QuotaTree]) -> QuotaTree | None:
    """The one that counts of trees that are stored."""
    candidates = (tree for tree in trees if tree.key.namespace == HOME)
    return min(candidates, key=_age, default=None)


def _age(tree: QuotaTree) -> tuple[str, str, str, str]:
    # In a file there is no uid.
    return (tree.created, tree.uid, tree.key.name, "" if tree.uid else repr(tree))


def _source(tree: QuotaTree) -> str:
    return f"{KIND} {tree.key}" if tree.key.namespace else f"{KIND} {tree.key.name}"


def _of_root(root: Draft) -> Iterator[Remark]:
    if root.min or root.max:
        stated = resources.text(resources.maximum(root.min, root.max))
        figures = ", ".join(f"{key} {amount}" for key, amount in stated.items())
        text = f"{figures}: no limit here, the tree has what its nodes offer"
        yield root.remark("max" if root.max else "min", text)
    if root.namespaces:
        yield root.remark("namespaces", "only leaves have namespaces; not bound")


def _add(
    node: Node, path: Path, source: str, home: str, drafts: list[Draft], remarks: list[Remark]
) -> None:
    """The node, then everything below it."""
    draft = Draft(
        path,
        source,
        node.where,
        home,
        origin=f"ack:{'/'.join(path)}",
        min={key: amount for key, amount in node.min.items() if key != names.MAX_JOBS},
        max=node.max,
        is_parent=bool(node.children),
        namespaces=node.namespaces,
    )
    remarks += _left_out(node, draft)
    drafts.append(draft)
    for child in node.children:
        _add(child, (*path, child.name), source, home, drafts, remarks)


def _left_out(node: Node, draft: Draft) -> Iterator[Remark]:
    if names.MAX_JOBS in node.min:
        yield draft.remark(f"min.{names.MAX_JOBS}", "no number of jobs is guaranteed; left out")
    for other in node.others:
        if other == _FLAVORS:
            text = (
                f"flavors are not taken over; for nodes of its own, a tree has an "
                f"{names.PROFILE_KIND}"
            )
        else:
            text = "is no field of a node; left out"
        yield draft.remark(other, text)
