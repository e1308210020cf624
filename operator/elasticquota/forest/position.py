"""A quota has its place below its parent, in its parent's tree, or in no tree (semantics 6).

* The parent must exist, be marked as a parent and be in a tree. It must not be the quota itself or
  one of its descendants.
* The tree id of a quota must be its parent's. A quota without tree id takes the parent's, because
  the webhook that fills it in may have been down.
* A root quota (marked as root, with a tree id) is the top of its own tree. Of two with the same
  tree id the older one gets the tree. The mark without a tree id means nothing.
"""

from collections.abc import Mapping

from elasticquota import names
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import Verdict


Position = str | Verdict
"""The tree id where a quota is attached, or why it is not."""

_LONGEST_LOOP = 8


def of_all(quotas: Mapping[str, Quota]) -> dict[str, Position]:
    """Return the place of every quota; ``quotas`` by name, oldest first, with built-in ones."""
    places: dict[str, Position] = {
        names.ROOT_QUOTA: names.DEFAULT_TREE,
        names.DEFAULT_QUOTA: names.DEFAULT_TREE,
        names.SYSTEM_QUOTA: Verdict("ReservedName", "the system quota is in no tree"),
    }
    _place_roots(quotas, places)
    for start in quotas:
        # An insertion-ordered set: the path up to the first quota whose place is known.
        chain: dict[str, None] = {}
        name = start
        while name in quotas and name not in places and name not in chain:
            chain[name] = None
            name = quotas[name].parent
        if name in chain:
            steps = list(chain)
            _place_loop(steps[steps.index(name) :], places)
        for step in reversed(chain):
            if step not in places:
                places[step] = below_parent(quotas[step], quotas, places)
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


def _place_loop(loop: list[str], places: dict[str, Position]) -> None:
    for position, name in enumerate(loop):
        steps = loop[position:] + loop[:position]
        if len(steps) > _LONGEST_LOOP:
            steps = [*steps[:_LONGEST_LOOP], f"({len(loop) - _LONGEST_LOOP} more)"]
        places[name] = Verdict(
            "CycleDetected", f"its parents lead back to itself: {' -> '.join([*steps, name])}"
        )


def below_parent(
    quota: Quota, quotas: Mapping[str, Quota], places: Mapping[str, Position]
) -> Position:
    """Return the place of ``quota``, which is no root; its parent must be in ``places``."""
    if quota.parent not in quotas:
        return Verdict("ParentNotFound", f"parent '{quota.parent}' does not exist")
    if not quotas[quota.parent].is_parent:
        return Verdict(
            "ParentNotAParent",
            f"parent '{quota.parent}' is not marked as a parent quota (spec.isParent: true)",
        )
    place = places[quota.parent]
    if isinstance(place, Verdict):
        return Verdict(
            "ParentNotFound", f"parent '{quota.parent}' is in no tree itself ({place.reason})"
        )
    if quota.tree_id in ("", place):
        return place
    stands = f"is in tree '{place}'" if place else "is in the default tree"
    return Verdict(
        "TreeMismatch",
        f"it claims tree '{quota.tree_id}', but its parent '{quota.parent}' {stands}",
    )
