"""Parts of rules in CEL that compare min with max: of our quota and of capacity scheduling's."""

from typing import Final


# A quantity with a huge exponent would keep the quantity library busy for minutes, so what the
# pattern of an amount refuses must not reach it.
_HUGE: Final = "string(bound).matches('[eE][+-]?[0-9]{3}')"
_BOUNDS: Final = "[self.min[key], self.max[key]]"

NO_QUANTITY: Final = f"{_HUGE} || !isQuantity(string(bound))"
"""``bound`` is no quantity."""
UNREADABLE: Final = f"{_BOUNDS}.exists(bound, {NO_QUANTITY})"
"""One of the two is no quantity, which its own rule says."""
ABOVE: Final = (
    f"key in self.max && {_BOUNDS}.all(bound, !{_HUGE} && isQuantity(string(bound))) "
    "&& quantity(string(self.min[key])).isGreaterThan(quantity(string(self.max[key])))"
)
"""Min is above max."""
MESSAGE: Final = "must be less than or equal to max, resource by resource; lower min or raise max"
