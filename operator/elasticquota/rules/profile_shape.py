"""What a profile says about itself can be read, and what its tree hangs on stays.

EP1201: the name of the root quota, the selector, the labels and the ratio. The schema of the CRD
refuses most of it earlier; this is the echo, and the only judge of the grammar of label keys, of
annotations and of reserved names. The quota name and the tree id never change: a root of another
name, or of another tree, would leave the quotas below it behind. Old faults block no other edit.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.profile import Profile
from elasticquota.rules import violation
from elasticquota.rules.profile_change import ProfileChange
from elasticquota.rules.violation import Violation, label
from elasticquota.sharing import capacity


_SECOND = "Create a second profile instead"


def check(change: ProfileChange, forest: Forest) -> tuple[Violation, ...]:
    """Faults that the old object did not have; the forest plays no part."""
    del forest
    known = set(change.old.faults) if change.old is not None else set()
    unread = [
        violation.of_fault("EP1201", fault) for fault in change.new.faults if fault not in known
    ]
    if change.old is None:
        return (*unread, *_reserved(change.new))
    return (*unread, *_moved(change.old, change.new))


def _reserved(profile: Profile) -> tuple[Violation, ...]:
    if profile.quota_name not in names.RESERVED_QUOTAS:
        return ()
    message = f"'{profile.quota_name}' is reserved: that quota exists without a profile"
    return (Violation("EP1201", "spec.quotaName", message, "Choose another name"),)


def _moved(old: Profile, new: Profile) -> tuple[Violation, ...]:
    found = []
    if old.quota_name and old.quota_name != new.quota_name:
        message = (
            f"must not change from '{old.quota_name}' to '{new.quota_name}', because the tree "
            f"hangs on it"
        )
        found.append(Violation("EP1201", "spec.quotaName", message, _SECOND))
    before, after = capacity.tree_id_of(old), capacity.tree_id_of(new)
    if before != after:
        message = f"must stay '{before}', which the quotas of the tree carry, got '{after}'"
        found.append(Violation("EP1201", label(names.TREE_ID), message, _SECOND))
    return tuple(found)
