"""A quota hangs below the quota of somebody else only with that one's consent.

EQ1113: the annotation ``child-namespaces`` of a parent lists the namespaces whose quotas may be its
children, ``*`` is all; its own namespace is always among them. Without the annotation every
namespace may. Of the default root, which has no object, the configuration says it. Asked of a quota
that gets a parent. Its other side: a consent may be taken back, and whom that costs the guarantee
is told; the profile ``strict`` keeps who is there.
"""

from collections.abc import Iterable

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.validation import relatives
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, annotation, label, listed


_LIST = annotation(names.CHILD_NAMESPACES)


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """The consent of the new parent; then the children who lose that of the quota."""
    if change.new is None:
        return ()
    return (*_as_child(change, change.new, forest), *_as_parent(change, change.new, forest))


def _as_child(change: Change, quota: Quota, forest: Forest) -> tuple[Violation, ...]:
    parent = forest.quotas.get(quota.parent)
    if not change.moves or parent is None or parent.takes_child(quota):
        return ()
    others = sorted(parent.child_namespaces or ())
    own = "its own" if parent.key.namespace else ""
    only = " and from ".join(filter(None, (own, listed(others))))
    where = f"{_LIST} of '{parent.name}'"
    if parent.name == names.ROOT_QUOTA:
        where = "defaultTree.childNamespaces of the configuration"
    return (
        Violation(
            "EQ1113",
            label(names.PARENT),
            f"'{parent.name}' takes no quotas from namespace '{quota.key.namespace}', "
            f"{f'only from {only}' if only else 'nor from any other'}",
            f"Name another parent, or have the namespace added to {where}",
            kind="forbidden",
        ),
    )


def _as_parent(change: Change, quota: Quota, forest: Forest) -> tuple[Violation, ...]:
    old = change.old
    if old is None or old.child_namespaces == quota.child_namespaces:
        return ()
    left: Iterable[Quota] = (
        child
        for child in relatives.children(quota.name, forest)
        if old.takes_child(child) and not quota.takes_child(child)
    )
    named = [f"{child.key}" for child in left]
    if not named:
        return ()
    return (
        Violation(
            "EQ1113-children",
            _LIST,
            f"leaves out namespaces of children, which lose their guarantee: {listed(named)}",
            "Add the namespaces, or have these quotas deleted or moved",
        ),
    )
