"""A pool is the root quota of a profile, below which an ElasticQuotaTree of its own can hang.

The pool exists once the root quota does, whatever its nodes offer: a pool that is scaled to zero
for the night keeps its quotas.
"""

from collections.abc import Mapping

from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.sharing import capacity


Pools = Mapping[str, str]
"""Profile (NAMESPACE/NAME) to the name of its root quota; empty while that does not exist."""


def of(profiles: Mapping[Key, Profile], quotas: Mapping[Key, Quota]) -> dict[str, str]:
    """The pools of all profiles."""
    return {str(key): _root(profile, quotas) for key, profile in profiles.items()}


def _root(profile: Profile, quotas: Mapping[Key, Quota]) -> str:
    found = quotas.get(Key(profile.key.namespace, profile.quota_name))
    is_there = found is not None and found.is_root and found.tree_id == capacity.tree_id_of(profile)
    return profile.quota_name if is_there else ""
