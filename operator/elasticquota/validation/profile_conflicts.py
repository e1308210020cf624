"""EP1202: a profile has a root quota, a tree and nodes of its own.

No other profile may have the same root quota name or tree id, and no ordinary quota may have that
name already. The older one keeps it, so the new profile is refused. EP1202-overlap is a warning for
nodes that another profile selects too. They belong to the older profile (``sharing.capacity``). The
list of nodes is true for the moment of the read only.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, label, listed
from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.validation.profile_change import ProfileChange


def check(change: ProfileChange, forest: Forest) -> Iterator[Violation]:
    """Yield conflicts of name or tree id; a stored profile is not judged again."""
    if change.old is None:
        yield from _same_root(change, forest)
        yield from _same_tree(change)


def check_nodes(change: ProfileChange, forest: Forest) -> Iterator[Violation]:
    """Yield the nodes that another profile selects too; ``forest`` is not used."""
    del forest
    for other in sorted(change.others, key=lambda each: each.key):
        if nodes := change.overlaps.get(other.key):
            yield Violation(
                "EP1202-overlap",
                "spec.nodeSelector",
                f"profile '{other.key}' selects some of the same nodes, which count for "
                f"{_owner(other, change)} alone: {listed(nodes)}",
                "Select by a label that only nodes of one pool have",
            )


def _same_root(change: ProfileChange, forest: Forest) -> Iterator[Violation]:
    name = change.new.quota_name
    rival = next((each for each in change.others if name and each.quota_name == name), None)
    if rival is not None:
        message = f"'{name}' is the root quota of profile '{rival.key}'"
    elif (there := forest.quotas.get(name)) is not None and name not in names.RESERVED_QUOTAS:
        # A root quota whose profile was deleted may get a new profile in the same namespace.
        if there.is_root and there.key == Key(change.new.key.namespace, name):
            return
        message = f"'{name}' is taken by the quota {there.key}"
    else:
        return
    yield Violation("EP1202", "spec.quotaName", message, "Choose another name", "conflict")


def _same_tree(change: ProfileChange) -> Iterator[Violation]:
    tree = tree_ids.of(change.new)
    rival = next((each for each in change.others if tree_ids.of(each) == tree), None)
    if rival is not None:
        message = f"'{tree}' is the tree id of profile '{rival.key}'"
        remedy = "Leave the label out, and it is filled in"
        yield Violation("EP1202", label(names.TREE_ID), message, remedy, "conflict")


def _owner(other: Profile, change: ProfileChange) -> str:
    """Which profile is older, in words; a profile that is being created is not."""
    old = change.old
    if old is not None and (old.created, old.uid) < (other.created, other.uid):
        return "this one"
    return "that one"
