"""What a profile says about itself can be read, and what its tree hangs on stays.

EP1201: the name of the root quota, the selector, the labels and the ratio. The schema of the CRD
refuses most of it earlier; this is the echo, and the only judge of the grammar of label keys, of
annotations and of reserved names. The quota name and the tree id never change: a root of another
name, or of another tree, would leave the quotas below it behind. ``quotaLabels`` say nothing else
about the place of the root than the profile does. Old faults block no other edit.
"""

from collections.abc import Mapping

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.profile import Profile
from elasticquota.sharing import capacity
from elasticquota.validation import violation
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.validation.violation import Violation, label


_SECOND = "Create a second profile instead"


def check(change: ProfileChange, forest: Forest) -> tuple[Violation, ...]:
    """Faults that the old object did not have; the forest plays no part."""
    del forest
    known = set(change.old.faults) if change.old is not None else set()
    unread = [
        violation.of_fault("EP1201", fault) for fault in change.new.faults if fault not in known
    ]
    if change.old is None:
        return (*unread, *_reserved(change.new), *_labelled({}, change.new))
    labelled = _labelled(change.old.quota_labels, change.new)
    return (*unread, *_moved(change.old, change.new), *labelled)


def _reserved(profile: Profile) -> tuple[Violation, ...]:
    if profile.quota_name not in names.RESERVED_QUOTAS:
        return ()
    message = f"'{profile.quota_name}' is reserved: that quota exists without a profile"
    return (Violation("EP1201", "spec.quotaName", message, "Choose another name"),)


def _labelled(before: Mapping[str, str], profile: Profile) -> tuple[Violation, ...]:
    """Labels in which the root would say something else of itself than its profile does."""
    marks = capacity.marks_of(profile)
    return tuple(
        Violation(
            "EP1201",
            f"spec.quotaLabels[{key}]",
            "must not be set: the profile itself says where its root quota stands",
            "Leave the label out",
            kind="forbidden",
        )
        for key, value in sorted(profile.quota_labels.items())
        if key in names.LABELS_OF_ROOTS and marks.get(key) != value and before.get(key) != value
    )


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
