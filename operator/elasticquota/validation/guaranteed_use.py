"""Where what runs is guaranteed, a min is raised only as far as that leaves room.

EQ1104, its side for trees that guarantee use (K 4.2, rule 7): there nothing that runs is taken
back, so a promise must stand beside what the other quotas use above their min. From the quota
upwards the new sums are compared with what each parent is guaranteed already; where one of them has
it, nothing changes above, and the tree's root is the last who could have it. The default tree is
never asked: it has no root that is guaranteed anything. Use is what the statuses say, about a
second old.
"""

from elasticquota import names, quantity
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY
from elasticquota.validation.change import Change
from elasticquota.validation.usage import Holdings
from elasticquota.validation.violation import Violation


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """Resources of which the new min asks for more than its tree can guarantee."""
    quota = change.new
    if quota is None or not needs_use(change, forest):
        return ()
    tree = forest.trees[forest.tree_of[quota.parent]]
    before = EMPTY if change.moves else change.old_min
    holdings = {
        resource: Holdings(resource, tree, forest, change.used_by)
        for resource, asked in sorted(quota.min.items())
        if asked > before.get(resource, 0)
    }
    return tuple(
        _violation(quota, tree, resource, beyond)
        for resource, held in holdings.items()
        if (beyond := _beyond(quota, quota.min[resource], held, tree, forest))
    )


def needs_use(change: Change, forest: Forest) -> bool:
    """Whether the use of all quotas in the tree has to be known to judge the change."""
    quota = change.new
    if quota is None or quota.is_root:
        return False
    tree_id = forest.tree_of.get(quota.parent, names.DEFAULT_TREE)
    if tree_id == names.DEFAULT_TREE or not forest.trees[tree_id].guarantees_use:
        return False
    before = EMPTY if change.moves else change.old_min
    return any(amount > before.get(key, 0) for key, amount in quota.min.items())


def _beyond(
    quota: Quota, asked: int, held: Holdings, tree: Tree, forest: Forest
) -> tuple[int, int] | None:
    """What the tree would have to guarantee and what it does; None when it fits below."""
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
        f"spec.min.{resource}",
        f"{quantity.text(resource, quota.min[resource])} would raise what tree '{tree.root}' "
        f"guarantees to {needed}, and must not raise it above {guaranteed}, because what runs is "
        f"guaranteed there too",
        "Lower it, or wait until less runs above its min",
        kind="conflict",
    )
