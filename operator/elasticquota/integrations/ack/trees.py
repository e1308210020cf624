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

The pods of a leaf with flavors run on the nodes of these flavors (Q24). A limit of running jobs
(Q15) is part of max; in min it is not taken over.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from elasticquota import names, quantity, resources
from elasticquota.integrations.ack import flavors as of_flavors
from elasticquota.integrations.ack.flavors import Flavors
from elasticquota.integrations.ack.pools import Pools
from elasticquota.integrations.translation import assembly, branches, translation
from elasticquota.integrations.translation.assembly import Assembly
from elasticquota.integrations.translation.branches import Branch
from elasticquota.integrations.translation.translation import Draft, Path, TranslationWarning
from elasticquota.model.selector import EVERYTHING
from elasticquota.resources import Resources
from elasticquota.wire.codec import fields
from elasticquota.wire.integrations.ack_trees import Node, QuotaTree


KIND: Final = names.TREE_KIND
HOME: Final = "kube-system"
_BINDING: Final = f"metadata.annotations[{names.TREE_PROFILE}]"
_NO_POOLS: Final[Pools] = {}
_NO_FLAVORS: Final[Flavors] = {}


class _Place(NamedTuple):
    """Where the quotas of one tree hang."""

    source: str
    home: str
    below: str | None
    lead: Path
    """Prefix for the paths of nodes; no node can have such a name."""
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
            min=_promise(node.min),
            max=node.max,
            is_parent=bool(node.children),
            namespaces=node.namespaces,
            nodes=EVERYTHING if node.children else of_flavors.nodes(node.flavors, self.flavors),
            below=self.below,
        )


def _promise(low: Resources) -> Resources:
    if names.MAX_JOBS not in low:
        return low
    return {key: amount for key, amount in low.items() if key != names.MAX_JOBS}


def assemble(
    trees: Iterable[QuotaTree],
    home: str = HOME,
    pools: Pools = _NO_POOLS,
    flavors: Flavors = _NO_FLAVORS,
    before: Assembly = assembly.NOTHING,
) -> Assembly:
    """Translate the trees that count; their quotas are in the namespace ``home``.

    The parts of any earlier ``before`` that have not changed are reused.
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
    tops: list[Branch] = []
    for first, others in _by_profile(candidates):
        whose = f"of profile {_shown(first)} " if first.profile else ""
        text = f"one tree {whose}counts, and that is {first.key.name}; not taken over"
        warnings += [TranslationWarning(source(other), "", text) for other in others]
        warnings += translation.of_faults(source(first), first.faults)
        if first.root is not None:
            place = _place(first, home, pools, flavors)
            tops += _tops(first, first.root, place, pools, warnings, before.branches)
    return assembly.assemble(tops, warnings, before)


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
    for tree in sorted(trees, key=_age):
        rivals[tree.profile].append(tree)
    return [(first, others) for _, (first, *others) in sorted(rivals.items())]


def _age(tree: QuotaTree) -> tuple[str, str, str, str]:
    # A tree from a file has no uid.
    return (tree.created, tree.uid, tree.key.name, "" if tree.uid else repr(tree))


def _tops(
    tree: QuotaTree,
    root: Node,
    place: _Place,
    pools: Pools,
    warnings: list[TranslationWarning],
    before: Mapping[Path, Branch],
) -> Iterable[Branch]:
    """The branches of the first level of a tree."""
    if place.below is None:
        what = "its root quota is not there" if tree.profile in pools else "there is none"
        text = f"waits for {names.PROFILE_KIND} {_shown(tree)}: {what}; no quota is made or changed"
        warnings.append(TranslationWarning(place.source, _BINDING, text))
    path = (root.name,)
    if root.namespaces and not root.children:
        return [_branch((root,), path, place, before)]
    if root.max and root.children:
        return [_ceiling(root, path, place, before)]
    draft = place.draft(root, path)
    warnings += _told(root, draft, place)
    warnings += _of_root(draft)
    return _below((root,), path, place, before)


def _place(tree: QuotaTree, home: str, pools: Pools, flavors: Flavors) -> _Place:
    if not tree.profile:
        return _Place(source(tree), home, names.ROOT_QUOTA, (), "", flavors)
    below = pools.get(tree.profile) or None
    prefix = tree.profile.rpartition("/")[2]
    return _Place(source(tree), home, below, ("", tree.profile), prefix, flavors)


def _shown(tree: QuotaTree) -> str:
    return fields.shown(tree.profile)


def _of_root(root: Draft) -> Iterator[TranslationWarning]:
    if root.min:
        figures = ", ".join(f"{key} {amount}" for key, amount in resources.text(root.min).items())
        yield root.warning("min", f"{figures}: no limit here, the tree has what its nodes offer")
    if root.namespaces:
        yield root.warning("namespaces", "only leaves have namespaces; not bound")


def _ceiling(root: Node, path: Path, place: _Place, before: Mapping[Path, Branch]) -> Branch:
    """The branch of a root that limits the sum of its children."""
    made_of = (place, root)
    found = before.get((*place.lead, *path))
    if found is not None and found.made_of == made_of:
        return found
    known = {} if found is None else {branch.path: branch for branch in found.below}
    below = _below((root,), path, place, known)
    promised = resources.add(*(child.asked for child in below))
    draft = place.draft(root, path)
    said = list(_told(root, draft, place))
    said += _raised("min", draft, promised)
    said += _raised("max", draft, resources.maximum(draft.max, promised))
    limit = {key: max(amount, promised.get(key, 0)) for key, amount in draft.max.items()}
    return branches.grown([draft._replace(min=promised, max=limit)], below, said, made_of)


def _raised(side: str, draft: Draft, wanted: Resources) -> Iterator[TranslationWarning]:
    stated = draft.min if side == "min" else draft.max
    for key, before in stated.items():
        after = wanted.get(key, 0)
        if before == after:
            continue
        figures = f"from {quantity.text(key, before)} to {quantity.text(key, after)}"
        change = "raised" if before < after else "lowered"
        yield draft.warning(
            f"{side}.{key}", f"{change} {figures}, the sum of the min of its children"
        )


def _branch(
    nodes: tuple[Node, ...], path: Path, place: _Place, before: Mapping[Path, Branch]
) -> Branch:
    """The branch of the nodes of one path; normally there is only one node."""
    made_of = (place, nodes)
    found = before.get((*place.lead, *path))
    if found is not None and found.made_of == made_of:
        return found
    known = {} if found is None else {branch.path: branch for branch in found.below}
    drafts = [place.draft(node, path) for node in nodes]
    said = [
        warning
        for node, draft in zip(nodes, drafts, strict=True)
        for warning in _told(node, draft, place)
    ]
    below = _below(nodes, path, place, known)
    return branches.grown(drafts, below, said, made_of)


def _below(
    nodes: Iterable[Node], path: Path, place: _Place, before: Mapping[Path, Branch]
) -> tuple[Branch, ...]:
    """The branches of the children, by name."""
    called: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        for child in node.children:
            called[child.name].append(child)
    return tuple(
        _branch(tuple(rivals), (*path, name), place, before)
        for name, rivals in sorted(called.items())
    )


def _told(node: Node, draft: Draft, place: _Place) -> Iterator[TranslationWarning]:
    if node.flavors:
        yield from of_flavors.warnings(node.flavors, place.flavors, draft)
    if names.MAX_JOBS in node.min:
        yield draft.warning(f"min.{names.MAX_JOBS}", "no number of jobs is guaranteed; left out")
    for other in node.others:
        yield draft.warning(other, "is no field of a node; left out")
