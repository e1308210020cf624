"""EQ1105: a max that cannot be reached, or no max at all, gets a warning.

EQ1105 judges parent and child: a max above the parent's max has no effect. EQ1105-unlimited: a
quota without max may borrow everything that is free. The rule judges only a max that the change
raises above the parent's or lowers below a child's, and a quota that is new or moves.
"""

from collections.abc import Iterator

from elasticquota import names, pool_keys, quantity
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, listed
from elasticquota.model.quota import Quota
from elasticquota.validation import relatives
from elasticquota.validation.change import Change


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Compare max with the parent's and the children's, or report that there is none."""
    quota, old = change.new, change.old
    if quota is None or (old is not None and not change.moves and old.max == quota.max):
        return
    if not quota.max:
        message = "is not given, so the quota may borrow everything that is free in its tree"
        yield Violation("EQ1105-unlimited", "spec.max", message, "Name a max to limit that")
    yield from _as_child(change, quota, forest)
    yield from _as_parent(change, quota, forest)


def _as_child(change: Change, quota: Quota, forest: Forest) -> Iterator[Violation]:
    parent = forest.quotas.get(quota.parent)
    if parent is None or parent.name == names.ROOT_QUOTA:
        return
    before = {} if change.old is None or change.moves else change.old.max
    for resource, amount in sorted(quota.max.items()):
        if parent.max.get(resource, amount) < amount != before.get(resource):
            yield Violation(
                "EQ1105",
                pool_keys.field("max", resource),
                f"{quantity.text(resource, amount)} is above "
                f"{quantity.text(resource, parent.max[resource])}, the max of parent "
                f"'{parent.name}', which limits it",
                f"Lower it, or raise the max of '{parent.name}'",
            )


def _as_parent(change: Change, quota: Quota, forest: Forest) -> Iterator[Violation]:
    before = {} if change.old is None else change.old.max
    children = relatives.children(quota.name, forest)
    for resource, amount in sorted(quota.max.items()):
        above = [
            f"{child.name} {quantity.text(resource, child.max[resource])}"
            for child in children
            if child.max.get(resource, 0) > amount
        ]
        if above and amount != before.get(resource):
            yield Violation(
                "EQ1105",
                pool_keys.field("max", resource),
                f"{quantity.text(resource, amount)} is below the max of children, which it "
                f"limits: {listed(above)}",
                "Raise it, or lower theirs",
            )
