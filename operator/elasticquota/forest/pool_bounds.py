"""Pool keys in min and max that bound nothing, because the tree has no such pool or resource.

What the pools of a tree are is on its root quota, where the controller keeps it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from elasticquota import pool_keys
from elasticquota.forest import wording
from elasticquota.forest.structure import Forest
from elasticquota.model.pools import Pools
from elasticquota.model.quota import Quota


class Unknown(NamedTuple):
    """A key that bounds nothing: why, and what to do."""

    key: str
    message: str
    remedy: str


def root_of(quota: Quota, forest: Forest) -> Quota | None:
    """Return the root of the tree in which ``quota`` is or would be; None: it is in no tree."""
    tree_id = forest.tree_of.get(quota.parent)
    return None if tree_id is None else forest.quotas[forest.trees[tree_id].root]


def unknown(keys: Iterable[str], root: Quota) -> Iterator[Unknown]:
    """Yield those of ``keys``, sorted, that bound nothing in the tree of ``root``."""
    for key in sorted(keys):
        pool_key = pool_keys.split(key)
        if pool_key is None:
            continue
        if root.pools is None:
            yield Unknown(
                key,
                f"names pool '{pool_key.pool}', but tree '{root.name}' has no pools",
                "Leave it out, or name the pool in spec.pools of its profile first",
            )
        elif pool_key.pool not in root.pools.names:
            listed = wording.listed(root.pools.names, ", ")
            yield Unknown(
                key,
                f"names pool '{pool_key.pool}', but tree '{root.name}' has {listed}",
                wording.meant(pool_key.pool, root.pools.names) or "Name one of these",
            )
        elif not root.pools.counts(pool_key.resource):
            yield Unknown(
                key,
                f"names '{pool_key.resource}', but of the pools of tree '{root.name}' "
                f"{_counted(root.pools)} counted",
                wording.meant(pool_key.resource, root.pools.resources or ())
                or "Leave it out, or add it to spec.poolResources of its profile first",
            )


def _counted(pools: Pools) -> str:
    listed = pools.resources
    if listed is None:
        return "only resources with a domain are"
    return f"only {wording.listed(listed, ', ')} {'is' if len(listed) == 1 else 'are'}"
