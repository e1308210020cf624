"""A profile has a root quota, a tree and nodes of its own.

EP1202: the name of its root quota and its tree id must not be those of another profile, nor may the
root be a quota that exists already and is none; the older has it, so the new one is refused. Its
other side, a warning: nodes that another profile selects too. Those belong to the older of the two
(``sharing.capacity``). Which they are is as true as the moment in which they were read.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.sharing import capacity
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.validation.violation import Violation, label, listed


def check(change: ProfileChange, forest: Forest) -> tuple[Violation, ...]:
    """Who has the name or the tree id already; what is stored keeps its own."""
    if change.old is not None:
        return ()
    return (*_same_root(change, forest), *_same_tree(change))


def check_nodes(change: ProfileChange, forest: Forest) -> tuple[Violation, ...]:
    """Nodes that are selected twice."""
    del forest
    return tuple(
        Violation(
            "EP1202-overlap",
            "spec.nodeSelector",
            f"profile '{other.key}' selects some of the same nodes, which count for "
            f"{_owner(other, change)} alone: {listed(change.overlaps[other.key])}",
            "Select by a label that only nodes of one pool have",
        )
        for other in sorted(change.others, key=lambda each: each.key)
        if change.overlaps.get(other.key)
    )


def _same_root(change: ProfileChange, forest: Forest) -> tuple[Violation, ...]:
    name = change.new.quota_name
    rival = next((each for each in change.others if name and each.quota_name == name), None)
    if rival is not None:
        message = f"'{name}' is the root quota of profile '{rival.key}'"
    elif (there := forest.quotas.get(name)) is not None and name not in names.RESERVED_QUOTAS:
        # A root that its profile has left behind finds a new one in the same place.
        if there.is_root and there.key == Key(change.new.key.namespace, name):
            return ()
        message = f"'{name}' is taken by the quota {there.key}"
    else:
        return ()
    return (Violation("EP1202", "spec.quotaName", message, "Choose another name", "conflict"),)


def _same_tree(change: ProfileChange) -> tuple[Violation, ...]:
    tree = capacity.tree_id_of(change.new)
    rival = next((each for each in change.others if capacity.tree_id_of(each) == tree), None)
    if rival is None:
        return ()
    message = f"'{tree}' is the tree id of profile '{rival.key}'"
    remedy = "Leave the label out, and it is filled in"
    return (Violation("EP1202", label(names.TREE_ID), message, remedy, "conflict"),)


def _owner(other: Profile, change: ProfileChange) -> str:
    """Who is older; a profile that is being created is not."""
    old = change.old
    if old is not None and (old.created, old.uid) < (other.created, other.uid):
        return "this one"
    return "that one"
