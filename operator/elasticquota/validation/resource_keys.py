"""A quota limits only resources that its parent limits, when the parent limits any.

EQ1103, for the keys of max (K 4.2 with ElasticQuotaEnableUpdateResourceKey; the keys of min follow
from EQ1104), from both sides: a child that names another resource, and a parent that gives up one
that its children name. Judged for keys that the change adds to the child or takes from the parent.
Koordinator without that gate asks for equal keys, and so does the profile ``strict``: by
``check_equal`` no child leaves out a resource of its parent, and so the keys of a parent stay what
they are while it has children. Judged for keys that the change takes from the child or adds to
the parent. How many jobs are let in is nothing that a parent has to limit: no node offers it.
"""

from typing import Final

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.validation import relatives
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, listed


_EQUAL: Final = "EQ1103-equal"
_COUNTED: Final = frozenset({names.MAX_JOBS})


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """The keys of max against the parent's, then against the children's."""
    if change.new is None:
        return ()
    return (*_as_child(change, forest), *_as_parent(change, forest))


def check_equal(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """Resources of the parent's max that a child leaves out, seen from both."""
    if change.new is None:
        return ()
    return (*_left_out_by_it(change, forest), *_left_out_by_children(change, forest))


def _left_out_by_it(change: Change, forest: Forest) -> tuple[Violation, ...]:
    parent = forest.quotas.get(change.quota.parent)
    if parent is None:
        return ()
    left_out = parent.max.keys() - change.quota.max.keys() - _COUNTED
    if change.old is not None and not change.moves:
        left_out &= change.old.max.keys()
    return tuple(
        Violation(
            _EQUAL,
            f"spec.max.{resource}",
            f"must be given, because parent '{parent.name}' names the resource, and the keys of "
            f"parent and child must be equal",
            "Add it",
        )
        for resource in sorted(left_out)
    )


def _left_out_by_children(change: Change, forest: Forest) -> tuple[Violation, ...]:
    quota = change.quota
    if change.old is None:
        return ()
    children = relatives.children(quota.name, forest)
    lacking = {
        resource: [child.name for child in children if resource not in child.max]
        for resource in sorted(quota.max.keys() - change.old.max.keys() - _COUNTED)
    }
    return tuple(
        Violation(
            _EQUAL,
            f"spec.max.{resource}",
            f"must not be added, because children leave the resource out, and the keys of parent "
            f"and child must be equal: {listed(names)}",
            "Change the keys while the quota has no children",
        )
        for resource, names in lacking.items()
        if names
    )


def _as_child(change: Change, forest: Forest) -> tuple[Violation, ...]:
    parent = forest.quotas.get(change.quota.parent)
    if parent is None or not parent.max:
        return ()
    before = {} if change.moves or change.old is None else change.old.max
    added = change.quota.max.keys() - before.keys()
    return tuple(
        Violation(
            "EQ1103",
            f"spec.max.{resource}",
            f"'{resource}' is not among the resources of parent '{parent.name}': "
            f"{listed(sorted(parent.max))}",
            f"Leave it out, or add it to spec.max of '{parent.name}' first",
        )
        for resource in sorted(added - parent.max.keys() - _COUNTED)
    )


def _as_parent(change: Change, forest: Forest) -> tuple[Violation, ...]:
    quota = change.quota
    if change.old is None or not quota.max:
        return ()
    # Without any key a quota allowed every resource, and now it allows some.
    children = relatives.children(quota.name, forest)
    named = {resource for child in children for resource in child.max}
    given_up = set(change.old.max) if change.old.max else named
    return tuple(
        Violation(
            "EQ1103",
            f"spec.max.{resource}",
            "must stay, because children name the resource: "
            f"{listed(child.name for child in children if resource in child.max)}",
            "Take it out of their spec.max first",
        )
        for resource in sorted(named & (given_up - quota.max.keys() - _COUNTED))
    )
