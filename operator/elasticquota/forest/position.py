"""A quota has its place below its parent, in its parent's tree, or in no tree (semantics 6).

* The parent must exist, be marked as a parent and be in a tree. It must not be the quota itself or
  one of its descendants, and a tree has at most 32 levels (EQ1101).
* The tree id of a quota must be its parent's. A quota without tree id takes the parent's, because
  the webhook that fills it in may have been down (EQ1107).
* A root quota (marked as root, with a tree id) is the top of its own tree. Of two with the same
  tree id the older one gets the tree. The mark without a tree id means nothing.

`of_all` places stored quotas, `fault` judges the parent that an edit chooses; they say the same.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from elasticquota import names
from elasticquota.forest import violation
from elasticquota.forest.violation import Violation
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import Verdict


Position = str | Verdict
"""The tree id where a quota is attached, or why it is not."""

DEEPEST: Final = 32
"""Levels of a tree below the root of the default tree; the root of another tree is the first."""
_LONGEST_LOOP: Final = 8


def of_all(quotas: Mapping[str, Quota]) -> dict[str, Position]:
    """Return the place of every quota; ``quotas`` by name, oldest first, with built-in ones."""
    places: dict[str, Position] = {
        names.ROOT_QUOTA: names.DEFAULT_TREE,
        names.DEFAULT_QUOTA: names.DEFAULT_TREE,
        names.SYSTEM_QUOTA: Verdict("ReservedName", "the system quota is in no tree"),
    }
    _place_roots(quotas, places)
    levels = {name: 1 for name in places if name != names.ROOT_QUOTA}
    for start in quotas:
        # An insertion-ordered set: the path up to the first quota whose place is known.
        chain: dict[str, None] = {}
        name = start
        while name in quotas and name not in places and name not in chain:
            chain[name] = None
            name = quotas[name].parent
        if name in chain:
            steps = list(chain)
            _place_loop(steps[steps.index(name) :], quotas, places)
        for step in reversed(chain):
            if step not in places:
                levels[step] = levels.get(quotas[step].parent, 0) + 1
                places[step] = below_parent(quotas[step], quotas, places, levels[step])
    return places


def _place_roots(quotas: Mapping[str, Quota], places: dict[str, Position]) -> None:
    holders: dict[str, str] = {}
    for quota in quotas.values():
        if not (quota.is_root and quota.tree_id) or quota.name in places:
            continue
        if quota.parent != names.ROOT_QUOTA:
            places[quota.name] = Verdict(
                "TreeMismatch",
                f"it is the root quota of tree '{quota.tree_id}', so its parent must be "
                f"'{names.ROOT_QUOTA}', not '{quota.parent}'",
            )
        elif quota.tree_id in holders:
            places[quota.name] = Verdict(
                "TreeMismatch",
                f"tree '{quota.tree_id}' already has the older root quota "
                f"'{holders[quota.tree_id]}'",
            )
        else:
            holders[quota.tree_id] = quota.name
            places[quota.name] = quota.tree_id


def _place_loop(loop: list[str], quotas: Mapping[str, Quota], places: dict[str, Position]) -> None:
    for number, name in enumerate(loop):
        fault = _circular(quotas[name], [*loop[number:], *loop[:number]])
        places[name] = Verdict("CycleDetected", fault.sentence)


def below_parent(
    quota: Quota, quotas: Mapping[str, Quota], places: Mapping[str, Position], level: int
) -> Position:
    """Return the place of ``quota``, which is no root, at this level of its tree.

    Its parent must be in ``places``.
    """
    if quota.parent not in quotas:
        return Verdict("ParentNotFound", _missing(quota).sentence)
    if not quotas[quota.parent].is_parent:
        return Verdict("ParentNotAParent", _unmarked(quota).sentence)
    place = places[quota.parent]
    if isinstance(place, Verdict):
        return Verdict(
            "ParentNotFound", f"parent '{quota.parent}' is in no tree itself ({place.reason})"
        )
    if level > DEEPEST:
        return Verdict("TooDeep", _too_deep(quota, level).sentence)
    if quota.tree_id in ("", place):
        return place
    return Verdict("TreeMismatch", other_tree(quota, place).sentence)


def fault(quota: Quota, quotas: Mapping[str, Quota], height: int) -> Violation | None:
    """Return why ``quota`` cannot be below its parent, which is not the default root, or None.

    ``quotas`` are those that are stored; ``height`` levels of them are below ``quota``. Old loops
    above it are the fault of others.
    """
    path = [quota.name]
    name = quota.parent
    while name != names.ROOT_QUOTA:
        path.append(name)
        above = quotas.get(name)
        if above is None or name in path[:-1]:
            break
        name = above.parent
    if path[-1] == quota.name:
        return _circular(quota, path[:-1])
    if quota.parent not in quotas:
        return _missing(quota)
    if not quotas[quota.parent].is_parent:
        return _unmarked(quota)
    levels = len(path) + height
    return _too_deep(quota, levels) if levels > DEEPEST else None


def _missing(quota: Quota) -> Violation:
    return Violation(
        "EQ1101-missing",
        violation.setting(quota, "parent"),
        f"there is no quota '{quota.parent}'",
        "Create it, or correct the name",
    )


def _unmarked(quota: Quota) -> Violation:
    reserved = quota.parent in names.RESERVED_QUOTAS
    marked = "" if reserved else f", or set spec.isParent of '{quota.parent}' to true"
    message = f"'{quota.parent}' is not a parent quota"
    return _of_parent(quota, message, f"Name another parent{marked}")


def _circular(quota: Quota, loop: Sequence[str]) -> Violation:
    """``loop``: the names from the quota to the one whose parent it is."""
    if quota.parent == quota.name:
        return _of_parent(
            quota,
            f"'{quota.name}' is the quota itself, but a parent must be another quota",
            "Name another parent, or leave it out for the root",
        )
    more = len(loop) - _LONGEST_LOOP
    shown = [*loop[:_LONGEST_LOOP], f"({more} more)"] if more > 0 else loop
    return _of_parent(
        quota,
        f"the parents must not form a cycle, but {' -> '.join([*shown, quota.name])}",
        "Name a parent that is not below this quota",
    )


def _too_deep(quota: Quota, levels: int) -> Violation:
    return _of_parent(
        quota,
        f"the tree would be {levels} levels deep, and must not be deeper than {DEEPEST}",
        "Name a parent that is closer to the root",
    )


def _of_parent(quota: Quota, message: str, remedy: str) -> Violation:
    return Violation("EQ1101", violation.setting(quota, "parent"), message, remedy)


def other_tree(quota: Quota, tree: str) -> Violation:
    """Say that the tree id of ``quota`` is not ``tree``, that of its parent (EQ1107)."""
    return Violation(
        "EQ1107",
        violation.label(names.TREE_ID),
        f"'{quota.tree_id}' must be the tree id of parent '{quota.parent}', which is in "
        f"{violation.tree_title(tree)}",
        "Leave the label out, and it is filled in",
    )
