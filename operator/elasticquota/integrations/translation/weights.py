"""One weight of an external queue as a shared weight for each resource.

Only the relation between siblings counts. Where all weights are whole numbers they are written as
they are, otherwise in thousandths. A shared weight of nothing but 0 counts as not written (K 4.1),
so a weight of 0 becomes the smallest possible one.
"""

from collections.abc import Iterable
from typing import Final

from elasticquota import names
from elasticquota.resources import Resources


WHOLE: Final = 1000
"""The weight 1, in thousandths."""


def divisor(weights: Iterable[int]) -> int:
    """What to divide all weights by, which are in thousandths and meet as siblings."""
    return WHOLE if all(weight and weight % WHOLE == 0 for weight in weights) else 1


def shared(weight: int, keys: Iterable[str], by: int) -> Resources:
    """The weight in accounting units for the resources ``keys``."""
    found = max(weight, 1)
    return {key: found if key == names.CPU else found // by for key in keys}
