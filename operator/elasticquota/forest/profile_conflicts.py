"""EP1202: a profile has a root quota and a tree of its own.

No other profile has the same root quota or tree id; of two, the older keeps them. No ordinary quota
has the name of the root, and the built-in quotas are no roots of profiles (EP1201).
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, label
from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile


def reserved(profile: Profile) -> Violation | None:
    """Return that the root has the name of a built-in quota, or None."""
    if profile.quota_name not in names.RESERVED_QUOTAS:
        return None
    message = f"'{profile.quota_name}' is reserved: that quota exists without a profile"
    return Violation("EP1201", "spec.quotaName", message, "Choose another name")


def shared(profile: Profile, other: Profile) -> Iterator[Violation]:
    """Yield the root quota and the tree id that ``other`` has too."""
    name, tree = profile.quota_name, tree_ids.of(profile)
    if name and name == other.quota_name:
        message = f"'{name}' is the root quota of profile '{other.key}'"
        yield Violation("EP1202", "spec.quotaName", message, "Choose another name", "conflict")
    if tree == tree_ids.of(other):
        message = f"'{tree}' is the tree id of profile '{other.key}'"
        remedy = "Leave the label out, and it is filled in"
        yield Violation("EP1202", label(names.TREE_ID), message, remedy, "conflict")


def taken(profile: Profile, forest: Forest) -> Violation | None:
    """Return that a quota has the name of the root and is not that root, or None.

    A root quota whose profile was deleted may get a new one of the same name.
    """
    name = profile.quota_name
    there = forest.quotas.get(name)
    own = Key(profile.key.namespace, name)
    if there is None or name in names.RESERVED_QUOTAS:
        return None
    if there.is_root and there.key == own and there.profile in ("", profile.key.name):
        return None
    message = f"'{name}' is taken by the quota {there.key}"
    remedy = "Choose another name, or delete that quota"
    return Violation("EP1202", "spec.quotaName", message, remedy, "conflict")
