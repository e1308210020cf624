"""The root quotas that stored profiles name, as admission sees them until the controller made them.

A profile and the quotas below its root may come in one file. The root is then made a moment after
the first quota that names it as its parent is judged. So admission judges by the place that the
root will have: its tree, its pools, its mode. Its amounts follow the nodes and are not known yet,
so no sum is judged by them.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from elasticquota import names
from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota


_LATEST: Final = "9999-12-31T23:59:59Z"
"""Whatever is stored is older, and keeps its name and its tree."""


def of(profiles: Iterable[Profile]) -> Mapping[Key, Quota]:
    """Return the root quotas by key; of two profiles that name the same one, the older one's."""
    youngest_first = sorted(profiles, key=lambda each: (each.created, each.uid), reverse=True)
    roots = (_root(profile) for profile in youngest_first if _may_have_one(profile))
    return {root.key: root for root in roots}


def _may_have_one(profile: Profile) -> bool:
    named = profile.quota_name not in ("", *names.RESERVED_QUOTAS)
    return named and not profile.selects_unknown


def _root(profile: Profile) -> Quota:
    return Quota(
        Key(profile.key.namespace, profile.quota_name),
        uid=profile.uid,
        created=_LATEST,
        is_parent=True,
        is_root=True,
        tree_id=tree_ids.of(profile),
        profile=profile.key.name,
        pools=profile.pools,
        observes=profile.observes,
        # What it can guarantee is known once the nodes are counted.
        guarantee_usage=False,
    )
