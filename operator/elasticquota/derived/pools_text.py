"""The pools of a tree as fields, and how many nodes each has, in words."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from elasticquota.model.pools import Pools
from elasticquota.sharing.capacity import TreeCapacity


def fields(pools: Pools | None) -> Mapping[str, Any]:
    """Return both fields, as a profile has them; empty without pools."""
    if pools is None:
        return {}
    listed = [{"name": pool.name, "nodeLabels": dict(pool.labels)} for pool in pools.pools]
    counted = {} if pools.resources is None else {"poolResources": list(pools.resources)}
    return {"pools": listed, **counted}


def nodes(found: TreeCapacity) -> str:
    """Return how many nodes each pool has: ``: 2 of pool a100, 4 of pool t4, 1 of none``."""
    if found.pools is None:
        return ""
    counts = Counter(found.pool_of.values())
    listed = [f"{counts[name]} of pool {name}" for name in found.pools.names]
    if counts[""]:
        listed.append(f"{counts['']} of none")
    return f": {', '.join(listed)}"
