"""EQ1103-pool: a key that bounds a pool names a pool of the tree, and a resource counted there.

A key with a misspelled pool bounds nothing, so the limit that was meant does not hold. What the
pools of a tree are is on its root quota, where the controller keeps it.
"""

from collections.abc import Iterator

from elasticquota import pool_keys
from elasticquota.forest import wording
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model.pools import Pools
from elasticquota.model.quota import Quota


def root_of(quota: Quota, forest: Forest) -> Quota | None:
    """Return the root of the tree in which ``quota`` is or would be; None: it is in no tree."""
    tree_id = forest.tree_of.get(quota.parent)
    return None if tree_id is None else forest.quotas[forest.trees[tree_id].root]


def check(quota: Quota, forest: Forest) -> Iterator[Violation]:
    """Yield the keys of max and min that bound nothing."""
    bounds = (("max", quota.max), ("min", quota.min))
    keys = [(side, key) for side, bound in bounds for key in bound if pool_keys.is_reserved(key)]
    root = root_of(quota, forest) if keys and not quota.is_root else None
    if root is None:
        return
    for side, key in sorted(keys):
        pool_key = pool_keys.split(key)
        found = None if pool_key is None else _unknown(pool_key, root)
        if found is not None:
            yield Violation("EQ1103-pool", pool_keys.field(side, key), *found)


def _unknown(key: pool_keys.PoolKey, root: Quota) -> tuple[str, str] | None:
    """Why the key bounds nothing in the tree of ``root``, and what to do."""
    if root.pools is None:
        return (
            f"names pool '{key.pool}', but tree '{root.name}' has no pools",
            "Leave it out, or name the pool in spec.pools of its profile first",
        )
    if key.pool not in root.pools.names:
        listed = wording.listed(root.pools.names, ", ")
        return (
            f"names pool '{key.pool}', but tree '{root.name}' has {listed}",
            wording.meant(key.pool, root.pools.names) or "Name one of these",
        )
    if not root.pools.counts(key.resource):
        return (
            f"names '{key.resource}', but of the pools of tree '{root.name}' "
            + _counted(root.pools),
            wording.meant(key.resource, root.pools.resources or ())
            or "Leave it out, or add it to spec.poolResources of its profile first",
        )
    return None


def _counted(pools: Pools) -> str:
    listed = pools.resources
    if listed is None:
        return "only resources with a domain are counted"
    return f"only {wording.listed(listed, ', ')} {'is' if len(listed) == 1 else 'are'} counted"
