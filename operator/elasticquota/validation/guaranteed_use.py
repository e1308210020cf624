"""EQ1104-guarantee: in guarantee mode a min must fit beside what the other quotas use.

In such trees no running pod is reclaimed (K 4.2, rule 7), so a new guarantee must leave room for
what other quotas use above their min. From the quota up, the new sum is compared with what each
parent is guaranteed already. If a parent has enough, nothing changes above it; the root of the tree
is the last that may have enough. The default tree is not judged: its root has no guarantee. Usage
comes from the statuses and is about a second old.
"""

from collections.abc import Iterator

from elasticquota import names, pool_keys, quantity
from elasticquota.forest import violation
from elasticquota.forest.structure import Forest, Tree
from elasticquota.forest.violation import Violation
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY
from elasticquota.validation.change import Change
from elasticquota.validation.usage import GuaranteedUsage


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield the resources of which the new min is more than the tree can guarantee."""
    quota = change.new
    if quota is None or not needs_use(change, forest):
        return
    tree = forest.trees[forest.tree_of[quota.parent]]
    before = EMPTY if change.moves else change.old_min
    for resource, asked in sorted(quota.min.items()):
        if asked > before.get(resource, 0):
            held = GuaranteedUsage(resource, tree, forest, change.used_by)
            if beyond := _beyond(quota, asked, held, tree, forest):
                yield _violation(quota, tree, resource, beyond)


def needs_use(change: Change, forest: Forest) -> bool:
    """Whether the usage of all quotas in the tree must be read to judge the change."""
    quota = change.new
    if quota is None or quota.is_root:
        return False
    tree_id = forest.tree_of.get(quota.parent, names.DEFAULT_TREE)
    if tree_id == names.DEFAULT_TREE or not forest.trees[tree_id].guarantees_use:
        return False
    before = EMPTY if change.moves else change.old_min
    return any(amount > before.get(key, 0) for key, amount in quota.min.items())


def _beyond(
    quota: Quota, asked: int, held: GuaranteedUsage, tree: Tree, forest: Forest
) -> tuple[int, int] | None:
    """What the tree would have to guarantee and what it guarantees; None if it fits below."""
    name, wanted = quota.name, max(asked, held.allocated.get(quota.name, 0))
    for above in forest.path(quota.parent):
        others = (child for child in tree.children[above] if child not in (name, quota.name))
        siblings = sum(held.guaranteed[child] for child in others)
        needed = wanted + siblings + held.own[above]
        if needed <= held.guaranteed[above]:
            return None
        name, wanted = above, needed
    return wanted, held.guaranteed[tree.root]


def _violation(quota: Quota, tree: Tree, resource: str, beyond: tuple[int, int]) -> Violation:
    needed, guaranteed = (quantity.text(resource, amount) for amount in beyond)
    return Violation(
        "EQ1104-forced" if quota.forced else "EQ1104-guarantee",
        pool_keys.field("min", resource),
        f"{quantity.text(resource, quota.min[resource])} would raise what tree '{tree.root}' "
        f"guarantees to {needed}, but it can guarantee {guaranteed}, because what runs is "
        f"guaranteed there too",
        "Lower it, or wait until less runs above its min",
        kind="conflict",
        more=violation.explain(tree.root),
    )
