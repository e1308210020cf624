"""A limit that cannot be reached, or no limit at all, is allowed but worth a word.

EQ1105, a warning: above the max of its parent a quota's max never comes true, and a quota without
max may borrow everything that is free. Judged only when max or the place changes.
"""

from elasticquota import names, quantity
from elasticquota.forest.structure import Forest
from elasticquota.rules.change import Change
from elasticquota.rules.violation import Violation


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """What to warn of; nothing here refuses."""
    quota = change.new
    if quota is None or (
        change.old is not None and not change.moves and change.old.max == quota.max
    ):
        return ()
    if not quota.max:
        message = "is not given, so the quota may borrow everything that is free in its tree"
        return (Violation("EQ1105", "spec.max", message),)
    parent = forest.quotas.get(quota.parent)
    if parent is None or parent.name == names.ROOT_QUOTA:
        return ()
    return tuple(
        Violation(
            "EQ1105",
            f"spec.max.{resource}",
            f"{quantity.text(resource, amount)} is above "
            f"{quantity.text(resource, parent.max[resource])}, the max of parent "
            f"'{parent.name}', which limits it",
        )
        for resource, amount in sorted(quota.max.items())
        if amount > parent.max.get(resource, amount)
    )
