"""Weight is the shared weight, else max: a part in what is left over after the guarantees.

A key that the shared weight does not name takes max of that key; a weight with nothing above 0 even
then counts as not written (K 4.1). Max counts as weight up to what is available in the tree, so
that "unlimited" written as 2^63 does not push everybody else aside; no max at all counts as the
smallest max above it. Where this cap bites, the weight moves with the total, so a new node may
shift shares among such siblings; otherwise it takes nothing from anybody.
"""

from typing import Final, NamedTuple

from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


UNLIMITED: Final = 1 << 512
"""Stands for a max that is not there; larger than any sum of quantities that can be read."""


class EffectiveWeight(NamedTuple):
    """The weight of one child for one resource before it is capped."""

    amount: int
    capped: bool
    """Whether what is available in the tree caps it: not where a weight was chosen."""


def effective(quota: Quota, key: str, ceiling: Resources) -> EffectiveWeight:
    """What ``quota`` weighs for ``key``; ``ceiling`` has the smallest max of those above it."""
    chosen = quota.shared_weight
    if chosen and key in chosen and _weighs(chosen, quota.max):
        return EffectiveWeight(max(0, chosen[key]), capped=False)
    return EffectiveWeight(max(0, quota.max.get(key, ceiling.get(key, UNLIMITED))), capped=True)


def _weighs(chosen: Resources, most: Resources) -> bool:
    """Whether anything is above 0 once max has filled in what ``chosen`` leaves out."""
    filled = (amount for key, amount in most.items() if key not in chosen)
    return any(amount > 0 for amount in (*chosen.values(), *filled))
