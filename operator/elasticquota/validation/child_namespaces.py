"""EQ1113: a quota is below another only by permission.

Who may place quotas below a parent has the verb ``add-child`` on it, which the webhook asks of the
API server. The field ``access.children`` of a parent delegates this to who may write quotas
in the namespaces of the list; ``*`` is all. Its own namespace is always in it. For the default
root, which has no object, the configuration has the list.

A quota whose parent does not exist yet, or waits for its own, has no max above it, and may come
under any. So it takes the permission on all parents, `EVERY_PARENT`, whatever a list says: who has
that may place the quota anywhere, and gains nothing by waiting. Other users would take the pods
that run in a namespace out of the max of the default quota.

The rule judges a quota that gets a parent, and one that leaves its parent while it binds a
namespace: the pods of the namespace would leave every max above it. Where a list leaves the
namespace out, the annotation ``placed-below`` of the child says that it was permitted
nevertheless. It is judged as well, because the controller believes it, and so is its absence: the
permission may become known after annotations were filled in.

EQ1113-children: an edit may shorten the list, with a warning that names the children that lose
their guarantee; the profile ``strict`` refuses such an edit.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota.forest import child_namespaces, violation
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, annotation, listed
from elasticquota.model.quota import Quota
from elasticquota.validation import relatives
from elasticquota.validation.change import Change


EVERY_PARENT: Final = "*"
"""Stands for the permission on all parents, which is asked for without a name."""
_MARK = annotation(names.PLACED_BELOW)


def asks(change: Change, forest: Forest) -> tuple[str, ...]:
    """Return the parents for which the change needs the permission of the user.

    `EVERY_PARENT` is among them for a quota that would wait for its place.
    """
    entered = _entered(change, forest)
    needed = permission(entered, forest) if entered else ""
    found = (needed, _left(change, forest), _marked(change))
    return tuple(sorted({parent for parent in found if parent}))


def permission(parent: str, forest: Forest) -> str:
    """Return what a new child of ``parent`` needs: the permission there, or `EVERY_PARENT`."""
    return EVERY_PARENT if _waits_below(parent, forest) else parent


def _waits_below(parent: str, forest: Forest) -> bool:
    """Whether a child of ``parent`` would wait for its place; below a leaf it is refused anyway."""
    found = forest.quotas.get(parent)
    return found is None or (found.is_parent and parent not in forest.tree_of)


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Judge the new parent and the one that is left, then the children that the list leaves out.

    Where that was not asked (``Change.permitted``), `assumed` says below which quotas it may be.
    """
    permitted = assumed(change, forest) if change.permitted is None else change.permitted
    yield from _not_permitted(change, forest, permitted)
    if change.new is not None:
        yield from _as_parent(change, change.new, forest)


def assumed(change: Change, forest: Forest) -> frozenset[str]:
    """Return the parents that offline tools take as permitted: all but those that write a list."""
    return frozenset(
        parent
        for parent in asks(change, forest)
        if parent not in forest.quotas
        or parent == names.ROOT_QUOTA
        or forest.quotas[parent].child_namespaces is None
    )


def _entered(change: Change, forest: Forest) -> str:
    """The new parent, unless its list takes the quota; empty: there is nothing to ask."""
    quota = change.new
    if quota is None or not change.moves or quota.parent == quota.name:
        return ""
    if _waits_below(quota.parent, forest):
        return quota.parent
    return _asked(quota, quota.parent, forest)


def _left(change: Change, forest: Forest) -> str:
    """The parent whose max pods of a namespace leave by the change."""
    old = change.old
    if old is None or change.namespace_leaves or not old.binds_any:
        return ""
    if (
        change.new is not None
        and not change.moves
        and {*old.namespaces} <= {*change.new.namespaces}
    ):
        return ""
    return _asked(old, old.parent, forest)


def _marked(change: Change) -> str:
    if change.new is None:
        return ""
    before = "" if change.old is None else change.old.placed_below
    return "" if change.new.placed_below == before else change.new.placed_below


def _asked(quota: Quota, name: str, forest: Forest) -> str:
    """Empty if the list of the parent takes the quota; one that does not exist has no list."""
    parent = forest.quotas.get(name)
    return "" if parent is not None and parent.delegates_to(quota) else name


def _not_permitted(
    change: Change, forest: Forest, permitted: frozenset[str]
) -> Iterator[Violation]:
    entered, left, marked = _entered(change, forest), _left(change, forest), _marked(change)
    namespace = change.quota.key.namespace
    if entered and not {permission(entered, forest), EVERY_PARENT} & permitted:
        place = violation.setting(change.quota, "parent")
        if _waits_below(entered, forest):
            yield _too_early(place, entered, exists=entered in forest.quotas)
        else:
            text = f"you may not create quotas below '{entered}'"
            yield child_namespaces.refused(place, text, entered, namespace)
    elif entered and change.new is not None and change.permitted is not None:
        yield from _unmarked(change.new, forest.quotas.get(entered))
    if left and not {left, EVERY_PARENT} & permitted:
        yield child_namespaces.refused(
            "",
            f"binds a namespace, whose pods would leave '{left}' and every max above, and you may "
            f"not place quotas there",
            left,
            namespace,
        )
    if marked and marked not in permitted and marked != entered:
        text = f"you may not place quotas below '{marked}'"
        yield child_namespaces.refused(_MARK, text, marked, namespace)


def _too_early(field: str, parent: str, *, exists: bool) -> Violation:
    """A quota that would wait for its parent, or with it."""
    why, first = f"there is no quota '{parent}'", "Create it first, correct the name"
    if exists:
        why, first = f"'{parent}' is in no tree", "Have it placed first"
    return Violation(
        "EQ1113",
        field,
        f"{why}, and you may not create quotas that wait for their place",
        f"{first}, or ask for the verb '{names.ADD_CHILD}' on all {names.QUOTA_PLURAL} in a "
        f"ClusterRole",
        kind="forbidden",
    )


def _unmarked(quota: Quota, parent: Quota | None) -> Iterator[Violation]:
    """A permitted quota that the controller would not count below its parent."""
    if parent is None or child_namespaces.check(quota, parent) is None:
        return
    yield Violation(
        "EQ1113",
        _MARK,
        f"must be '{parent.name}', or the quota does not count there; you may place it there, "
        f"which was not known yet when annotations were filled in",
        f"Try again, or set it to '{parent.name}'",
        kind="conflict",
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
            child_namespaces.LIST,
            f"leaves out namespaces of children, which lose their guarantee: {listed(left)}",
            "Add the namespaces, or have these quotas deleted or moved",
        )
