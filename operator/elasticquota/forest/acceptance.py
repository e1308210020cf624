"""Judges every stored quota again, whatever passed admission (semantics 6).

Quotas are judged in the order of creation, then uid. So concurrent edits end in one state in any
order, and of two rivals the later one is refused. There are three questions: which object holds the
name, where is the quota's place, and does its guarantee fit its parent's? A quota without a place
is in no tree. A quota with a place that is not accepted stays in its tree with min 0. Nothing here
fails: every input gets a verdict.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from elasticquota import names
from elasticquota.forest import (
    child_namespaces,
    guarantee,
    index,
    own_fields,
    position,
    quota_names,
    settings,
    wording,
)
from elasticquota.forest.settings import SharingTerms
from elasticquota.forest.structure import Forest, Tree
from elasticquota.forest.violation import Violation
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import ACCEPTED, Verdict
from elasticquota.structs import replace


_BUILT_IN = {
    names.ROOT_QUOTA: Quota(
        Key("", names.ROOT_QUOTA), uid="", created="", parent="", is_parent=True
    ),
    names.SYSTEM_QUOTA: Quota(Key("", names.SYSTEM_QUOTA), uid="", created="", parent=""),
    names.DEFAULT_QUOTA: Quota(Key("", names.DEFAULT_QUOTA), uid="", created=""),
}


def build(quotas: Iterable[Quota], chosen: SharingTerms = settings.USUAL) -> Forest:
    """Build the forest of these objects; their order does not matter.

    Objects of the root and the system quota change nothing: they are accepted as long as they ask
    for nothing. Only the root's may set guarantee mode and observe mode or pause the tree, and it
    publishes the total of the default tree. An object with the name of the default quota is the
    default quota, in its fixed place. Outside of the release's namespace, objects with these names
    are ignored.
    """
    holders, by_key = _holders(quotas, chosen.home)
    root = holders[names.ROOT_QUOTA]
    holders[names.ROOT_QUOTA] = replace(
        root,
        guarantee_usage=(
            chosen.default_tree_guarantees_use
            if root.guarantee_usage is None
            else root.guarantee_usage
        ),
        observes=chosen.default_tree_observes if root.observes is None else root.observes,
        child_namespaces=chosen.default_tree_takes,
    )
    default = holders[names.DEFAULT_QUOTA]
    holders[names.DEFAULT_QUOTA] = _in_default_place(default)
    places = position.of_all(holders)
    tree_of = {name: place for name, place in places.items() if isinstance(place, str)}
    verdicts = {
        name: place if isinstance(place, Verdict) else spec(holders[name], holders)
        for name, place in places.items()
    }
    if misplaced := [*quota_names.misplaced(default)]:
        verdicts[names.DEFAULT_QUOTA] = Verdict("ReservedName", _listed(misplaced))
    trees = _trees(holders, tree_of, chosen)
    for tree in trees.values():
        guarantee.judge(tree, holders, verdicts, chosen)
    by_key.update(
        {quota.key: verdicts[name] for name, quota in holders.items() if quota.key in by_key}
    )
    return Forest(holders, trees, tree_of, by_key, index.of(holders.values()), chosen)


def _holders(
    quotas: Iterable[Quota], home: str | None
) -> tuple[dict[str, Quota], dict[Key, Verdict]]:
    """The quota that holds each name, oldest first, and a first verdict on every object."""
    holders = dict(_BUILT_IN)
    verdicts: dict[Key, Verdict] = {}
    for quota in sorted(quotas, key=guarantee.judged_after):
        if quota.name in names.RESERVED_QUOTAS and (
            reserved := quota_names.away(quota, home) or quota_names.asking(quota)
        ):
            verdicts[quota.key] = Verdict("ReservedName", reserved.sentence)
        elif quota.name in (names.ROOT_QUOTA, names.SYSTEM_QUOTA):
            verdicts[quota.key] = ACCEPTED
            if quota.name == names.ROOT_QUOTA:
                holders[quota.name] = _with_choices(holders[quota.name], quota)
        elif taken := quota_names.taken(quota, holders):
            verdicts[quota.key] = Verdict("NameConflict", taken.sentence)
        else:
            holders[quota.name] = quota
            verdicts[quota.key] = ACCEPTED
    return holders, verdicts


def _with_choices(root: Quota, stored: Quota) -> Quota:
    """Take over the modes and the published total that no older object has."""
    return replace(
        root,
        guarantee_usage=(
            stored.guarantee_usage if root.guarantee_usage is None else root.guarantee_usage
        ),
        observes=stored.observes if root.observes is None else root.observes,
        paused=root.paused or stored.paused,
        total=stored.total if root.total is None else root.total,
    )


def _in_default_place(quota: Quota) -> Quota:
    return replace(quota, parent=names.ROOT_QUOTA, is_parent=False, is_root=False, tree_id="")


def spec(quota: Quota, quotas: Mapping[str, Quota]) -> Verdict:
    """Judge the fields of a quota that has a place in a tree, and the consent of its parent.

    ``quotas`` are by name and include the parent. Sums of min are judged by ``guarantee``.
    """
    if unread := own_fields.unread(quota):
        return Verdict("InvalidSpec", _listed(unread))
    parent = quotas.get(quota.parent)
    if parent is not None and (refused := child_namespaces.check(quota, parent)):
        return Verdict("ParentRefuses", refused.sentence)
    return ACCEPTED


def _listed(found: Iterable[Violation]) -> str:
    return wording.listed([each.line for each in found], "; ")


def _trees(
    quotas: Mapping[str, Quota], tree_of: Mapping[str, str], chosen: SharingTerms
) -> dict[str, Tree]:
    children: dict[str, list[str]] = defaultdict(list)
    roots = {names.DEFAULT_TREE: names.ROOT_QUOTA}
    for name in sorted(tree_of):
        quota, tree_id = quotas[name], tree_of[name]
        if name == names.ROOT_QUOTA:
            continue
        if tree_id != tree_of[quota.parent]:
            roots[tree_id] = name
        else:
            children[quota.parent].append(name)
    return {
        tree_id: tree_below(tree_id, quotas[root], children, chosen)
        for tree_id, root in sorted(roots.items())
    }


def tree_below(
    tree_id: str, root: Quota, children: Mapping[str, Sequence[str]], chosen: SharingTerms
) -> Tree:
    """Build the tree of ``root``; ``children`` by quota name, each list sorted by name."""
    order: list[str] = []
    level = [root.name]
    while level:
        order.extend(level)
        level = [child for name in level for child in children.get(name, ())]
    return Tree(
        tree_id,
        root.name,
        tuple(order),
        {name: tuple(children.get(name, ())) for name in order},
        chosen.guarantees_use if root.guarantee_usage is None else root.guarantee_usage,
        chosen.limits_by_max,
        chosen.scales_min,
    )
