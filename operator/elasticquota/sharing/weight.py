"""The weight of a quota decides its part of what is left after the guarantees.

* The weight is the shared weight; for a key that it does not name, it is the max of that key. A
  shared weight with nothing above 0 even then counts as not written (K 4.1).
* A max that serves as weight is capped by what is available in the tree. So an "unlimited" of 2^63
  does not leave all other siblings without a share.
* A missing max counts as the smallest max of the quotas above.

Where the cap applies, the weight changes with the total: a new node may then move shares among such
siblings. Otherwise a new node takes nothing from any sibling.
"""

from typing import Final, NamedTuple

from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


UNLIMITED: Final = 1 << 512
"""The value of a missing max; larger than any sum of quantities that can be read."""


class EffectiveWeight(NamedTuple):
    """The weight of one child for one resource, before the cap."""

    amount: int
    capped: bool
    """Whether the available amount of the tree caps it: true unless the user chose a weight."""


def effective(quota: Quota, key: str, ceiling: Resources) -> EffectiveWeight:
    """Return the weight of ``quota`` for ``key``.

    ``ceiling`` is the smallest max of the quotas above, by key; a missing key is unlimited.
    """
    chosen = quota.shared_weight
    if chosen and key in chosen and _weighs(chosen, quota.max):
        return EffectiveWeight(max(0, chosen[key]), capped=False)
    return EffectiveWeight(max(0, quota.max.get(key, ceiling.get(key, UNLIMITED))), capped=True)


def _weighs(chosen: Resources, most: Resources) -> bool:
    """Whether any weight is above 0 after max has filled in the keys missing in ``chosen``."""
    filled = (amount for key, amount in most.items() if key not in chosen)
    return any(amount > 0 for amount in (*chosen.values(), *filled))
