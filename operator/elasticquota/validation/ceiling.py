"""A limit that cannot be reached, or no limit at all, is worth a word.

EQ1105, from both sides: above the max of its parent a quota's max never comes true. Its other side:
a quota without max may borrow everything that is free. Judged only for what the change raises above
its parent's or lowers below its children's, and for a quota that gets or leaves its place.
"""

from elasticquota import names, quantity
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.validation import relatives
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, listed


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """The max against the parent's and the children's; or that there is none."""
    quota = change.new
    if quota is None or (
        change.old is not None and not change.moves and change.old.max == quota.max
    ):
        return ()
    if not quota.max:
        message = "is not given, so the quota may borrow everything that is free in its tree"
        return (Violation("EQ1105-unlimited", "spec.max", message, "Name a max to limit that"),)
    return (*_as_child(change, quota, forest), *_as_parent(change, quota, forest))


def _as_child(change: Change, quota: Quota, forest: Forest) -> tuple[Violation, ...]:
    parent = forest.quotas.get(quota.parent)
    if parent is None or parent.name == names.ROOT_QUOTA:
        return ()
    before = {} if change.old is None or change.moves else change.old.max
    return tuple(
        Violation(
            "EQ1105",
            f"spec.max.{resource}",
            f"{quantity.text(resource, amount)} is above "
            f"{quantity.text(resource, parent.max[resource])}, the max of parent "
            f"'{parent.name}', which limits it",
            f"Lower it, or raise the max of '{parent.name}'",
        )
        for resource, amount in sorted(quota.max.items())
        if parent.max.get(resource, amount) < amount != before.get(resource)
    )


def _as_parent(change: Change, quota: Quota, forest: Forest) -> tuple[Violation, ...]:
    before = {} if change.old is None else change.old.max
    children = relatives.children(quota.name, forest)
    return tuple(
        Violation(
            "EQ1105",
            f"spec.max.{resource}",
            f"{quantity.text(resource, amount)} is below the max of children, which it limits: "
            f"{listed(above)}",
            "Raise it, or lower theirs",
        )
        for resource, amount in sorted(quota.max.items())
        if amount != before.get(resource)
        and (
            above := [
                f"{child.name} {quantity.text(resource, child.max[resource])}"
                for child in children
                if child.max.get(resource, 0) > amount
            ]
        )
    )
