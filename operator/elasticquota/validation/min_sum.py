"""The children of a quota are not promised more than the quota itself is promised.

EQ1104, for every resource, from both sides: a child that asks for more, and a parent that gives up
what its children count on. The first level of a tree is exempt, because the total of the nodes
moves by itself; there the sharing scales, and a sum beyond the published total is only told. Only
amounts that the change makes worse are judged, so an over-committed tree can be repaired step by
step.

A quota labelled ``allow-force-update`` is let through with a warning (K 4.2; who may label one is
EQ1109, a policy). Its edit is stored, and who comes too late in the sum is not accepted until it
fits.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from elasticquota import quantity
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.validation import relatives
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, listed


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """The min of the quota against its parent's, then against its children's."""
    if change.new is None:
        return ()
    return (*_as_child(change, change.new, forest), *_as_parent(change, change.new, forest))


def _as_child(change: Change, quota: Quota, forest: Forest) -> tuple[Violation, ...]:
    parent = forest.quotas.get(quota.parent)
    if parent is None:
        return ()
    before = EMPTY if change.moves else change.old_min
    if _is_root(parent.name, forest):
        return _beyond_nodes(before, quota, parent, forest)
    siblings = [
        child for child in relatives.children(parent.name, forest) if child.name != quota.name
    ]
    violations = []
    for resource, asked in sorted(quota.min.items()):
        reserved = _reserved(siblings, resource, forest)
        promised = parent.min.get(resource, 0)
        free = max(promised - sum(reserved.values()), 0)
        if asked <= max(free, before.get(resource, 0)):
            continue
        text = partial(quantity.text, resource)
        children = (
            f"children reserve {text(sum(reserved.values()))}: {_each(resource, reserved)}"
            if reserved
            else "no other child reserves any"
        )
        violations.append(
            Violation(
                _rule(quota),
                f"spec.min.{resource}",
                f"{text(asked)} must be less than or equal to {text(free)}, the unreserved min of "
                f"parent '{parent.name}' (min {text(promised)}, {children})",
                f"Lower it, or raise the min of '{parent.name}'",
            )
        )
    return tuple(violations)


def _beyond_nodes(
    before: Resources, quota: Quota, root: Quota, forest: Forest
) -> tuple[Violation, ...]:
    """Guarantees that the nodes of the tree cannot keep, by the total that its root publishes."""
    if root.total is None or quota.tree_id not in ("", forest.tree_of[root.name]):
        return ()
    siblings = [
        child for child in relatives.children(root.name, forest) if child.name != quota.name
    ]
    violations = []
    for resource, asked in sorted(quota.min.items()):
        offered = root.total.get(resource, 0)
        promised = asked + sum(_reserved(siblings, resource, forest).values())
        if promised <= offered or asked <= before.get(resource, 0):
            continue
        text = partial(quantity.text, resource)
        violations.append(
            Violation(
                "EQ1104-nodes",
                f"spec.min.{resource}",
                f"{text(asked)} makes {text(promised)} that the quotas below '{root.name}' are "
                f"promised, of {text(offered)} that the nodes of the tree offer; all of these "
                f"guarantees shrink in proportion",
                "Lower it, or add nodes",
            )
        )
    return tuple(violations)


def _as_parent(change: Change, quota: Quota, forest: Forest) -> tuple[Violation, ...]:
    if _is_root(quota.name, forest):
        return ()
    children = relatives.children(quota.name, forest)
    violations = []
    for resource, before in sorted(change.old_min.items()):
        reserved = _reserved(children, resource, forest)
        promised = quota.min.get(resource, 0)
        if promised >= min(sum(reserved.values()), before):
            continue
        text = partial(quantity.text, resource)
        violations.append(
            Violation(
                _rule(quota),
                f"spec.min.{resource}",
                f"{text(promised)} must be greater than or equal to "
                f"{text(sum(reserved.values()))}, the min that its children reserve "
                f"({_each(resource, reserved)})",
                "Raise it, or lower the min of a child first",
            )
        )
    return tuple(violations)


def _rule(quota: Quota) -> str:
    """Forced edits are let through by name (EQ1109)."""
    return "EQ1104-forced" if quota.forced else "EQ1104"


def _is_root(name: str, forest: Forest) -> bool:
    tree = forest.tree_of.get(name)
    return tree is not None and forest.trees[tree].root == name


def _reserved(children: Iterable[Quota], resource: str, forest: Forest) -> dict[str, int]:
    """What each child holds, the largest first; quotas that are not accepted hold nothing."""
    held = ((child.name, forest.effective_min(child.name).get(resource, 0)) for child in children)
    return dict(sorted((pair for pair in held if pair[1]), key=lambda pair: (-pair[1], pair[0])))


def _each(resource: str, reserved: Mapping[str, int]) -> str:
    return listed(f"{name} {quantity.text(resource, held)}" for name, held in reserved.items())
