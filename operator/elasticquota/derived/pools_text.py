"""The pools of a tree as the annotations of its root quota.

There every user of the tree can read them. They also are the last good value: while the annotations
of the profile cannot be read, those of the root quota stay as they are and in force, also after a
restart (``ledger.books``).
"""

import json
from collections import Counter
from collections.abc import Mapping

from elasticquota import names
from elasticquota.model.pools import Pools
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.sharing.capacity import Capacity


def annotations(pools: Pools | None) -> Mapping[str, str]:
    """Return both annotations, as a profile has them; empty without pools."""
    if pools is None:
        return {}
    listed = [{"name": pool.name, "nodeLabels": dict(pool.labels)} for pool in pools.pools]
    found = {names.POOLS: _json(listed)}
    if pools.resources is not None:
        found[names.POOL_RESOURCES] = _json(list(pools.resources))
    return found


def missing(profile: Profile, root: Quota | None) -> tuple[str, ...]:
    """Return which of the annotations are on the root quota and must not be there."""
    if root is None or root.pools is None or profile.pools_unreadable:
        return ()
    wanted = annotations(profile.pools)
    return tuple(key for key in annotations(root.pools) if key not in wanted)


def nodes(found: Capacity) -> str:
    """Return how many nodes each pool has: ``: 2 of pool a100, 4 of pool t4, 1 of none``."""
    if found.pools is None:
        return ""
    counts = Counter(found.pool_of.values())
    listed = [f"{counts[name]} of pool {name}" for name in found.pools.names]
    if counts[""]:
        listed.append(f"{counts['']} of none")
    return f": {', '.join(listed)}"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
