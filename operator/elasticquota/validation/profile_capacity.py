"""EP1201-capacity: a capacity below what the quotas of its tree are guaranteed.

Nothing is refused: the guarantees shrink in proportion, as after a loss of nodes. The rule judges
the amounts that the profile states. What present nodes offer is not known here; a guarantee that
they do not back is in the status of its quota (``ledger.guarantee_backing``).
"""

from collections.abc import Iterator
from functools import partial

from elasticquota import quantity
from elasticquota.forest import guarantee
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model import tree_ids
from elasticquota.validation.profile_change import ProfileChange


def check(change: ProfileChange, forest: Forest) -> Iterator[Violation]:
    """Compare a changed ``max`` or ``total`` with the guarantees of the first level."""
    old, new = change.old, change.new
    tree = forest.trees.get(tree_ids.of(new))
    if tree is None or (old and (old.capacity, old.ratio) == (new.capacity, new.ratio)):
        return
    stated, key = new.capacity.total, "total"
    if new.capacity.elastic:
        stated, key = new.capacity.max, "max"
    promised = guarantee.of_first_level(tree, forest)
    for resource, amount in sorted(stated.items()):
        offered, text = new.ratio.of(amount), partial(quantity.text, resource)
        if promised.get(resource, 0) > offered:
            by_ratio = "" if offered == amount else " times resourceRatio"
            yield Violation(
                "EP1201-capacity",
                f"spec.capacity.{key}.{resource}",
                f"{text(amount)}{by_ratio} is less than {text(promised[resource])}, which the "
                f"quotas below '{tree.root}' are guaranteed; all of these guarantees shrink in "
                "proportion",
                "Raise it, or lower the min of quotas below",
            )
