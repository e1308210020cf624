"""EQ1104: the sum of the children's min must not exceed the min of their parent.

The rule judges every resource and both sides: a child that asks for more, and a parent that lowers
a min which its children need. The first level of a tree is exempt, because the total of the nodes
changes by itself. There the sharing shrinks guarantees, and a sum above the published total only
gets a warning. The rule judges only amounts that the change makes worse, so an over-committed tree
can be repaired step by step.

A quota with the label ``allow-force-update`` only gets a warning (K 4.2; the policy EQ1109 says who
may set the label). Its edit is stored, and the youngest quotas of a sum that does not fit are not
accepted until it fits.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from elasticquota import pool_keys, quantity, resources
from elasticquota.forest import guarantee
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model.capacity_mode import NODES, Mode
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.validation import relatives
from elasticquota.validation.change import Change


_OFFERS: Final[Mapping[Mode, str]] = {
    "Nodes": "the nodes of the tree offer",
    "Elastic": "the nodes of the tree may become",
    "Declared": "the profile declares",
}
_REMEDIES: Final[Mapping[Mode, str]] = {
    "Nodes": "Lower it, or add nodes",
    "Elastic": "Lower it, or raise max in the capacity of the profile",
    "Declared": "Lower it, or raise total in the capacity of the profile",
}


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Compare the min of the quota with its parent's, then with its children's."""
    if change.new is not None:
        yield from _as_child(change, change.new, forest)
        yield from _as_parent(change, change.new, forest)


def _as_child(change: Change, quota: Quota, forest: Forest) -> Iterator[Violation]:
    parent = forest.quotas.get(quota.parent)
    if parent is None:
        return
    before = EMPTY if change.moves else change.old_min
    children = relatives.children(parent.name, forest)
    siblings = [child for child in children if child.name != quota.name]
    if forest.is_root_of_a_tree(parent.name):
        yield from _beyond_nodes(before, quota, parent, siblings, forest)
        return
    worse = {key: asked for key, asked in quota.min.items() if asked > before.get(key, 0)}
    held = [forest.effective_min(child.name) for child in siblings]
    yield from guarantee.beyond(
        worse,
        parent.name,
        parent.min,
        resources.add(*held),
        lambda key: _reserved(siblings, key, forest),
        _rule(quota),
    )


def _beyond_nodes(
    before: Resources, quota: Quota, root: Quota, siblings: Sequence[Quota], forest: Forest
) -> Iterator[Violation]:
    """Guarantees beyond what the nodes of the tree offer, by the total that its root publishes."""
    if root.total is None or quota.tree_id not in ("", forest.tree_of[root.name]):
        return
    mode = root.capacity or NODES
    for resource, asked in sorted(quota.min.items()):
        offered = root.total.get(resource, 0)
        if resource not in root.total and mode.leaves_unlimited(resource):
            continue
        promised = asked + sum(_reserved(siblings, resource, forest).values())
        if promised > offered and asked > before.get(resource, 0):
            text = partial(quantity.text, resource)
            yield Violation(
                "EQ1104-nodes",
                pool_keys.field("min", resource),
                f"{text(asked)} makes {text(promised)} that the quotas below '{root.name}' are "
                f"promised, of {text(offered)} that {_OFFERS[mode.mode]}; all of these guarantees "
                "shrink in proportion",
                _REMEDIES[mode.mode],
            )


def _as_parent(change: Change, quota: Quota, forest: Forest) -> Iterator[Violation]:
    if forest.is_root_of_a_tree(quota.name):
        return
    children = relatives.children(quota.name, forest)
    for resource, before in sorted(change.old_min.items()):
        reserved = _reserved(children, resource, forest)
        promised = quota.min.get(resource, 0)
        if promised < min(sum(reserved.values()), before):
            text = partial(quantity.text, resource)
            yield Violation(
                _rule(quota),
                pool_keys.field("min", resource),
                f"{text(promised)} must be greater than or equal to "
                f"{text(sum(reserved.values()))}, the min that its children reserve "
                f"({guarantee.each(resource, reserved)})",
                "Raise it, or lower the min of a child first",
            )


def _rule(quota: Quota) -> str:
    """Forced edits have a rule of their own, which only warns (EQ1109)."""
    return "EQ1104-forced" if quota.forced else "EQ1104"


def _reserved(children: Iterable[Quota], resource: str, forest: Forest) -> dict[str, int]:
    """The min of each child; quotas that are not accepted have none."""
    held = ((child.name, forest.effective_min(child.name).get(resource, 0)) for child in children)
    return {name: amount for name, amount in held if amount}
