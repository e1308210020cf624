"""EP1201: the fields of a profile can be read, and its quota name and tree id never change.

The rule judges the name of the root quota, the selector, the labels and the ratio. The schema of
the CRD refuses most faults earlier; only this rule judges the grammar of label keys, annotations
and reserved names. A changed quota name or tree id would separate the root from the quotas below
it. ``quotaLabels`` must not contradict the profile about the place of the root. Old faults block no
other edit. EP1201-pools warns of pools that go while quotas bound them.
"""

from collections.abc import Iterator, Mapping

from elasticquota import names, pool_keys
from elasticquota.forest import profile_conflicts, violation
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, label
from elasticquota.model import tree_ids
from elasticquota.model.profile import Profile
from elasticquota.validation.profile_change import ProfileChange


_SECOND = "Create a second profile instead"


def check(change: ProfileChange, forest: Forest) -> Iterator[Violation]:
    """Yield faults that the old object did not have, and bounds that lose their pool."""
    old, new = change.old, change.new
    for fault in new.faults:
        if old is None or fault not in old.faults:
            yield violation.of_fault("EP1201", fault)
    if old is not None:
        yield from _moved(old, new)
        yield from _pools_gone(old, new, forest)
    elif found := profile_conflicts.reserved(new):
        yield found
    yield from _labelled({} if old is None else old.quota_labels, new)


def _labelled(before: Mapping[str, str], profile: Profile) -> Iterator[Violation]:
    """Entries of ``quotaLabels`` that contradict the profile."""
    labels = tree_ids.root_labels(profile)
    for key, value in sorted(profile.quota_labels.items()):
        if key in names.LABELS_OF_ROOTS and value not in (labels.get(key), before.get(key)):
            yield Violation(
                "EP1201",
                f"spec.quotaLabels[{key}]",
                "must not be set: the profile itself says where its root quota stands",
                "Leave the label out",
                kind="forbidden",
            )


def _pools_gone(old: Profile, new: Profile, forest: Forest) -> Iterator[Violation]:
    """Pools that the edit takes away while quotas of the tree bound them."""
    gone = set(_names(old)) - set(_names(new))
    tree = forest.trees.get(tree_ids.of(old))
    if not gone or tree is None or new.pools_unreadable:
        return
    for pool in sorted(gone):
        bounding = [
            name
            for name in tree.order
            if name != tree.root
            and any(
                pool_key.pool == pool
                for key in forest.quotas[name].max
                if (pool_key := pool_keys.split(key)) is not None
            )
        ]
        if bounding:
            yield Violation(
                "EP1201-pools",
                "spec.pools",
                f"takes pool '{pool}' away, which {_bound(len(bounding))}: "
                f"{violation.listed(bounding)}; their bounds of it hold no longer",
                "Take it out of their spec.pools",
            )


def _bound(count: int) -> str:
    return "1 quota bounds" if count == 1 else f"{count} quotas bound"


def _names(profile: Profile) -> tuple[str, ...]:
    return () if profile.pools is None else profile.pools.names


def _moved(old: Profile, new: Profile) -> Iterator[Violation]:
    if old.quota_name and old.quota_name != new.quota_name:
        message = (
            f"must not change from '{old.quota_name}' to '{new.quota_name}', because the tree "
            f"hangs on it"
        )
        yield Violation("EP1201", "spec.quotaName", message, _SECOND)
    before, after = tree_ids.of(old), tree_ids.of(new)
    if before != after:
        message = f"must stay '{before}', which the quotas of the tree carry, got '{after}'"
        yield Violation("EP1201", label(names.TREE_ID), message, _SECOND)
