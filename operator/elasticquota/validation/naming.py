"""A quota's name is unique over all namespaces, and three names belong to the system.

EQ1102: children and pods name a quota without its namespace, so two of a name would be one too
many. A name that a namespace has is for the quota of that namespace: made in it, binding it (which
takes rights there, EQ1004) or made by administrators, in the release's namespace. EQ1110: the root
and the system quota are not written by users, the default quota keeps its place and is written in
the release's namespace only, and none of the three is deleted. A name never changes, so only
creations can clash.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, annotation, label


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """A taken or reserved name."""
    return (
        *_reserved(change, forest.terms.home),
        *_taken(change, forest),
        *_foreign(change, forest),
    )


def _reserved(change: Change, home: str | None) -> tuple[Violation, ...]:
    name = change.quota.name
    if name not in names.RESERVED_QUOTAS:
        return ()
    if change.new is None:
        if change.namespace_leaves:
            return ()
        message, remedy = f"'{name}' is a reserved quota and must not be deleted", ""
    elif name == names.DEFAULT_QUOTA:
        return _elsewhere(change.new, home) or _misplaced(change.new)
    else:
        message = f"'{name}' is reserved: that quota exists without an object"
        remedy = "Choose another name" if change.old is None else "Leave it as it is"
    return (Violation("EQ1110", "metadata.name", message, remedy, kind="forbidden"),)


def _elsewhere(quota: Quota, home: str | None) -> tuple[Violation, ...]:
    """Only administrators of quotas write in the release's namespace."""
    if home in (None, quota.key.namespace):
        return ()
    message = f"'{quota.name}' is reserved: it may be written only in namespace '{home}'"
    return (Violation("EQ1110", "metadata.name", message, "Choose another name", kind="forbidden"),)


def _misplaced(quota: Quota) -> tuple[Violation, ...]:
    """The default quota is a leaf of the default tree, whatever its labels say."""
    said = {
        names.PARENT: quota.parent != names.ROOT_QUOTA,
        names.IS_PARENT: quota.is_parent,
        names.IS_ROOT: quota.is_root,
        names.TREE_ID: quota.tree_id != names.DEFAULT_TREE,
    }
    message = f"'{quota.name}' is a leaf directly below '{names.ROOT_QUOTA}' in the default tree"
    return tuple(
        Violation("EQ1110", label(key), message, "Leave the label out", kind="forbidden")
        for key, is_said in said.items()
        if is_said
    )


def _taken(change: Change, forest: Forest) -> tuple[Violation, ...]:
    if change.old is not None or change.new is None:
        return ()
    holder = forest.quotas.get(change.new.name)
    if holder is None or holder.key in (change.new.key, Key("", holder.name)):
        return ()
    return (
        Violation(
            "EQ1102",
            "metadata.name",
            f"'{holder.name}' is taken by the quota in namespace '{holder.key.namespace}'; names "
            f"must be unique over all namespaces, because children and pods use nothing else",
            "Choose another name",
        ),
    )


def _foreign(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """The name of somebody else's namespace."""
    quota = change.new
    if change.old is not None or quota is None or not change.name_of_namespace:
        return ()
    if quota.binds(quota.name) or quota.key.namespace == forest.terms.home:
        return ()
    return (
        Violation(
            "EQ1102-namespace",
            "metadata.name",
            f"'{quota.name}' is the name of a namespace, which a quota in namespace "
            f"'{quota.key.namespace}' must not take",
            f"Choose another name, create the quota in namespace '{quota.name}', or bind that "
            f"namespace by {annotation(names.NAMESPACES)}",
            kind="forbidden",
        ),
    )
