"""EQ1113: a quota may be below a quota of another namespace only if that quota allows it.

The annotation ``child-namespaces`` of a parent lists the namespaces whose quotas may be its
children; ``*`` is all. Its own namespace is always allowed. Without the annotation all namespaces
are. For the default root, which has no object, the configuration has the list. The rule judges a
quota that gets a parent. EQ1113-children: an edit may shorten the list, with a warning that names
the children that lose their guarantee; the profile ``strict`` refuses such an edit.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.validation import relatives
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, annotation, label, listed


_LIST = annotation(names.CHILD_NAMESPACES)


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Judge the new parent's list, then the children that the quota's own list leaves out."""
    if change.new is not None:
        yield from _as_child(change, change.new, forest)
        yield from _as_parent(change, change.new, forest)


def _as_child(change: Change, quota: Quota, forest: Forest) -> Iterator[Violation]:
    parent = forest.quotas.get(quota.parent)
    if not change.moves or parent is None or parent.takes_child(quota):
        return
    others = sorted(parent.child_namespaces or ())
    own = "its own" if parent.key.namespace else ""
    only = " and from ".join(filter(None, (own, listed(others))))
    where = f"{_LIST} of '{parent.name}'"
    if parent.name == names.ROOT_QUOTA:
        where = "defaultTree.childNamespaces of the configuration"
    yield Violation(
        "EQ1113",
        label(names.PARENT),
        f"'{parent.name}' accepts no quotas from namespace '{quota.key.namespace}', "
        f"{f'only from {only}' if only else 'nor from any other'}",
        f"Name another parent, or have the namespace added to {where}",
        kind="forbidden",
    )


def _as_parent(change: Change, quota: Quota, forest: Forest) -> Iterator[Violation]:
    old = change.old
    if old is None or old.child_namespaces == quota.child_namespaces:
        return
    left = [
        str(child.key)
        for child in relatives.children(quota.name, forest)
        if old.takes_child(child) and not quota.takes_child(child)
    ]
    if left:
        yield Violation(
            "EQ1113-children",
            _LIST,
            f"leaves out namespaces of children, which lose their guarantee: {listed(left)}",
            "Add the namespaces, or have these quotas deleted or moved",
        )
