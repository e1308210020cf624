"""A pool is the root quota of a profile, below which an ElasticQuotaTree of its own can hang.

The pool exists once the root quota does, whatever its nodes offer: a pool that is scaled to zero
for the night keeps its quotas.
"""

from collections.abc import Iterable, Mapping

from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota.model.pools import Pools as KindsOfNode
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota


Pools = Mapping[str, str]
"""Profile (NAMESPACE/NAME) to the name of its root quota; empty while that does not exist."""

Kinds = Mapping[str, KindsOfNode]
"""Profile (NAMESPACE/NAME) to the kinds of node inside its tree; only profiles that name any."""


def kinds(profiles: Iterable[Profile]) -> dict[str, KindsOfNode]:
    """The kinds of node of all profiles that name them."""
    return {str(each.key): each.pools for each in profiles if each.pools is not None}


def of(profiles: Mapping[Key, Profile], quotas: Mapping[Key, Quota]) -> dict[str, str]:
    """The pools of all profiles."""
    return {str(key): _root(profile, quotas) for key, profile in profiles.items()}


def _root(profile: Profile, quotas: Mapping[Key, Quota]) -> str:
    found = quotas.get(Key(profile.key.namespace, profile.quota_name))
    is_there = found is not None and found.is_root and found.tree_id == tree_ids.of(profile)
    return profile.quota_name if is_there else ""
