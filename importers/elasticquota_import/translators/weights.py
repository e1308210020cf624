"""One weight of an external queue as a shared weight for each resource.

Only the relation between siblings counts. Where all weights are whole numbers they are written as
they are, otherwise in thousandths. A shared weight of nothing but 0 counts as not written (K 4.1),
so a weight of 0 becomes the smallest possible one.
"""

from collections.abc import Iterable
from typing import Final

from elasticquota import names, pool_keys
from elasticquota.resources import Resources


WHOLE: Final = 1000
"""The weight 1, in thousandths."""

_MOST: Final = 10**15
"""A larger weight is cut to it: it has to be a quantity."""


def divisor(weights: Iterable[int]) -> int:
    """What to divide all weights by, which are in thousandths and meet as siblings."""
    return WHOLE if all(weight and weight % WHOLE == 0 for weight in weights) else 1


def shared(weight: int, keys: Iterable[str], by: int) -> Resources:
    """The weight, from thousandths to accounting units of each of the resources ``keys``."""
    found = min(max(weight, 1), _MOST)
    return {key: found if pool_keys.resource(key) == names.CPU else found // by for key in keys}
