"""EP1201: the fields of a profile can be read, and its quota name and tree id never change.

The rule judges the name of the root quota, the selector, the labels and the ratio. The schema of
the CRD refuses most faults earlier; only this rule judges the grammar of label keys, annotations
and reserved names. A changed quota name or tree id would separate the root from the quotas below
it. ``quotaLabels`` must not contradict the profile about the place of the root. Old faults block no
other edit.
"""

from collections.abc import Iterator, Mapping

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.profile import Profile
from elasticquota.sharing import capacity
from elasticquota.validation import violation
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.validation.violation import Violation, label


_SECOND = "Create a second profile instead"


def check(change: ProfileChange, forest: Forest) -> Iterator[Violation]:
    """Yield faults that the old object did not have; ``forest`` is not used."""
    del forest
    old, new = change.old, change.new
    for fault in new.faults:
        if old is None or fault not in old.faults:
            yield violation.of_fault("EP1201", fault)
    if old is not None:
        yield from _moved(old, new)
    elif new.quota_name in names.RESERVED_QUOTAS:
        message = f"'{new.quota_name}' is reserved: that quota exists without a profile"
        yield Violation("EP1201", "spec.quotaName", message, "Choose another name")
    yield from _labelled({} if old is None else old.quota_labels, new)


def _labelled(before: Mapping[str, str], profile: Profile) -> Iterator[Violation]:
    """Entries of ``quotaLabels`` that contradict the profile."""
    labels = capacity.root_labels(profile)
    for key, value in sorted(profile.quota_labels.items()):
        if key in names.LABELS_OF_ROOTS and value not in (labels.get(key), before.get(key)):
            yield Violation(
                "EP1201",
                f"spec.quotaLabels[{key}]",
                "must not be set: the profile itself says where its root quota stands",
                "Leave the label out",
                kind="forbidden",
            )


def _moved(old: Profile, new: Profile) -> Iterator[Violation]:
    if old.quota_name and old.quota_name != new.quota_name:
        message = (
            f"must not change from '{old.quota_name}' to '{new.quota_name}', because the tree "
            f"hangs on it"
        )
        yield Violation("EP1201", "spec.quotaName", message, _SECOND)
    before, after = capacity.tree_id_of(old), capacity.tree_id_of(new)
    if before != after:
        message = f"must stay '{before}', which the quotas of the tree carry, got '{after}'"
        yield Violation("EP1201", label(names.TREE_ID), message, _SECOND)
